"""What a person types: one small file for each command, grouped by job as in the help.

registry    every command: its group, its file, one line, one example
root        the group that shows them, global options, late imports
page        a help page that ends with one example
invocation  what the global options say, and the settings behind them
options     options that several commands share
failures    exceptions to exit codes; our own faults to a report without contents
look, live, keep, house
            the commands
rules, auditing, scanning
            what `tools`, `audit` and `scan` do
views       facts to lines of text: pure functions
"""
