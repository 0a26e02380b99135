"""LIVE: what stands in the traffic or reads it: wrap, serve, intercept, observe, and our own processes' entries."""
