"""The outermost package: the command line that mounts everything.

cli  the console script `compaction-gate`
"""
