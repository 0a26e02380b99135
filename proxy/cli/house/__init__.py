"""HOUSE: demo, provider, doctor, config, metrics, completion, version."""
