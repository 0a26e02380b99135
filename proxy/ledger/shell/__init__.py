"""What a shell command reads and changes, told from its text alone; nothing is ever run or looked up.

script    text to pipelines of simple commands; with words the only tree_sitter
words     what a word says, as far as the text tells
options   flags and operands of one command
programs  tables: which programs read, run or do nothing
access    the values that are passed on: what one command does to what
readers   programs that show content or facts: which resource, which part
editors   programs that show or change, by their options: sed, awk, find, curl, tee, …
slices    which lines a head, tail, sed or awk leaves
reading   what a whole script accesses, summed up
walk      a whole script: lists, pipelines, directories, wrappers; `read_command` is the entry

Sure ways only: what is not understood is `unknown`, never guessed (S0-109).
"""
