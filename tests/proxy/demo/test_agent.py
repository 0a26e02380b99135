from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.demo.agent import ASK_FOR_SUMMARY, Agent, Limits
from proxy.demo.tools import Toolbox
from proxy.model.errors import UnreachableError
from proxy.scripted.actions import Fault, FaultKind, Read, Say, Write
from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.script import Need, Script, Step
from proxy.scripted.settings import ProviderSettings

LINE = "line 500\n"
SCRIPT = Script(
    name="work",
    steps=(
        Step(do=(Read("big.txt"),)),
        Step(do=(Read("small.txt"),)),
        Step(do=(Write("out.txt", LINE),), needs=(Need(path="big.txt", shows=LINE),)),
        Step(do=(Say("Done."),)),
    ),
)
FAILING = Script(name="failing", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.STATUS, times=9)),))
ENDLESS = Script(name="endless", steps=(Step(do=(Read("small.txt"),)),) * 99)


def agent_at(url: str, folder: Path, *, context_tokens: int = 10**9) -> Agent:
    (folder / "big.txt").write_text("".join(f"line {n}\n" for n in range(900)), encoding="utf-8")
    (folder / "small.txt").write_text("small\n", encoding="utf-8")
    return Agent(url, "test", "scripted-1", "Be careful.", Toolbox(folder, {}), Limits(context_tokens=context_tokens))


def provider() -> Provider:
    return Provider(ProviderSettings(scripts=(SCRIPT, FAILING, ENDLESS), deterministic=True))


def reads(server: Provider) -> list[str]:
    return [call["input"]["path"] for served in server.ledger() for call in served.calls if call["name"] == "read_file"]


async def test_it_works_until_the_model_has_nothing_more_to_run(tmp_path: Path) -> None:
    server = provider()
    async with serving(server) as url, agent_at(url, tmp_path) as agent:
        assert await agent.work("Go on [script work]") == "Done."
    assert (tmp_path / "out.txt").read_text("utf-8") == LINE
    assert reads(server) == ["big.txt", "small.txt"]
    assert (agent.turns, agent.compactions) == (4, 0)


async def test_it_compacts_once_over_its_limit_and_then_lacks_what_it_had_read(tmp_path: Path) -> None:
    server = provider()
    async with serving(server) as url, agent_at(url, tmp_path, context_tokens=2000) as agent:
        assert await agent.work("Go on [script work]") == "Done."
    assert agent.compactions >= 1
    assert reads(server)[:3] == ["big.txt", "small.txt", "big.txt"]
    summary = next(served for served in server.ledger() if served.purpose == "summary")
    assert summary.request["messages"][-1]["content"][-1]["text"] == ASK_FOR_SUMMARY
    after = server.ledger()[summary.number].request["messages"]
    assert [message["role"] for message in after] == ["user", "assistant", "user"]
    assert re.search(r"\[script work after \d\]", after[0]["content"][0]["text"])


async def test_an_error_of_the_model_ends_the_work(tmp_path: Path) -> None:
    async with serving(provider()) as url, agent_at(url, tmp_path) as agent:
        with pytest.raises(UnreachableError, match="status 529"):
            await agent.work("[script failing]")


async def test_a_model_that_does_not_answer_ends_the_work(tmp_path: Path) -> None:
    async with serving(provider()) as url:
        pass
    async with agent_at(url, tmp_path) as agent:
        with pytest.raises(UnreachableError, match=url):
            await agent.work("anything")


async def test_a_model_that_never_ends_is_left(tmp_path: Path) -> None:
    async with serving(provider()) as url, agent_at(url, tmp_path) as agent:
        with pytest.raises(UnreachableError, match="did not end"):
            await agent.work("[script endless]")
