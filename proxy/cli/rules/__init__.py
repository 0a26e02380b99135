"""What `tools` does: which rules are in force, what they miss, and what could be written for it.

seen      the tools of a store: class, calls, and the rules that decided
suggest   rules for what no rule names, guessed from names, with the reason for each
writing   puts rules into the user's file, and changes nothing else in it
reclass   what the rules of today make of stored calls
lines     the pages of `tools`
calls     arguments of stored calls, out of a full capture
"""
