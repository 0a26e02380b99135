"""KEEP: what is stored. store size, verify, prune, forget, dump; audit sample, import."""
