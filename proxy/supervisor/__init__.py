"""Starts, restarts and drains the processes; one scrape target. If it dies the relay goes on.

children    one process of ours: started, or found running
running     what runs on a data folder, for whoever comes next
supervisor  the line: lock, socket, relay, observer, restarts, drain
admin       /healthz /readyz /metrics
scrape      all sources to one page of metrics
service     `serve` from start to end
wrap        `wrap` from start to end
variables   what a wrapped command is told, and what it loses
lag         how far the observer is behind
totals      the store's facts as counters
"""
