"""Facts to lines of text: pure functions, tested as such.

columns   rows to aligned text; what every page passes before it is printed
curve     the context as a line
lanes     one row of marks for each thread
session, sessions, status, explain, compare, doctor, scan, bill
          the pages
session_json, scan_json
          one session, one scan for programs (docs/session-json.md, docs/scan.md)
"""
