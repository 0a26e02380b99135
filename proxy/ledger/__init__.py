"""What the agent has seen, and what it had to fetch again.

tools       what a call asks for, by the rules of `tools.yaml`; `rules`, `keys`, `shell` serve it
results     what an answer holds without what the client wrote around it
content     one answer as it is compared
context     what stands in a model-visible context, by line
matching    an answer against everything its thread has seen
classify    the class of a call: one decision table
ledger      one thread's ledger: ask, answer, carry in
boundaries  what left the view, and the boundary counted for it
bill        what a boundary cost, and what it saves
reports     findings as facts
"""
