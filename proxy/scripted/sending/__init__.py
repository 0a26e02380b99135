"""A reply as the bytes of an answer.

answer    whole or streamed, in time, and with what goes wrong on the way
encoding  frames as pieces, pieces in a content encoding
"""
