"""The relay's counters in one fixed mmap page: one writer, readers without locks.

table   every metric with its kind, help, labels and buckets, and where each of its values stands
memory  the page itself: `Page` for the relay, `PageReader` for everybody else
"""
