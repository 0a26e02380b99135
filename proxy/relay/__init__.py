"""The live path. Bytes pass as they came; a copy goes to the journal; nothing here looks into a body.

settings     what a relay is told
server       listens, ticks, drains
switchboard  what all connections share; who is let through
client       one client connection: requests in order, flow, ends
upstream     one upstream connection, owned by a client's
exchange     one request and its response: recorded and counted
heads        the few header lines that do not travel
addressing   which upstream a target is for
redaction    what of a head may be written down
refusals     answers of our own
dial         name, TCP, CONNECT, TLS; one try
sockets      writes with few calls, ends that can be told apart
counters     the relay's series on the page
"""
