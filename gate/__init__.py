"""From evidence to a verdict, and the command line that mounts everything.

cli  the console script `compaction-gate`
"""
