"""Which conversation and which history a call belongs to, and where content left the model's view.

signals     what clients say by themselves: ids, agents, hints
identity    whose call it is: session key, client
signs       how a call that names no session is recognised
phrases     the short opening phrases by which clients' own texts are known
normalise   content to digests, for matching only
history     how a new history follows a former one
held        histories that only the provider holds
placement   which thread a call belongs to, and how
thread      one linear history as it is remembered
state       all that is remembered of a session, and its form on disk
lines       content by line
"""
