"""HOUSE: demo, provider, doctor, config, metrics, version."""
