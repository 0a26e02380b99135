"""LOOK: what happened. status, sessions, session, explain."""
