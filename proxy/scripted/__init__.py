"""A provider that follows a script, in four dialects: for the demo, tests and benches.

settings     everything that can be declared: seed, latencies, chunking, encodings, cache rules, a server's habits
actions      what a model can do in one turn; what can go wrong
words        the same in the words of each client's tools
view         the visible context of one request, after server-side edits: all that a policy may look at
script       the policy: steps with needs, so that re-reads arise from what is visible
script_file  scripts from a TOML file
asides       what clients ask beside the work: summaries, titles
editing      server-side clearing and compaction (wire-formats 1.3)
cache        prompt-cache accounting
reply        an answer in canonical form, and its bill
clock        the wall's time, or a logical one
provider     one request in, one answer out, and the ledger of what was served
faces        the dialects: requests into canonical form, replies out of it
sending      a reply as the bytes of an answer, and what goes wrong on the way
doors        the addresses, over HTTP and WebSocket
app          the aiohttp application
"""
