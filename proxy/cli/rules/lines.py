"""The pages of `tools`: rules, tools seen, suggestions, and how one call is understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from proxy.cli.rules.seen import SeenTool
from proxy.cli.rules.suggest import Suggestion, as_yaml
from proxy.cli.views.columns import aligned
from proxy.ledger.results import ResultText
from proxy.ledger.rules import Document
from proxy.ledger.tools import Access
from proxy.model.facts import ToolClass
from proxy.story import figures
from proxy.story.figures import shortened

MOST_NAMES = 44
"""Characters of the tools that one rule names."""
SHIPPED = "shipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule in force, in the order in which they are asked."""

    client: str
    tools: Sequence[str]
    tool_class: str
    action: str
    origin: str
    """File and line."""

    @classmethod
    def of(cls, entry: Mapping[str, Any], origin: str) -> Rule:
        """From a validated entry."""
        kind = "by its command" if entry["shell"] else entry["class"]
        line = str(entry["at"]).rpartition(":")[2]
        return cls(
            client=entry["client"],
            tools=entry["tool"],
            tool_class=kind,
            action=entry["action"],
            origin=f"{origin}:{line}",
        )


def rules_of(documents: Sequence[Document], files: Sequence[str]) -> list[Rule]:
    """All of them; documents beyond the user's files are shipped."""
    origins = [*files, *([SHIPPED] * (len(documents) - len(files)))]
    return [
        Rule.of(entry, origin)
        for document, origin in zip(documents, origins, strict=True)
        for entry in document["tools"]
    ]


def rule_lines(rules: Sequence[Rule]) -> list[str]:
    """A table."""
    own = sum(not rule.origin.startswith(f"{SHIPPED}:") for rule in rules)
    rows = [("client", "tools", "class", "action", "from")]
    rows += [
        (rule.client, shortened(", ".join(rule.tools), MOST_NAMES), rule.tool_class, rule.action, rule.origin)
        for rule in rules
    ]
    head = f"{figures.plural(len(rules), 'rule')} in force, {own} of yours; the first that fits client and tool decides"
    return [head, *aligned(rows, indent=1)]


def seen_lines(seen: Sequence[SeenTool]) -> list[str]:
    """A table, and the share that no rule understands."""
    calls = sum(one.calls for one in seen)
    rows = [("client", "tool", "class", "calls", "share", "decided by")]
    rows += [
        (
            one.client or "unknown",
            shortened(one.tool, MOST_NAMES) or "(name not kept)",
            " + ".join(
                f"{kind} {count:,}" if len(one.classes) > 1 else kind for kind, count in one.classes.most_common()
            ),
            f"{one.calls:,}",
            figures.share(one.calls, calls),
            ", ".join(rule or "not kept" for rule, _ in one.rules.most_common(3)),
        )
        for one in seen
    ]
    unknown = sum(one.classes[ToolClass.UNKNOWN] for one in seen)
    share = figures.share(unknown, calls)
    head = f"{figures.plural(len(seen), 'tool')} seen in {figures.plural(calls, 'call')}; unknown: {share} of the calls"
    lines = [head, *aligned(rows, right=(3, 4), indent=1)]
    return [*lines, "next: compaction-gate tools suggest"] if unknown else lines


def suggestion_lines(found: Sequence[Suggestion]) -> Iterator[str]:
    """Rules as they would stand in tools.yaml, then what could not be guessed."""
    for section in ("tools", "programs"):
        own = [one for one in found if one.section == section and one.rule]
        if own:
            yield f"{section}:"
            yield from as_yaml(own)
    for one in found:
        if not one.rule:
            yield f"# {shortened(one.subject, MOST_NAMES)!r}: {one.comment}"


def access_lines(access: Access) -> list[str]:
    """How one call is understood."""
    written = ["anything" if name == "" else name for name in access.mutates]
    rows = [
        ("class", str(access.tool_class)),
        ("action", access.action or "none"),
        ("resource", access.resource or "none"),
        ("span", access.span or "the whole"),
        ("key", access.key),
        *(("and", " ".join(filter(None, (more.resource, more.span)))) for more in access.more),
        ("mutates", ", ".join(written) or "nothing"),
        ("polling", "yes: asked again because the answer changes" if access.polling else "no"),
        ("rule", access.rule),
    ]
    return aligned(rows, indent=1)


def answer_lines(answer: ResultText) -> list[str]:
    """What is compared of an answer."""
    text = answer.text
    rows = [
        ("answer", f"{answer.kind}{f', {answer.error_type}' if answer.error_type else ''}"),
        ("compared", f"{figures.plural(len(text.splitlines()), 'line')}, sha256 {sha256(text.encode()).hexdigest()}"),
    ]
    return aligned(rows, indent=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassed:
    """Calls of one tool: as what they are stored, and what the rules of today make of them."""

    tool: str
    stored: str
    now: str
    rule: str
    calls: int

    @property
    def differs(self) -> bool:
        """Whether a new observation would give another class."""
        return self.now not in (self.stored, NOT_SAID)


NOT_SAID = "arguments not kept"


def reclassed_lines(found: Sequence[Reclassed]) -> list[str]:
    """What would change, first."""
    rows = [("", "tool", "calls", "stored as", "today", "rule")]
    ordered = sorted(found, key=lambda one: (not one.differs, -one.calls, one.tool, one.stored))
    rows += [
        (
            "CHANGED" if one.differs else "",
            shortened(one.tool, MOST_NAMES),
            f"{one.calls:,}",
            one.stored,
            one.now,
            one.rule,
        )
        for one in ordered
    ]
    changed = sum(one.calls for one in found if one.differs)
    unsaid = sum(one.calls for one in found if one.now == NOT_SAID)
    foot = f"{figures.plural(changed, 'call')} of {sum(one.calls for one in found):,} would be another class"
    if unsaid:
        foot += f'; {unsaid:,} cannot be said: arguments are kept at capture.contents = "full" alone'
    return [*aligned(rows, right=(2,)), foot]
