"""The relay and everything observed on the way.

    agent ── relay ── provider            live path: bytes only
               │ copy
            journal                       the seam: nothing behind it can touch the live path
               │
            observer                      reads segments, drives the journey, commits per turn
               │
            journey                       no I/O: bytes in, facts out; read this file first
       wire ▸ sessions ▸ ledger
               │
        store · metrics                   sinks of facts

framing     HTTP/1.1 framing as tables: where a message begins and ends; no I/O
relay       the live path: client and upstream connections, addressing, redaction, TLS
page        the relay's counters in one fixed mmap page, read by others
journal     append-only segments: what was relayed, with times
wire        provider formats to canonical form: bytes in, values out
accounting  reference tokens and prices
sessions    which conversation and history a call belongs to; boundaries
ledger      what the agent has seen, and what it had to fetch again
journey     the straight line through wire, sessions and ledger
transcripts what clients wrote down by themselves, as calls for the journey
observer    journal to journey to store
store       the only SQLAlchemy
metrics     the only prometheus_client
export      spans to an OTLP collector; the only opentelemetry
story       one session as terminal and picture tell it
picture     a session as one SVG, one self-contained page
intercept   the other door: an HTTPS proxy; the only mitmproxy
scripted    a provider that follows a script: demo, tests, bench
wiring      settings to objects: the only place where processes are put together
supervisor  starts, restarts and drains the processes; one scrape target
cli, demo   what a person types
"""
