"""`python -m tests.conformance`: run the probes against a target, print the table, tell by exit code if all passed."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from tests.conformance import report
from tests.conformance.catalogue import PROBES
from tests.conformance.harness.litellm import litellm
from tests.conformance.harness.registry import Outcome, Probe, Result
from tests.conformance.harness.target import CannotStartError, Target, nginx, remote
from tests.conformance.harness.upstream import Upstream
from tests.conformance.ours import intercept
from tests.conformance.ours.relay import running, usual

INTERCEPT = {"reverse": intercept.reverse, "proxy": intercept.tunnelled}
"""The intercept profile: the probes for everybody, through the intercept door."""
EXIT_FAILED = 1
EXIT_USAGE = 64
EXIT_UNREACHABLE = 69


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 only when every probe that applies passed; 64 on a bad command line, 69 without a target."""
    options = parser().parse_args(arguments)
    if options.markdown:
        return print_markdown(options.markdown, options.into)
    chosen = [probe for probe in PROBES if not options.only or is_named(probe, options.only)]
    if not chosen:
        print(f"--only: no probe and no profile is {' or '.join(options.only)}", file=sys.stderr)
        return EXIT_USAGE
    if options.list:
        print(report.listing(chosen))
        return 0
    upstream = Upstream(options.upstream_port)
    try:
        with started(options, upstream.port) as target:
            return run(chosen, target, upstream, options)
    except CannotStartError as fault:
        print(fault, file=sys.stderr)
        return EXIT_UNREACHABLE
    finally:
        upstream.close()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    where = made.add_mutually_exclusive_group()
    where.add_argument("--target", metavar="URL", help="a proxy that forwards to 127.0.0.1:N (see --upstream-port)")
    where.add_argument("--nginx", action="store_true", help="a locally installed nginx, started here")
    where.add_argument("--litellm", action="store_true", help="a LiteLLM proxy from an environment of its own")
    where.add_argument("--intercept", choices=INTERCEPT, help="our intercept door: before the upstream, or as a proxy")
    made.add_argument("--upstream-port", type=int, default=0, metavar="N", help="where the suite's upstream listens")
    made.add_argument("--only", nargs="+", default=[], metavar="ID", help="ids, patterns (`stream.*`), or profiles")
    made.add_argument("--long", action="store_true", help="with the probes that take minutes")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    made.add_argument("--list", action="store_true", help="name the probes and run none")
    made.add_argument("--markdown", nargs="+", type=Path, metavar="JSON", help="print the table of earlier runs")
    made.add_argument("--into", type=Path, metavar="PAGE", help="with --markdown: write the table into that page")
    return made


def is_named(probe: Probe, names: Sequence[str]) -> bool:
    """An id, a pattern of ids, or a profile."""
    return any(fnmatchcase(probe.id, name) or probe.profile == name for name in names)


@contextmanager
def started(options: argparse.Namespace, upstream_port: int) -> Iterator[Target]:
    """The target that the command line names."""
    if options.target:
        print(f"the target is expected to forward to http://127.0.0.1:{upstream_port}", file=sys.stderr)
        yield remote(options.target)
    elif options.intercept:
        with INTERCEPT[options.intercept](upstream_port) as target:
            yield target
    elif options.litellm:
        with litellm(upstream_port) as target:
            yield target
    elif options.nginx:
        with nginx(upstream_port) as target:
            yield target
    else:
        with running(usual(upstream_port)) as relay:
            yield relay.target


def run(chosen: Sequence[Probe], target: Target, upstream: Upstream, options: argparse.Namespace) -> int:
    """Run the probes one after the other and print each result as it comes."""
    results = []
    began = time.monotonic()
    for probe in chosen:
        results.append(result := skipped(probe, target, is_long=options.long) or probe.run(target, upstream))
        print(report.line(result), flush=True)
    took_s = time.monotonic() - began
    print(report.summary(target.name, results, took_s))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report.run_of(target.name, results, took_s), indent=1) + "\n")
    known = {Outcome.UNSUPPORTED} if target.unsupported is not None else set()
    return 0 if {result.outcome for result in results} <= {Outcome.PASS, Outcome.SKIPPED} | known else EXIT_FAILED


def skipped(probe: Probe, target: Target, *, is_long: bool) -> Result | None:
    """The reason why a probe is not run at all."""
    if probe.is_ours and not target.is_ours:
        return Result(probe, Outcome.SKIPPED, "a rule of compaction-gate's relay only")
    if probe.id in target.not_asked:
        return Result(probe, Outcome.SKIPPED, target.not_asked[probe.id])
    if probe.is_long and not is_long:
        return Result(probe, Outcome.SKIPPED, "takes minutes; --long runs it")
    return None


def print_markdown(files: Sequence[Path], page: Path | None) -> int:
    """The table of earlier runs, printed or put into a page."""
    table = report.markdown([report.read_run(path) for path in files])
    if page:
        report.write_into(page, table)
    else:
        print(table)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # children are stopped on the way out
    sys.exit(main())
