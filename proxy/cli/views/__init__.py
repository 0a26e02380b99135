"""Facts to lines of text: pure functions, tested as such.

terminal  what every page and table passes before it is printed
columns   rows to aligned text
curve     the context as a line
lanes     one row of marks for each thread
session, sessions, status, explain, compare, doctor, scan, bill
          the pages
session_json, scan_json
          one session, one scan for programs (docs/session-json.md, docs/scan.md)
"""
