"""Anthropic Messages (wire-formats 1): `POST /v1/messages`, streamed and not.

dialect  its paths, its secrets, its readers
request  body to Request
reply    stream events or document to Reply
blocks   content blocks to Block
usage    usage object to billed iterations
"""
