"""An agent on the OpenAI Agents SDK: Responses or Chat Completions, a sub-agent, the provider's compaction."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from agents import (  # type: ignore[import-not-found]
    Agent,
    OpenAIResponsesCompactionSession,
    Runner,
    SQLiteSession,
    function_tool,
    set_default_openai_api,
)

from tests.clients.agents.job import SYSTEM, TOOLS, Job, the_job

MOST_TURNS = 40


def agent_for(job: Job) -> Any:
    """The agent with its tools, and one that it can hand work to."""
    tools = [function_tool(tool) for tool in TOOLS]
    helper = Agent(name="helper", instructions="You help.", model=job.model, tools=tools)
    handed = helper.as_tool(tool_name="ask_helper", tool_description="Hand work to the helper.")
    return Agent(name="worker", instructions=SYSTEM, model=job.model, tools=[*tools, handed])


async def main() -> None:
    """All conversations."""
    job = the_job()
    set_default_openai_api("chat_completions" if job.dialect == "chat" else "responses")
    if job.snippet:
        job.run()
    agent = agent_for(job)
    for talk in job.talks:
        name = str(uuid.uuid4())
        session: Any = SQLiteSession(name)
        if job.compacts:
            session = OpenAIResponsesCompactionSession(name, underlying_session=session)
        for prompt in talk:
            if job.route.endswith("streamed"):
                run = Runner.run_streamed(agent, prompt, session=session, max_turns=MOST_TURNS)
                async for _ in run.stream_events():
                    pass
            else:
                await Runner.run(agent, prompt, session=session, max_turns=MOST_TURNS)


if __name__ == "__main__":
    asyncio.run(main())
