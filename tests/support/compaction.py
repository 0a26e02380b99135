"""A compaction as Claude Code does it: a summarising call, then a history that begins with the summary."""

from __future__ import annotations

from tests.support.journey import Client, Json, text

CONTINUATION = "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n"
ASK = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a summary."
SUMMARY = "The user wants the timeout changed.\nTwo files were looked at in detail.\nNext the value is edited."
SECOND = "A second summary now.\nIt holds other words than the first.\nNothing of the file."


def compact(client: Client, *attached: Json, summary: str = SUMMARY) -> None:
    """Both calls' worth of history; the first request after it is not sent yet."""
    client.user(text(ASK))
    client.turn(text(f"<analysis>so far</analysis>\n<summary>\n{summary}\n</summary>"), keep=False)
    client.messages = [{"role": "user", "content": [text(CONTINUATION + summary), *attached]}]


def cleared(count: int) -> Json:
    """What a reply says when the provider left out the oldest results."""
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": count, "cleared_input_tokens": 1000}
    return {"context_management": {"applied_edits": [edit]}}
