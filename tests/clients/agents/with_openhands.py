"""An agent on the OpenHands SDK, with its own terminal and editor, and its condenser where asked for."""

from __future__ import annotations

import os
from typing import Any

from openhands.sdk import LLM, Agent, Conversation, Tool  # type: ignore[import-not-found]
from openhands.sdk.context.condenser import LLMSummarizingCondenser  # type: ignore[import-not-found]
from openhands.tools.file_editor import FileEditorTool  # type: ignore[import-not-found]
from openhands.tools.terminal import TerminalTool  # type: ignore[import-not-found]

from tests.clients.agents.job import Job, the_job

MODELS = {"responses": "openai/gpt-5.4", "chat": "openai/gpt-4o", "messages": "anthropic/claude-opus-4-8"}
"""litellm takes the newer ones of OpenAI to the Responses API."""
CONDENSE_AT_EVENTS, KEEP_FIRST = 12, 2


def model_for(job: Job) -> Any:
    """The model by litellm's name."""
    if job.snippet:
        return job.made("llm")
    return LLM(model=MODELS[job.dialect], api_key=os.environ["OPENAI_API_KEY"], usage_id="agent")


def main() -> None:
    """All conversations."""
    job = the_job()
    for talk in job.talks:
        llm = model_for(job)
        condenser = LLMSummarizingCondenser(llm=llm, max_size=CONDENSE_AT_EVENTS, keep_first=KEEP_FIRST)
        agent = Agent(
            llm=llm,
            tools=[Tool(name=TerminalTool.name), Tool(name=FileEditorTool.name)],
            condenser=condenser if job.compacts else None,
        )
        conversation = Conversation(agent=agent, workspace=os.getcwd())  # noqa: PTH109  it wants a string
        for prompt in talk:
            conversation.send_message(prompt)
            conversation.run()
        conversation.close()


if __name__ == "__main__":
    main()
