"""A few calls on bare litellm, as Aider and mini-swe-agent make them: only to run the lines that name a session."""

from __future__ import annotations

import json
from typing import Any

from tests.clients.agents.job import read_file, the_job

READ: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "read_file",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


def main() -> None:
    """All conversations."""
    job = the_job()
    complete = job.made("complete")
    for talk in job.talks:
        history: list[Any] = []
        for prompt in talk:
            history.append({"role": "user", "content": prompt})
            while calls := _turn(complete, history):
                history += [_answer(call) for call in calls]


def _turn(complete: Any, history: list[Any]) -> list[Any]:
    message = complete(messages=history, tools=[READ]).choices[0].message
    history.append(message.model_dump(exclude_none=True))
    return message.tool_calls or []


def _answer(call: Any) -> dict[str, Any]:
    arguments = json.loads(call.function.arguments)
    return {"role": "tool", "tool_call_id": call.id, "content": read_file(arguments["path"])}


if __name__ == "__main__":
    main()
