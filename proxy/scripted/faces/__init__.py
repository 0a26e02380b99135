"""The dialects of a scripted provider: each face reads a request into canonical form and writes a reply out of it.

face       what a face is; errors in its words
rows       items of a history gathered into messages
identity   the session and sub-agent that a client names
seals      opaque texts that only this provider can open
messages   Anthropic Messages
responses  OpenAI Responses, also over WebSocket
chat       Chat Completions, also as compatible servers speak it
gemini     Google Gemini

They do not use `proxy.wire`: what the provider saw must not depend on the reader that is compared with it.
"""
