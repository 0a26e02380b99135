"""What is known of one session, and the words and marks in which every surface tells it: pure functions.

story     everything that is known of one session, and what follows from it
figures   numbers, money, times and shares as a person reads them
axis      turns and boundaries to columns
marks     the classes of calls as marks, the threads as lanes, the misses of the prompt cache
banner    the lines above every page of one session
audit     how often a person agrees with the class of a call
proportion  intervals of a share
bill      the bill of a boundary as rows
dropped   what a boundary dropped, what was fetched again first
comparison  two sessions side by side
answers   what tools answered, out of a full capture
naming    the names that `explain` understands
showable  what may be shown of a text that traffic wrote
"""
