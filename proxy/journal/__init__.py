"""Append-only segments of what was relayed, with times: the seam between the live path and everything that observes it.

limits     what a journal may cost, why an exchange may be lost, and what is counted
layout     segments and records, as bytes; payloads: what stands inside them; no I/O
segments   a writer's folder: preallocated files, recycled once consumed
recorder   one exchange on its way into the journal
writer     batches of many exchanges into few bounded writes
files      a reader's view of one writer's folder
sockets    the seam to whoever splits an upgraded connection into calls
assembly   records to exchanges, and to calls on open sockets
follower   one writer, from a mark
reader     all writers, live or offline

The format is written down in `docs/journal.md`.
"""
