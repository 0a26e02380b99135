"""`scan`: files to sessions, sessions to accounts, by several processes.

account   what one session's transcripts show, small enough to travel between processes
work      paths to accounts
overview  sums over all accounts
limits    limits for a policy, from the user's own history
"""
