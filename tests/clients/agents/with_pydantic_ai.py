"""An agent on Pydantic-AI: Responses, Chat Completions, Anthropic Messages, Gemini."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent  # type: ignore[import-not-found]
from pydantic_ai.models.anthropic import AnthropicCompaction  # type: ignore[import-not-found]
from pydantic_ai.models.openai import OpenAICompaction  # type: ignore[import-not-found]

from tests.clients.agents.job import SYSTEM, TOOLS, Job, the_job

PREFIXES = {"responses": "openai-responses", "chat": "openai-chat", "messages": "anthropic", "gemini": "google"}
COMPACT_AT_TOKENS = 9_000


def agent_for(job: Job) -> Any:
    """The agent with its tools."""
    if job.snippet:
        agent = job.made("agent")
    else:
        agent = Agent(f"{PREFIXES[job.dialect]}:{job.model}", system_prompt=SYSTEM, capabilities=compaction(job))
    for tool in TOOLS:
        agent.tool_plain(tool)
    return agent


def compaction(job: Job) -> list[Any]:
    """The provider's own, where it is asked for."""
    if not job.compacts:
        return []
    if job.dialect == "messages":
        return [AnthropicCompaction(token_threshold=COMPACT_AT_TOKENS)]
    return [OpenAICompaction(token_threshold=COMPACT_AT_TOKENS)]


def main() -> None:
    """All conversations."""
    job = the_job()
    agent = agent_for(job)
    for talk in job.talks:
        history: list[Any] = []
        for prompt in talk:
            history = agent.run_sync(prompt, message_history=history).all_messages()


if __name__ == "__main__":
    main()
