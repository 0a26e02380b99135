"""Which conversation and which history a call belongs to, and where content left the model's view.

identity    who is calling: session key, client, agent, hints
phrases     the short opening phrases by which clients' own texts are known
normalise   content to digests, for matching only
history     how a new history follows a former one
placement   which thread a call belongs to, and how
context     what the model sees at a turn: results and texts by line
"""
