"""One session with one compaction, end to end: a real agent, a real relay, a scripted model.

project  the scratch folder the agent works in: files, and the check that must pass
tools    its four tools, with real effects in that folder
task     what the scripted model is told to do about it
agent    the loop: ask, run tools, compact when the context grows over a limit
stage    provider, relay and observer around the agent
show     the timeline, from what the product found
"""
