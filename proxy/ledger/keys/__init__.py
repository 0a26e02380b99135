"""How the canonical key of a call is spelled: `action:resource:span` (S0-56).

paths      one spelling for each file, URL and query
spans      which part of a resource, as one text
arguments  what the arguments of a plain tool name
"""
