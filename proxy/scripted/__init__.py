"""A provider that follows a script, speaking Anthropic Messages: for the demo, tests and benches.

settings  everything that can be declared: seed, latencies, chunking, encodings, cache rules
actions   what a model can do in one turn, in the words of each client's tools; what can go wrong
view      the visible context of one request, after server-side edits: all that a policy may look at
script    the policy: steps with needs, so that re-reads arise from what is visible
editing   server-side clearing and compaction (wire-formats 1.3)
cache     prompt-cache accounting
reply     the message object and its usage (wire-formats 1.4, 1.5)
stream    SSE frames, pieces, content encodings (wire-formats 1.6)
clock     the wall's time, or a logical one
writing   a message as the bytes of an answer, and what goes wrong on the way
provider  one request in, one answer out, and the ledger of what was served
app       the aiohttp door
"""
