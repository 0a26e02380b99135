"""One session that holds a call of every class, driven through the real journey."""

from __future__ import annotations

from proxy.model.facts import (
    BoundaryFact,
    CallFact,
    DropFact,
    IterationFact,
    Label,
    ObservationFact,
    SessionFact,
    ThreadFact,
    TurnFact,
)
from proxy.story.story import Story
from tests.support.compaction import compact
from tests.support.journey import Client, Driver, Run, a_file, bash, call, numbered, read, text

STUB = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."
REFUSAL = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
BEFORE = ("app", "db", "log", "net", "page", "form")


def a_session_of_every_class() -> Story:
    """Six files read, one compaction, and what an agent may do then."""
    client = Client(Driver())
    client.user(text("change the timeout"))
    files = {name: a_file(name) for name in BEFORE}
    for name, lines in files.items():
        kept = lines[2:6] if name == "net" else lines
        span = {"offset": 3, "limit": 4} if name == "net" else {}
        client.does(read(f"first-{name}", f"/repo/{name}.py", **span), numbered(kept, 3 if name == "net" else 1))
    client.does(read("visible", "/repo/app.py"), numbered(files["app"]))
    client.does(read("failed", "/repo/none.py"), "<tool_use_error>File does not exist.</tool_use_error>", is_error=True)
    compact(client)
    client.does(read("attempted", "/repo/app.py"), STUB)
    client.does(read("exact", "/repo/app.py"), numbered(files["app"]))
    client.does(read("subset", "/repo/db.py", offset=3, limit=4), numbered(files["db"][2:6], 3))
    client.does(read("superset", "/repo/net.py"), numbered(files["net"]))
    more = [*files["log"][6:], *(f"a line that came later, number {place}" for place in range(4))]
    client.does(read("overlap", "/repo/log.py", offset=7, limit=10), numbered(more, 7))
    client.does(bash("variant", "head -500 page.py"), "\n".join(files["page"]))
    client.does(call("edit", "Edit", file_path="/repo/form.py", old_string="1", new_string="2"), REFUSAL, is_error=True)
    client.does(read("forced", "/repo/form.py"), numbered(files["form"]))
    client.does(read("refresh", "/repo/app.py"), numbered([*files["app"], "and a new line at the end"]))
    client.does(call("unknown", "frobnicate", thing="x"), "something came back from there")
    client.asks(read("unanswered", "/repo/late.py"))
    client.user(text("stop that, do something else"))
    client.asks(read("pending", "/repo/last.py"))
    return story_of(client.driver.run)


def story_of(run: Run) -> Story:
    """A run's facts as a reader gives them."""
    session = run.of(SessionFact)[-1]
    return Story(
        session=session,
        threads=run.of(ThreadFact),
        turns=run.of(TurnFact),
        iterations=run.of(IterationFact),
        calls=sorted(run.of(CallFact), key=lambda one: (one.thread, one.turn, one.index)),
        observations=run.of(ObservationFact),
        boundaries=run.of(BoundaryFact),
        drops=run.of(DropFact),
    )


def call_of(story: Story, name: str) -> CallFact:
    """The call that the session gives this name."""
    return next(one for one in story.calls if one.call == name)


EXPECTED: dict[str, Label] = {
    "first-app": Label.ACQUISITION,
    "visible": Label.REPEAT_VISIBLE,
    "failed": Label.FAILED,
    "attempted": Label.ATTEMPTED,
    "exact": Label.REACQUISITION,
    "subset": Label.SUBSET,
    "superset": Label.SUPERSET,
    "overlap": Label.OVERLAP,
    "variant": Label.VARIANT,
    "forced": Label.FORCED,
    "refresh": Label.REFRESH,
    "unknown": Label.NOT_RETRIEVAL,
    "unanswered": Label.NO_RESULT,
    "pending": Label.PENDING,
}
