"""Canonical types: frozen, slotted dataclasses that know nobody.

exchange  one finished HTTP exchange, as bytes with times
messages  a model call in canonical form: Request, Reply, Block
usage     billed tokens and money
facts     what the journey found; one fact class is one table
ids       names of things
errors    the error tree
"""
