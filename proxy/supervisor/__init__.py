"""Starts, restarts and drains the processes; one scrape target. If it dies the relay goes on.

children    one process of ours: started, or found running
running     what runs on a data folder, for whoever comes next
supervisor  the line: lock, socket, live door, observer, restarts, drain
listening   the door's socket: made here, or handed over by systemd
admin       /healthz /readyz /metrics
scrape      all sources to one page of metrics
service     `serve` from start to end
wrap        `wrap` from start to end
ways        what a wrapped command is told, and what it loses: a base URL, or a proxy
lag         how far the observer is behind
totals      the store's facts as counters
bills       what compactions cost, added up
"""
