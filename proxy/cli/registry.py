"""Every command in the order of the help. Nothing here imports a command, so that starting up stays quick."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command as the help lists it."""

    group: str
    """The job: LOOK, LIVE, KEEP, HOUSE; empty for what only our own processes call."""
    usage: str
    """Its name, and what must follow it."""
    line: str
    """What it answers or does, in a few words."""
    example: str
    """One command line that works, without the program's name."""
    place: str
    """Module under `proxy.cli` that holds it."""

    @property
    def name(self) -> str:
        """What is typed."""
        return self.usage.split()[0]

    @property
    def attribute(self) -> str:
        """The command's name in its module."""
        return self.name.lstrip("_").replace("-", "_")


COMMANDS: tuple[Entry, ...] = (
    Entry("LOOK", "scan [PATH]...", "past sessions, nothing stored", "scan ~/.claude/projects", "look.scan"),
    Entry("LOOK", "status", "is it seeing my traffic", "status", "look.status"),
    Entry("LOOK", "sessions", "list; worst first", "sessions --looping --since 1h", "look.sessions"),
    Entry("LOOK", "session ID", "timeline, bill, re-reads", "session last --format html > s.html", "look.session"),
    Entry("LOOK", "explain ID", "why one call was flagged", "explain last:b1", "look.explain"),
    Entry("LOOK", "compare A B", "two sessions", "compare 7f3a 91c0", "look.compare"),
    Entry("LIVE", "wrap [--intercept] -- CMD", "one agent through a relay", "wrap -- claude", "live.wrap"),
    Entry("LIVE", "serve", "relay + observer", "serve --config gate.toml", "live.serve"),
    Entry("LIVE", "intercept [ca]", "HTTPS_PROXY door", "intercept --port 8766", "live.intercept"),
    Entry("LIVE", "observe", "observer alone", "observe --until-idle", "live.observe"),
    Entry("LIVE", "tools list|suggest|test", "classify your agent's tools", "tools suggest --write", "live.tools"),
    Entry("KEEP", "audit sample|import", "check the labels by hand", "audit sample > audit.csv", "keep.audit"),
    Entry("KEEP", "store size|verify|prune|forget|dump", "what is kept", "store forget --session 7f3a", "keep.store"),
    Entry("HOUSE", "demo", "one compaction, end to end", "demo", "house.demo"),
    Entry("HOUSE", "provider", "the scripted provider", "provider --port 8080", "house.provider"),
    Entry("HOUSE", "doctor", "what may be in the way", "doctor", "house.doctor"),
    Entry("HOUSE", "config init|show|check", "settings and their origins", "config show", "house.config"),
    Entry("HOUSE", "metrics", "every series with its help", "metrics", "house.metrics"),
    Entry("HOUSE", "completion SHELL", "completion for your shell", "completion bash", "house.completion"),
    Entry("HOUSE", "version", "what is installed", "version", "house.version"),
    Entry("", "_relay", "the relay's process", "_relay --spec FILE", "live.relay_process"),
    Entry("", "_intercept", "the intercept door's process", "_intercept --spec FILE", "live.intercept_process"),
    Entry("", "_observer", "the observer's process", "_observer --spec FILE", "live.observer_process"),
    Entry("", "_export", "the exporter's process", "_export --spec FILE", "live.export_process"),
)

GROUPS = tuple(dict.fromkeys(entry.group for entry in COMMANDS if entry.group))


def entry(name: str) -> Entry | None:
    """The command of that name."""
    return next((found for found in COMMANDS if found.name == name), None)
