"""Settings to objects: the only place where processes are wired together.

folder    the data folder: what stands where, and who may use it
settings  settings to specs
spec      what a child process is told, as a small file without secrets
inputs    looks at the files that settings name
relay     a relay's process; imports nothing that stands behind the journal
intercept the intercept door's process, likewise; imports mitmproxy, so only the process itself imports it
observer  an observer's process
export    an exporter's process; imports opentelemetry, so only the process itself imports it
version   what is installed
logs      log lines, as text or JSON
"""
