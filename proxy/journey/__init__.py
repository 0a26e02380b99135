"""The straight line from one finished exchange to facts; no I/O, the same code live and offline.

journey   the line itself: read, identify, place, judge, account; open this first
reading   exchange bytes to request and reply
recall    the last request of each caller, so that what is sent again is not read again
call      what the steps hand on
turn      one model call on its thread: answers, boundaries, questions
sizes     what stands in a turn's context by kind
memory    what a thread remembers of a turn for the next one
clears    what the provider cleared of a request before it sampled
account   what each sampling billed, and why the prompt cache missed
contents  what a turn said, in pieces that are each kept once
rows      the facts that say what an exchange, a session, a thread, a turn was
"""

from proxy.journey.journey import Journey, Observed, Ports

__all__ = ["Journey", "Observed", "Ports"]
