"""OpenAI Responses (wire-formats 2): `POST …/responses`, its calls over WebSocket, `POST …/responses/compact`.

dialect  its paths, its secrets, its readers
request  body, or `response.create` frame, to Request
items    input and output items to messages and blocks
tools    tool definitions to Tool
reply    stream events or document to Reply
streamed one output item while its events arrive
usage    usage object to the billed sampling
"""
