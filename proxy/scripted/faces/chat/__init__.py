"""Chat Completions (wire-formats 3): as OpenAI speaks it, and as compatible servers do.

servers  the deviations of compatible servers, by name
reading  messages in canonical form
writing  the completion object and its usage
stream   a completion as chunks
face     the face itself
"""
