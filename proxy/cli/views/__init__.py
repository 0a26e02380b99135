"""Facts to lines of text: pure functions, tested as such.

figures   numbers, money, times and shares as a person reads them
columns   rows to aligned text
story     everything that is known of one session, and what follows from it
axis      turns and boundaries to columns of a terminal
curve     the context as a line
lanes     one row of marks for each thread
session, sessions, status, explain
          the pages
session_json
          one session for programs (docs/session-json.md)
"""
