"""What clients ask beside the work: summaries of their history, titles, answers in a given form.

Clients are told by how such a request begins; never more than these openings is kept here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from proxy.scripted.view import View

Json = Mapping[str, Any]

CLAUDE_SUMMARY = "<analysis>\nThe work is plain.\n</analysis>\n<summary>\n{}\n</summary>"
STATE_SNAPSHOT = "<scratchpad>\nThe work is plain.\n</scratchpad>\n<state_snapshot>\n{}\n</state_snapshot>"


class Opening(NamedTuple):
    """How a request for a summary begins, and the form in which the client takes it."""

    words: str
    form: str = "{}"


PROMPTS: Sequence[Opening] = (
    Opening("CRITICAL: Respond with TEXT ONLY", CLAUDE_SUMMARY),
    Opening("Your task is to create a detailed summary", CLAUDE_SUMMARY),
    Opening("You are performing a CONTEXT CHECKPOINT COMPACTION"),
    Opening("Create a new anchored summary"),
    Opening("Update the anchored summary"),
    Opening("Provide a detailed prompt for continuing our conversation"),
    Opening("Context Extraction Assistant"),
    Opening("You are maintaining a context-aware state summary"),
    Opening("<role>\nContext Extraction Assistant"),
)
"""In the last thing the user says: Claude Code, Codex, OpenCode (three forms), LangChain, OpenHands."""

SYSTEMS: Sequence[Opening] = (
    Opening("*Briefly* summarize this partial conversation"),
    Opening("You are the component that summarizes internal chat history", STATE_SNAPSHOT),
    Opening("You are a specialized system component responsible for distilling chat history", STATE_SNAPSHOT),
    Opening("You are a context summarization agent"),
    Opening("Summarize the provided coding session"),
    Opening("You are maintaining a context-aware state summary"),
    Opening("You are a helpful AI assistant tasked with summarizing conversations"),
)
"""In the system prompt: Aider, Gemini CLI (two forms), OpenCode (two forms), Cline, OpenHands."""

TITLES = ("Generate a title for this conversation", "You are a title generator")
"""Anywhere in what a request says."""


class Aside(NamedTuple):
    """An answer that is no turn of the work."""

    purpose: str
    """`summary` or `side`."""
    text: str


def aside_of(view: View, schema: Json | None, summarise: Callable[[View], str]) -> Aside | None:
    """The answer when a request is about something else than the work; None for the work itself."""
    system = view.system()
    if any(title in text for title in TITLES for text in (system, *view.prompts())):
        return Aside("side", "Scripted work")
    for openings, text in ((PROMPTS, view.last_prompt()), (SYSTEMS, system)):
        for opening in openings:
            if opening.words in text:
                return Aside("summary", opening.form.format(summarise(view)))
    if schema is not None and not view.tools:
        return Aside("side", json.dumps(example_of(schema)))
    return None


def example_of(schema: Json) -> Any:  # noqa: ANN401  JSON
    """The least value that a JSON schema allows, as far as its simple words go."""
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if str(kind).lower() == "object":
        properties = schema.get("properties") or {}
        return {name: example_of(properties.get(name, {"type": "string"})) for name in schema.get("required") or ()}
    return schema.get("minimum", LEAST.get(str(kind).lower(), ""))


LEAST: Mapping[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "null": None}
