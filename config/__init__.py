"""Settings: typed, frozen, and every value knows where it came from. A leaf that imports nobody of ours.

errors    SettingsError: key, value, origin, and what was expected
settings  the models; `defaults/compaction-gate.toml` holds every default, so that there is one place to read
keys      the known keys, their environment names, and the nearest one to a misspelling
layers    defaults < file < environment < command line, as flat tables
load      layers to `Loaded(settings, origins)`
"""
