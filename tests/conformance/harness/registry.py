"""What a probe is, and the decorator that puts one into its section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.findings import FindingError, NotApplicableError, RefusedError
from tests.conformance.harness.target import Target
from tests.conformance.harness.upstream import Upstream

Work = Callable[[Bench], None]


class Outcome(StrEnum):
    """How a probe ended."""

    PASS = "pass"
    FAIL = "fail"
    UNSUPPORTED = "unsupported"
    """Another proxy refused what it should have forwarded."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of one probe; `detail` says what was found and expected, or why it was skipped."""

    probe: Probe
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """One promise, and the code that holds a target to it."""

    id: str
    profile: str
    sentence: str
    """The docstring's first line."""
    reference: str
    """F-number, clause of design §4, or section of peers."""
    work: Work
    is_ours: bool
    """Asks for a rule that only our relay has; skipped for other targets."""
    is_long: bool
    """Runs for minutes; only with --long."""
    deadline_s: float

    def run(self, target: Target, upstream: Upstream) -> Result:
        """Run it with a deadline; leaves no connection and no thread."""
        result = self._run(target, upstream)
        return result if target.unsupported is None else held_to(target.unsupported, result)

    def _run(self, target: Target, upstream: Upstream) -> Result:
        try:
            with Bench(target, upstream, self.deadline_s) as bench:
                self.work(bench)
                bench.settle()
        except NotApplicableError as reason:
            return Result(self, Outcome.SKIPPED, str(reason))
        except RefusedError as finding:
            is_promised = target.is_ours or target.unsupported is not None
            return Result(self, Outcome.FAIL if is_promised else Outcome.UNSUPPORTED, str(finding))
        except FindingError as finding:
            return Result(self, Outcome.FAIL, str(finding))
        except OSError as fault:
            return Result(self, Outcome.FAIL, f"{type(fault).__name__}: {fault}")
        return Result(self, Outcome.PASS)


def held_to(unsupported: Mapping[str, str], result: Result) -> Result:
    """A result beside the table of what is not supported; the table must be true, too."""
    reason = unsupported.get(result.probe.id)
    if reason is None or result.outcome is Outcome.SKIPPED:
        return result
    if result.outcome is Outcome.PASS:
        return Result(
            result.probe, Outcome.FAIL, f"it passes, and stands in the table of what is unsupported: {reason}"
        )
    return Result(result.probe, Outcome.UNSUPPORTED, reason)


@dataclass(slots=True)
class Section:
    """The probes of one file, in order; `is_ours` and `deadline_s` are their defaults."""

    profile: str
    is_ours: bool = False
    deadline_s: float = 15.0
    probes: list[Probe] = field(default_factory=list)

    def probe(
        self, name: str, reference: str, *, ours: bool = False, long: bool = False, deadline_s: float | None = None
    ) -> Callable[[Work], Work]:
        """Register a function as the probe `name`; its docstring's first line is the sentence."""

        def register(work: Work) -> Work:
            sentence = (work.__doc__ or "").strip().splitlines()[0]
            self.add(name, reference, sentence, work, ours=ours, long=long, deadline_s=deadline_s)
            return work

        return register

    def add(
        self,
        name: str,
        reference: str,
        sentence: str,
        work: Work,
        *,
        ours: bool = False,
        long: bool = False,
        deadline_s: float | None = None,
    ) -> None:
        """Register a row of a table as a probe."""
        self.probes.append(
            Probe(
                id=name,
                profile=self.profile,
                sentence=sentence.removesuffix("."),
                reference=reference,
                work=work,
                is_ours=self.is_ours or ours,
                is_long=long,
                deadline_s=deadline_s or self.deadline_s,
            )
        )
