"""HTTP/1.1 framing without I/O: bytes in, raw slices and the payload inside them out.

faults    what may be wrong with a message, one name each
memo      what small byte strings mean, remembered
lines     header lines: what one says, and who must look at it
head      request and response heads as values
judge     llhttp reads the same head; both must agree
chunked   chunk framing of a body
framer    where messages begin and end in a stream of bytes

The rules of the package: what was received is never changed, copied only where it is cut, and refused
rather than repaired. Nothing here looks at payload bytes.
"""
