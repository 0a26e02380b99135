"""Programs that show content or facts: which resources, which part of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proxy.ledger.keys import spans
from proxy.ledger.keys.spans import Lines
from proxy.ledger.shell import slices
from proxy.ledger.shell.access import (
    ANYTHING,
    NOTHING,
    Argument,
    Call,
    Effect,
    Kind,
    Target,
    narrowed,
    passes,
    reads,
    text_of,
)
from proxy.ledger.shell.options import Options, split, words
from proxy.ledger.shell.programs import FACTS, FILTERS, INSPECTORS, VALUED

_NUMBERING = {"cat": ("-n", "--number"), "bat": ("-n", "--number"), "batcat": ("-n", "--number")}
_PLAIN = {
    "-p",
    "-pp",
    "--plain",
    "--paging",
    "--color",
    "-P",
    "--style",
    "-n",
    "--number",
    "-R",
    "-F",
    "-X",
    "-S",
    "-N",
}
_BAT_VALUED = words("-l -r -H --language --line-range --style --color --paging --theme --highlight-line")

_GREP_VALUED = words(
    "-e -f -m -A -B -C -d -D --regexp --file --max-count --after-context --before-context --context --include "
    "--exclude --exclude-dir --exclude-from --label --binary-files"
)
_RG_VALUED = (_GREP_VALUED - {"-d", "-D"}) | words(
    "-g -t -T -j -M -r -E --glob --iglob --type --type-not --sort --sortr --threads --max-columns --replace "
    "--max-depth --encoding --max-filesize --pre"
)
_AG_VALUED = words("-A -B -C -m -G -p --ignore --ignore-dir --depth --file-search-regex")
_RUNS_OTHERS = {"--pre", "--hostname-bin"}
_NO_LINES = ("-c", "-l", "-L", "--count", "--files-with-matches", "--files-without-match", "--files")


@dataclass(frozen=True, slots=True)
class _Searcher:
    valued: frozenset[str]
    recursive: bool
    """Searches the working directory when no path is given."""
    numbers: bool = False
    """Writes line numbers unasked."""


SEARCHERS = {
    "grep": _Searcher(_GREP_VALUED, recursive=False),
    "egrep": _Searcher(_GREP_VALUED, recursive=False),
    "fgrep": _Searcher(_GREP_VALUED, recursive=False),
    "zgrep": _Searcher(_GREP_VALUED, recursive=False),
    "rg": _Searcher(_RG_VALUED, recursive=True),
    "ag": _Searcher(_AG_VALUED, recursive=True, numbers=True),
    "ack": _Searcher(_AG_VALUED, recursive=True, numbers=True),
}


def content(call: Call) -> Effect:
    """`cat`, `bat`, `less`, `more`, `nl`: the whole of each operand."""
    options = split(call.arguments, _BAT_VALUED if call.program.startswith("bat") else ())
    numbered = call.program == "nl" or options.has(*_NUMBERING.get(call.program, ("-N",)))
    other = options.text(*_PLAIN, "-b", "-r", "--line-range") if call.program != "nl" else ""
    via = f"{call.program} {other}" if other else ""
    effect = shown(call, options.operands, via)
    if numbered and not via:
        effect = effect._replace(form="numbered")
    ranges = options.values("-r", "--line-range") if call.program.startswith("bat") else []
    piece = spans.line_range(ranges[0]) if len(ranges) == 1 else None
    return sliced(effect, piece, f"{call.program} {options.text()}") if ranges else effect


def head(call: Call) -> Effect:
    """`head`: the first lines."""
    options = split(call.arguments, slices.HEAD_VALUED)
    cut = slices.head(options)
    via = f"head {options.text('-q', '-v')}" if cut is None else f"head -n {cut.last}"
    return sliced(shown(call, options.operands), cut, via, each=bool(options.operands))


def tail(call: Call) -> Effect:
    """`tail`: the last lines, or those from one on."""
    options = split(call.arguments, slices.HEAD_VALUED | {"-s", "--pid"})
    old_style = next((one for one in options.operands[:1] if one and one[0] == "+" and one[1:].isdigit()), "")
    operands = options.operands[1:] if old_style else options.operands
    cut = slices.tail(options, old_style)
    via = f"tail {options.text('-q', '-v', '-f', '-F')}" if cut is None else f"tail -n {abs(cut.first)}"
    via = via.replace("-n ", "-n +") if cut is not None and cut.first > 0 else via
    return sliced(shown(call, operands), cut, via, each=bool(operands))


def filtered(call: Call) -> Effect:
    """`sort`, `cut`, `xxd`, …: content, changed."""
    options = split(call.arguments, VALUED.get(call.program, ()))
    if options.has("-o", "--output") and call.program in ("sort", "iconv", "base64"):
        return Effect(Kind.RUNS, mutates=tuple(call.path(one) for one in options.values("-o", "--output")))
    operands = options.operands
    parts = [options.text()]
    if call.program == "tr":
        parts, operands = [*parts, *("…" if one is None else one for one in operands)], ()
    if call.program == "uniq" and len(operands) > 1:
        return Effect(Kind.RUNS, mutates=(call.path(operands[1]),))
    if call.program == "xxd" and (options.has("-r") or len(operands) > 1):
        return ANYTHING
    return shown(call, operands, " ".join([call.program, *filter(None, parts)]))


def facts(call: Call) -> Effect:
    """`pwd`, `ps`, `env`, …: the machine's state; the command itself is what is asked."""
    if call.program == "env" and split(call.arguments).operands:
        return ANYTHING
    return reads("inspect", [""], spans.narrowing({"via": text_of(call.program, call.arguments)}))


