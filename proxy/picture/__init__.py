"""One session as a picture: facts in, text out. No I/O, no clock, nothing from outside the page.

drawing   elements and texts, escaped for XML and HTML
shapes    one shape and one colour for each class of call
frame     how wide a picture is, and what its columns stand for
area      the context as it was billed, and by kind
kinds     what the context held by kind
lanes     one lane for each thread, one tick for each call
arcs      from each re-read back to what it repeats
costs     what each turn was billed, and where the prompt cache was not read
boundaries  a band and a label for each compaction
tips      what a tick says when it is looked at
legend    what its signs mean
svg       the panels, put together
page      the self-contained HTML file around it
"""
