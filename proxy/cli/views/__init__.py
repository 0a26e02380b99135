"""Facts to lines of text: pure functions, tested as such.

columns   rows to aligned text
curve     the context as a line
lanes     one row of marks for each thread
session, sessions, status, explain, compare, doctor
          the pages
session_json
          one session for programs (docs/session-json.md)
"""
