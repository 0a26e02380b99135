"""LOOK: what happened. scan, status, sessions, session, explain, compare."""
