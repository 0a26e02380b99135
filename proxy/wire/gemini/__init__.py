"""Google Gemini (wire-formats 4): `POST …/models/{model}:generateContent` and `:streamGenerateContent`.

dialect  its paths, its secrets, its readers
request  body and path to Request
reply    responses of a stream, or documents, to Reply
parts    content parts to Block
members  member names in both spellings
usage    usageMetadata to the billed sampling
"""