def inspected(call: Call) -> Effect:
    """`stat`, `wc`, `diff`, …: facts about files."""
    options = split(call.arguments, VALUED.get(call.program, ()))
    via = f"{call.program} {options.text()}".strip()
    named = [one for one in options.operands if one != "-"]
    if named:
        return reads("inspect", [call.path(one) for one in named], spans.narrowing({"via": via}))
    if call.program == "du":
        return reads("inspect", [call.here()], spans.narrowing({"via": via}))
    return passes(call, via, "inspect")


def listed(call: Call) -> Effect:
    """`ls`, `tree`: what a directory holds."""
    options = split(call.arguments, VALUED.get("tree" if call.program == "tree" else "ls", ()))
    if call.program == "tree" and options.has("-o"):
        return ANYTHING
    flags = options.text("--color", "-1", "-G")
    span = spans.narrowing({"via": f"{call.program} {flags}".strip()}) if flags or call.program == "tree" else ""
    return reads("list", [call.path(one) for one in options.operands] or [call.here()], span)


def searched(call: Call) -> Effect:
    """`grep`, `rg`, …: lines that match."""
    kind = SEARCHERS[call.program]
    options = split(call.arguments, kind.valued)
    if options.has(*_RUNS_OTHERS):
        return ANYTHING
    if options.has("-q", "--quiet", "--silent"):
        return NOTHING
    patterns = options.values("-e", "--regexp")
    operands = list(options.operands)
    if not patterns and not options.has("-f", "--file", "--files"):
        patterns = operands[:1]
        operands = operands[1:]
    text = "\n".join("…" if one is None else one for one in patterns)
    extended = {"egrep": "-E", "fgrep": "-F"}.get(call.program, "")
    given = " ".join(filter(None, [extended, options.text("-e", "--regexp", "--color", "--colour")]))
    values = {"pattern": text, "flags": given, "by": "" if "grep" in call.program else call.program}
    span = spans.narrowing({name: value for name, value in values.items() if value})
    named = [one for one in operands if one != "-"]
    recursive = kind.recursive or options.has("-r", "-R", "--recursive")
    form = _form(options, kind, with_paths=len(named) > 1 or (recursive and len(named) != 1))
    if named:
        return reads("search", [call.path(one) for one in named], span, form)
    if call.stdin is not None and not options.has("-r", "-R", "--recursive"):
        found = tuple(Target("search", one.resource, spans.join(one.span, span)) for one in call.stdin.targets)
        plain = all(one.action == "read" for one in call.stdin.targets)
        return Effect(Kind.READS, found, form=form if plain else "") if found else NOTHING
    return reads("search", [call.here()], span, form) if recursive else NOTHING


def _form(options: Options, kind: _Searcher, *, with_paths: bool) -> str:
    """How a search decorates the lines it shows."""
    if options.has(*_NO_LINES):
        return ""
    if kind.numbers or options.has("-n", "--line-number"):
        return "matches"
    with_paths = with_paths or options.has("-H", "--with-filename", "-r", "-R", "--recursive")
    return "paths" if with_paths and not options.has("-h", "--no-filename") else ""


def shown(call: Call, operands: Sequence[Argument], via: str = "") -> Effect:
    """The whole of the operands, or of what is piped in."""
    named = [one for one in operands if one != "-"]
    if named:
        return reads("read", [call.path(one) for one in named], narrowed("", via))
    return passes(call, via)


def sliced(effect: Effect, cut: Lines | None, via: str, *, each: bool = False) -> Effect:
    """An effect of which only some lines are left: of each of its resources, or of their text as a whole."""
    if effect.kind is not Kind.READS:
        return effect
    targets = effect.targets
    piece = None
    if cut is not None and len(targets) == 1 and targets[0].action == "read":
        piece = spans.compose(targets[0].span, cut)
    elif cut is not None and each and all(one.action == "read" and not one.span for one in targets):
        return effect._replace(targets=tuple(one._replace(span=spans.lines(*cut)) for one in targets))
    if piece is not None:
        return effect._replace(targets=(targets[0]._replace(span=piece),))
    return effect._replace(targets=tuple(one._replace(span=narrowed(one.span, via)) for one in targets))


READERS = {
    **dict.fromkeys(("cat", "bat", "batcat", "less", "more", "nl", "pygmentize"), content),
    **dict.fromkeys(FILTERS, filtered),
    **dict.fromkeys(FACTS, facts),
    **dict.fromkeys(INSPECTORS, inspected),
    **dict.fromkeys(SEARCHERS, searched),
    **dict.fromkeys(("ls", "ll", "dir", "vdir", "tree", "exa", "eza", "lsd"), listed),
    "head": head,
    "tail": tail,
}
"""The reader of each program; it never fails."""
