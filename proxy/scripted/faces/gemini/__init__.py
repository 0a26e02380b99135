"""Google Gemini (wire-formats 4): whole, as server-sent events, and as one JSON array in pieces.

reading  contents in canonical form
writing  the response object, its usage, and its parts over a stream
face     the face itself
"""
