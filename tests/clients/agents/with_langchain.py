"""An agent on LangChain and LangGraph: Chat Completions (whole or streamed), or Anthropic Messages."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent  # type: ignore[import-not-found]
from langchain.agents.middleware import SummarizationMiddleware  # type: ignore[import-not-found]
from langchain_anthropic import ChatAnthropic  # type: ignore[import-not-found]
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]
from langgraph.checkpoint.memory import InMemorySaver  # type: ignore[import-not-found]

from tests.clients.agents.job import SYSTEM, TOOLS, Job, the_job

SUMMARISE_AT_MESSAGES, KEEP_MESSAGES = 12, 3
MOST_STEPS = 200


def model_for(job: Job) -> Any:
    """The chat model."""
    if job.snippet:
        return job.made("model")
    if job.dialect == "messages":
        return ChatAnthropic(model=job.model)
    return ChatOpenAI(model=job.model, use_responses_api=job.dialect == "responses")


def main() -> None:
    """All conversations, each a thread of the checkpointer."""
    job = the_job()
    model = model_for(job)
    summed_up = SummarizationMiddleware(
        model,
        trigger=("messages", SUMMARISE_AT_MESSAGES),
        keep=("messages", KEEP_MESSAGES),
        trim_tokens_to_summarize=None,
    )
    middleware = [summed_up] if job.compacts else []
    agent = create_agent(
        model, tools=list(TOOLS), system_prompt=SYSTEM, middleware=middleware, checkpointer=InMemorySaver()
    )
    for number, talk in enumerate(job.talks):
        config = {"configurable": {"thread_id": f"talk-{number}"}, "recursion_limit": MOST_STEPS}
        for prompt in talk:
            asked = {"messages": [{"role": "user", "content": prompt}]}
            if job.route.endswith("streamed"):
                for _ in agent.stream(asked, config, stream_mode="messages"):
                    pass
            else:
                agent.invoke(asked, config)


if __name__ == "__main__":
    main()
