"""Transcripts that clients leave on the disk, read as the model calls they tell of; nothing is sent or stored.

discovery    paths to files: folders walked, loops and what cannot be read named
lines        one file, line by line, in bounded memory
trouble      what could not be read, each reason once with its first place
formats      whose transcript a file is, by its content, and which files belong together
timestamps   ISO 8601 to microseconds
tree         Claude Code's records as a tree of messages
answer       one of its replies while its records come
teller       its calls as they would have come by
claude_code  its records, one by one
codex        a rollout's items as model calls
stub         the exchange that stands for a call of which nobody saw the bytes
calls        what every reader gives, and the records it is given
driving      a session's calls through the journey, facts into memory
"""
