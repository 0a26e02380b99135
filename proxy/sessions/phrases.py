"""Short opening phrases by which the texts that clients write by themselves are recognised.

Only openings are kept here: the texts are their vendors'. A new client adds rows, nothing else.
"""

from __future__ import annotations

REMINDER = "<system-reminder>"
"""Opens a text block that a client adds by itself, at any place; it is not part of the conversation."""

REMINDER_END = "</system-reminder>"

VOLATILE_SYSTEM = ("x-anthropic-billing-header:",)
"""System blocks that change inside one session (wire-formats 5.1)."""

SUMMARY_REQUESTS = (
    "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
    "Your task is to create a detailed summary of the conversation so far",
    "You are performing a CONTEXT CHECKPOINT COMPACTION",
    "Generate a new <state_snapshot> based on the provided history",
    "Critically evaluate the <state_snapshot> you just generated",
    "<role>\nContext Extraction Assistant",
)
"""Openings of the user text that asks the model for a summary of the session so far: Claude Code, Codex, Gemini CLI,
LangChain."""

SUMMARY_SYSTEMS = (
    "You are a context summarization agent.",
    "You are a specialized system component responsible for distilling chat history",
    "You are maintaining a context-aware state summary",
    "*Briefly* summarize this partial conversation about programming.",
    "Summarize the provided coding session into a concise continuation note",
)
"""Openings of the system text of a call that does nothing but summarise: OpenCode, Gemini CLI, OpenHands, Aider,
Cline."""

CONTINUATIONS = (
    "This session is being continued from a previous conversation that ran out of context.",
    "Another language model started to solve this problem and produced a summary",
    "What did we do so far?",
    "I spoke to you previously about a number of things.",
    "Here is a summary of the conversation to date:",
)
"""Openings of the user text that carries a summary into the shortened history, or stands before it: Claude Code, Codex,
OpenCode, Aider, LangChain."""

COMPACT_COMMANDS = ("<command-name>/compact</command-name>",)
"""Openings of the text by which a client tells that the user asked for the compaction."""


def opens_with(text: str, openings: tuple[str, ...]) -> bool:
    """True when the text begins with one of the openings, leading white space aside."""
    return text.lstrip().startswith(openings)
