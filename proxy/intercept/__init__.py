"""The intercept door: an HTTPS proxy between client and provider for clients whose base URL cannot be changed.

The same contract as the relay's as far as mitmproxy keeps it (`docs/intercept.md` says where it does not): bytes pass
as they came, a copy goes to a journal of its own. Only the configured upstreams are decrypted.

extra      what must be installed
settings   what the door is told
authority  our own certificate authority, and what clients must trust
hosts      which upstream a request is for, and what is decrypted
access     who may: proxy credentials, tokens, run tags
heads      judged and passed on by the relay's own rules
exchange   one request and its response: recorded and counted
observed   the exchanges under way, by client connection
addon      mitmproxy's hooks
egress     the network's own proxy
door       listens, looks after its connections, drains
quiet      mitmproxy's log lines, without what went by
"""
