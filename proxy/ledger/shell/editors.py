"""Programs that show or change, by their options: sed, awk, jq, find, curl, git, and those that only write."""

from __future__ import annotations

import re

from proxy.ledger.keys import spans
from proxy.ledger.keys.paths import digest, normalise_url
from proxy.ledger.shell import programs, slices
from proxy.ledger.shell.access import (
    ANYTHING,
    UNKNOWN,
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
from proxy.ledger.shell.options import split, words
from proxy.ledger.shell.readers import shown, sliced

_SED_VALUED = frozenset({"-e", "-f", "-l", "--expression", "--file", "--line-length"})
_AWK_VALUED = frozenset({"-F", "-v", "-f", "-e", "--field-separator", "--assign", "--file", "--source"})
_JQ_VALUED = frozenset({"-f", "-L", "--from-file", "--indent"})
_JQ_PAIRS = ("--arg", "--argjson", "--slurpfile", "--rawfile")

_CURL_VALUED = words(
    "-A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -T -t -u -U -w -x -X -y -Y -z --cacert --cert --connect-timeout "
    "--cookie --cookie-jar --data --data-ascii --data-binary --data-raw --data-urlencode --form --header --json --key "
    "--limit-rate --max-time --output --proxy --range --referer --request --resolve --retry --retry-delay "
    "--upload-file --url --user --user-agent --write-out --dump-header --config"
)
_CURL_SENDS = ("-d", "-F", "-T", "-K", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode")
_CURL_SENDS_TOO = ("--form", "--json", "--upload-file", "--config", "-Q", "-O", "--remote-name", "-J", "-c", "-D")
_CURL_NOISE = ("-s", "-S", "-f", "-L", "-k", "-v", "--silent", "--show-error", "--fail", "--location", "-o", "-m")
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "-")

_FIND_RUNS = {"-exec", "-execdir"}
_FIND_WRITES = {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-ok", "-okdir"}
_MOST_RUNS = 9
_FIND_EXPRESSION = re.compile(r"[-(!,)]")


def sed(call: Call) -> Effect:
    """`sed`: a piece of its files when it only prints; a write with `-i`."""
    edited = next((i for i, one in enumerate(call.arguments) if one and _in_place(one)), None)
    after = 0 if edited is None else 2 if call.arguments[edited + 1 : edited + 2] == ("",) else 1
    rest = call.arguments if edited is None else call.arguments[:edited] + call.arguments[edited + after :]
    options = split(rest, _SED_VALUED)
    scripts = options.values("-e", "--expression")
    operands = options.operands
    if not scripts and not options.has("-f", "--file"):
        scripts, operands = list(operands[:1]), operands[1:]
    if edited is not None:
        return Effect(Kind.RUNS, mutates=tuple(map(call.path, operands)) or ("",))
    if options.has("-f", "--file") or None in scripts:
        return UNKNOWN
    script = "\n".join(one for one in scripts if one is not None)
    quiet = options.has("-n", "--quiet", "--silent")
    pieces = slices.sed(script, quiet=quiet)
    if pieces is None and not slices.sed_only_shows(script):
        return UNKNOWN
    via = f"sed {options.text('-e', '--expression', '-E', '-r', '-u', '-s')} {script}".replace("  ", " ")
    effect = shown(call, operands)
    if pieces and len(pieces) > 1 and [one.span for one in effect.targets] == [""]:
        return effect._replace(targets=(effect.targets[0]._replace(span=spans.several(pieces)),))
    return sliced(effect, pieces[0] if pieces and len(pieces) == 1 else None, via)


def awk(call: Call) -> Effect:
    """`awk`: a piece of its files when it picks by line number; unknown when its program stands elsewhere."""
    options = split(call.arguments, _AWK_VALUED)
    program, *operands = options.operands or (None,)
    if options.has("-f", "--file", "-i", "--source", "-e") or program is None:
        return UNKNOWN
    if not slices.awk_only_shows(program):
        return ANYTHING
    files = [one for one in operands if one is None or "=" not in one]
    via = f"awk {options.text()} {program}".replace("  ", " ")
    return sliced(shown(call, files), None if options.flags else slices.awk(program), via)


def jq(call: Call) -> Effect:
    """`jq`, `yq`, `xmllint`: a selection of its files."""
    arguments: list[Argument] = []
    extra: list[str] = []
    rest = iter(call.arguments)
    for one in rest:
        if one in _JQ_PAIRS:
            extra.append(text_of(str(one), [next(rest, ""), next(rest, "")]))
        else:
            arguments.append(one)
    options = split(arguments, _JQ_VALUED)
    if options.has("-i", "--in-place", "--inplace", "--output"):
        return ANYTHING
    operands = options.operands
    choice: Argument = ""
    if not options.has("-f", "--from-file") and call.program != "xmllint":
        choice, operands = (operands[0] if operands else ""), operands[1:]
    parts = [options.text(), *extra, "…" if choice is None else choice]
    return shown(call, operands, " ".join([call.program, *filter(None, parts)]))


def find(call: Call) -> Effect:
    """`find`: the names below its paths, or what it runs on them."""
    arguments = call.arguments
    at = next((i for i, one in enumerate(arguments) if one and _FIND_EXPRESSION.match(one)), len(arguments))
    paths, expression = arguments[:at], arguments[at:]
    if _FIND_WRITES.intersection(one for one in expression if one):
        return ANYTHING
    roots = [call.path(one) for one in paths] or [call.here()]
    span = spans.narrowing({"via": text_of("find", expression)}) if expression else ""
    runs = [i for i, one in enumerate(expression) if one in _FIND_RUNS]
    if not runs:
        return reads("list", roots, span)
    if len(runs) > _MOST_RUNS:
        return ANYTHING
    inner = [call.effect_of(_exec_command(expression[i + 1 :])) for i in runs]
    worst = max(inner, key=lambda effect: effect.kind)
    if worst.kind is not Kind.READS:
        return worst if worst.kind else reads("list", roots, span)
    return reads(worst.targets[0].action, roots, span)


def fd(call: Call) -> Effect:
    """`fd PATTERN [PATH…]`."""
    valued = words("-e -E -t -d -c -j -S --extension --exclude --type --max-depth --color --size")
    options = split(call.arguments, valued)
    if options.has("-x", "-X", "--exec", "--exec-batch"):
        return ANYTHING
    pattern, *paths = options.operands or ("",)
    shown_words = [options.text(), "…" if pattern is None else pattern]
    span = spans.narrowing({"via": " ".join(["fd", *filter(None, shown_words)])})
    return reads("list", [call.path(one) for one in paths] or [call.here()], span)


def curl(call: Call) -> Effect:
    """`curl`: a fetch when it sends nothing and stores nothing. Its headers may be credentials: only their digest."""
    options = split(call.arguments, _CURL_VALUED)
    methods = {(one or "?").upper() for one in options.values("-X", "--request")}
    outputs = options.values("-o", "--output")
    sends = () if options.has("-G", "--get") else (*_CURL_SENDS, *_CURL_SENDS_TOO)
    if methods - {"GET", "HEAD", "OPTIONS"} or options.has(*sends) or any(one not in _SINKS for one in outputs):
        stored = tuple(call.path(one) for one in outputs if one not in _SINKS)
        return Effect(Kind.RUNS, mutates=stored if stored and not methods and not options.has(*sends) else ("",))
    rest = options.text(*_CURL_NOISE, "--url")
    via = f"curl {digest(rest)}" if rest else ""
    return _fetched((*options.operands, *options.values("--url")), via)


def wget(call: Call) -> Effect:
    """`wget`: a fetch only when it writes to its standard output."""
    options = split(call.arguments, frozenset({"-O", "-o", "-U", "-T", "-t", "-P", "--output-document", "--header"}))
    shows = any(one in ("-", "/dev/stdout") for one in options.values("-O", "--output-document"))
    if options.has("--post-data", "--post-file", "--method") or not (shows or options.has("--spider")):
        return ANYTHING
    return _fetched(options.operands, "")


def git(call: Call) -> Effect:
    """`git`: what its subcommand does; the working tree it is asked in is the resource."""
    options = split(call.arguments, programs.GIT_VALUED, stop=True)
    subcommand, *rest = options.operands or ("",)
    if subcommand is None:
        return UNKNOWN
    if subcommand == "" and not options.has("--version", "--help"):
        return UNKNOWN
    first = next(iter(rest), "")
    shows = subcommand in programs.GIT_READS or first in programs.GIT_READS_WITH.get(subcommand, ())
    if any(one and one.startswith("--output") for one in rest) or options.has("-c", "--exec-path"):
        return ANYTHING
    if shows:
        place = call.here()
        for folder in options.values("-C", "--work-tree"):
            place = call.path(folder)
        return reads("inspect", [place], spans.narrowing({"via": text_of(f"git {subcommand}".strip(), rest)}))
    return Effect(Kind.RUNS, mutates=() if subcommand in programs.GIT_HARMLESS else ("",))


def by_subcommand(call: Call) -> Effect:
    """`gh`, `kubectl`, `npm`, `tar`, …: shows when its subcommand or a flag says so."""
    options = split(call.arguments)
    if call.program in programs.ARCHIVE_LISTS:
        flags = programs.ARCHIVE_LISTS[call.program]
        named = _bundled_tar(call) or options.has(*flags)
        files = [one for one in options.operands if one and not re.fullmatch(r"[a-z]*t[a-z]*", one)]
        if named and files:
            return reads(
                "inspect", [call.path(files[0])], spans.narrowing({"via": text_of(call.program, call.arguments)})
            )
    subcommand = [one for one in options.operands[:2] if one]
    known = programs.READING_SUBCOMMANDS.get(call.program, frozenset())
    if (subcommand and subcommand[0] in known) or " ".join(subcommand) in known:
        return reads("inspect", [""], spans.narrowing({"via": text_of(call.program, call.arguments)}))
    return ANYTHING


def writes(call: Call) -> Effect:
    """`rm`, `cp`, `tee`, …: what their operands name is written."""
    options = split(call.arguments, programs.WRITER_VALUED if call.program not in ("cp", "mv", "rm", "tee") else ())
    operands = options.operands
    which = programs.OPERANDS_WRITTEN[call.program]
    chosen = {"all": operands, "rest": operands[1:], "last": operands[-1:]}[which]
    if options.has("-t", "--target-directory"):
        return ANYTHING
    mutates = tuple(call.path(one) for one in chosen if one not in _SINKS)
    if call.program == "tee" and not mutates:
        return passes(call, "")
    return Effect(Kind.RUNS, mutates=mutates or (("",) if which != "all" else ()))


def _in_place(argument: str) -> bool:
    short = re.match(r"-[nErsuz]*i", argument)
    return short is not None or argument.startswith("--in-place")


def _exec_command(rest: tuple[Argument, ...]) -> tuple[Argument, ...]:
    end = next((i for i, one in enumerate(rest) if one in (";", "+")), len(rest))
    return tuple(None if one is not None and "{}" in one else one for one in rest[:end])


def _fetched(urls: tuple[Argument, ...], via: str) -> Effect:
    if not urls:
        return UNKNOWN
    found = tuple(
        Target(
            "fetch", "" if one is None else normalise_url(one if "://" in one else f"http://{one}"), narrowed("", via)
        )
        for one in urls
    )
    return Effect(Kind.READS, found)


def _bundled_tar(call: Call) -> bool:
    """`tar tf x`: the old style without a dash."""
    first = call.arguments[0] if call.arguments else ""
    return call.program == "tar" and bool(first) and re.fullmatch(r"-?[a-wyz]*t[a-wyz]*", first or "") is not None


EDITORS = {
    **dict.fromkeys(programs.RUNNERS, lambda _: ANYTHING),
    **dict.fromkeys((*programs.READING_SUBCOMMANDS, *programs.ARCHIVE_LISTS), by_subcommand),
    **dict.fromkeys(programs.OPERANDS_WRITTEN, writes),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    **dict.fromkeys(("jq", "yq", "xmllint", "gojq"), jq),
    **dict.fromkeys(("fd", "fdfind"), fd),
    "sed": sed,
    "gsed": sed,
    "find": find,
    "curl": curl,
    "wget": wget,
    "git": git,
}
"""The reader of each program; it never fails."""
