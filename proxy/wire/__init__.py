"""Provider formats to canonical form: bytes in, values out, no I/O; nothing here raises on what the wire brought.

endpoint            which dialect an exchange speaks; the ordered registry of dialects
dialect             what a dialect is: the protocol a new one implements in one package
request_body        what every dialect does with a body before it looks inside
call_names          names for tool calls without an id of their own, and what each result answers
token_counts        counts of a usage object, or none
reply               ReplyReader: feed bytes, close, get a Reply; JSON or SSE, any split, any content encoding
content             bounded content decoding of the observer's copy
sse                 incremental server-sent events
json_values         bounded JSON reading, canonical JSON and its digest
body_secrets        secrets inside bodies, removed before anything is stored
reply_text          what may be kept of a reply's body
secret_paths        how a dialect says where its secrets stand
faults              what could not be read, bounded
anthropic_messages  the Anthropic Messages dialect
openai_responses    OpenAI Responses, over HTTP and WebSocket
websocket           calls over WebSocket, taken out of its recorded frames
openai_chat         Chat Completions, of OpenAI and of servers that speak it nearly
gemini              Gemini, of Google's API and of Vertex
"""
