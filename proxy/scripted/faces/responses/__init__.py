"""OpenAI Responses (wire-formats 2): over HTTP whole or streamed, over WebSocket, and its compaction endpoint.

memory    histories that the provider holds, and the opaque texts it has given out
reading   items as messages
writing   content blocks as items; the response object and its usage
events    a response as the events of its stream
face      the face itself; the WebSocket and compaction variants
"""
