"""Anthropic Messages (wire-formats 1), which is also the canonical form of everything else here.

face    a request as it is, a reply as a message object
usage   the bill in its own convention: compactions stand apart
stream  server-sent events
"""
