"""OpenAI Chat Completions and the servers that speak it nearly (wire-formats 3): `POST …/chat/completions`.

dialect  its paths, its secrets, its readers
request  body to Request
reply    chunks or document to Reply
calls    fragments of tool calls to whole ones
blocks   messages to Block
usage    usage object to the billed sampling
"""
