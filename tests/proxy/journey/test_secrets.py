"""What is kept besides contents holds nothing of what was said: figures, names, paths, digests alone."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.journey import Journey, Ports
from proxy.ledger.ledger import Instruments
from proxy.wire.body_secrets import BodySecrets
from tests.support.compaction import compact
from tests.support.journey import Client, Driver, call, price, read, result, shipped_rules, text, words

CANARY = "marmalade"
KEY = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa"
SAID = "\n".join(f"the {CANARY} stands in line {number} of it" for number in range(6))


class Watched(Driver):
    """Keeps everything that would be stored, as text."""

    def __init__(self) -> None:
        instruments = Instruments(tools=shipped_rules(), count=words, redact=BodySecrets().redact_text)
        super().__init__(Journey(Ports(instruments=instruments, price=price, source="live")))
        self.stored: list[str] = []

    def observe(self, exchange: Any) -> Any:
        observed = super().observe(exchange)
        self.stored += [repr(fact) for fact in observed.facts]
        self.stored += [f"{name}: {part.decode()}" for name, part in observed.parts.items()]
        assert observed.contents == ()
        return observed

    def holding(self, word: str) -> list[str]:
        return [one for one in self.stored if word.lower() in one.lower()]


@pytest.fixture
def client() -> Client:
    client = Client(Watched())
    client.system.append(text(f"Be kind. {SAID}"))
    client.user(text(SAID))
    return client


def holding(client: Client, word: str) -> list[str]:
    client.turn(text(SAID))
    compact(client, text(f"<system-reminder>{SAID}</system-reminder>"), summary=SAID)
    client.turn({"type": "thinking", "thinking": SAID, "signature": CANARY}, text(SAID))
    assert isinstance(client.driver, Watched)
    return client.driver.holding(word)


def test_nothing_of_what_was_read_or_said_is_kept(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), SAID)
    client.does(read("c2", "/repo/app.py"), f"<tool_use_error>{SAID}</tool_use_error>", is_error=True)
    client.does(call("c3", "Bash", command="make test"), [text(SAID), {"type": "image", "source": {"data": CANARY}}])
    assert holding(client, CANARY) == []


@pytest.mark.parametrize(
    "asked",
    [
        call("c1", "Write", file_path="/repo/a", content=SAID),
        call("c1", "Edit", file_path="/repo/a", old_string=SAID, new_string=SAID),
        call("c1", "MultiEdit", file_path="/repo/a", edits=[{"old_string": SAID, "new_string": SAID}]),
        call("c1", "NotebookEdit", notebook_path="/repo/a.ipynb", cell_id="1", new_source=SAID),
        call("c1", "Agent", description=SAID, prompt=SAID, subagent_type="Explore"),
        call("c1", "WebFetch", url="https://example.com/", prompt=SAID),
        call("c1", "TodoWrite", todos=[{"content": SAID}]),
        call("c1", "AskUserQuestion", questions=[{"question": SAID}]),
        call("c1", "Skill", skill="review", args=SAID),
        call("c1", "SendMessage", message=SAID),
        call("c1", "mystery", anything=SAID),
        call("c1", "write_file", path="/repo/a", contents=SAID),
        call("c1", "apply_patch", patch=SAID),
        call("c1", "str_replace_based_edit_tool", command="create", path="/repo/a", file_text=SAID),
        call("c1", "Bash", command=f"cat > notes.txt <<'EOF'\n{SAID}\nEOF"),
        call("c1", "Bash", command=f"echo '{SAID}' >> notes.txt"),
        call("c1", "Bash", command=f'git commit -m "{SAID}"'),
        call("c1", "Bash", command=f"python3 -c \"print('{SAID}')\""),
        call("c1", "Bash", command="make test", description=SAID),
        {"type": "tool_use", "id": "c1", "name": "Write", "input": SAID},
        {"type": "tool_use", "id": "c1", "name": "Bash", "input": SAID},
    ],
    ids=lambda asked: f"{asked['name']}: {str(asked['input'])[:40]}",
)
def test_nothing_that_a_call_writes_or_tells_is_kept(client: Client, asked: dict[str, Any]) -> None:
    client.does(asked, "done as asked for")
    assert holding(client, CANARY) == []


@pytest.mark.parametrize(
    "command",
    [
        f"curl -H 'x-api-key: {KEY}' https://example.com/v1",
        f"export ANTHROPIC_API_KEY={KEY} && make test",
        f"ANTHROPIC_API_KEY={KEY} python run.py",
        f"cat /repo/{KEY}",
        f"cd /repo/{KEY} && ls",
        f"grep -rn {KEY} /repo",
        f"{KEY}",
    ],
)
def test_no_credential_of_a_command_is_kept(client: Client, command: str) -> None:
    client.does(call("c1", "Bash", command=command), "done as asked for")
    client.does(call("c2", "Bash", command="cat app.py"), "one line of the file")
    assert holding(client, KEY) == []


def test_no_credential_of_a_head_or_of_the_clients_texts_is_kept(client: Client) -> None:
    client.system = [text(f"Working directory: /repo/{KEY}")]
    client.does(call("c0", "Bash", command="cd / && ls"), f"app.py\nShell cwd was reset to /repo/{KEY}")
    client.does(read("c1", f"/repo/{KEY}"), f"the key is {KEY}")
    client.user(result("nowhere", KEY))
    assert holding(client, KEY) == []
