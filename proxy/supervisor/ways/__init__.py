"""The ways by which a wrapped command's requests reach the live door, and what the command is told for it.

base_url   the command is told another base URL: a relay
providers  the same for clients of other providers than Anthropic
proxied    the command is told a proxy and certificates: the intercept door
wish       which of them is wanted, and the way through the door that is found
"""
