"""LIVE: what stands in the traffic or reads it. wrap, serve, observe, and the entries of our own processes."""
