"""The scratch folder the demo's agent works in: a small service whose request timeout is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from proxy.demo.tools import CheckFailedError

WRONG, RIGHT = "REQUEST_TIMEOUT_S = 5", "REQUEST_TIMEOUT_S = 30"
PARTS = ("request", "connect", "pool", "retry", "cache", "queue", "upload", "session", "health", "audit")
ASPECTS = ("limit", "floor", "window", "interval", "budget")
LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARN")


def files() -> Mapping[str, str]:
    """Every file with its content; the same on every machine."""
    return {
        "config/app.yaml": _app_yaml(),
        "service/config.py": _config_py(),
        "service/db.py": _module("db", "the connection pool", functions=40),
        "service/http.py": _module("http", "requests to peers", functions=120),
        "service/retry.py": _module("retry", "when to try again", functions=34),
        "service/health.py": _module("health", "what a probe is told", functions=16),
        "docs/runbook.md": _runbook(),
        "logs/startup.log": _log(lines=700),
    }


def lay_out(folder: Path) -> None:
    """Write the project into an empty folder."""
    for name, content in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def check_timeout(folder: Path) -> str:
    """The check the task is about: both places must agree on 30 seconds.

    Raises:
        CheckFailedError: one does not.
    """
    places = {"service/config.py": r"^REQUEST_TIMEOUT_S = (\d+)$", "config/app.yaml": r"^  request_timeout_s: (\d+)$"}
    for name, pattern in places.items():
        found = re.search(pattern, (folder / name).read_text(encoding="utf-8"), re.MULTILINE)
        if found is None or int(found[1]) != 30:
            raise CheckFailedError(f"expected 30, found {found[1] if found else 'nothing'} in {name}")
    return "check_timeout passed"


def handbook() -> str:
    """The house rules every session begins with."""
    rules = [
        f"- {part.capitalize()}: the {aspect} of the {part} belongs to its owners. Say in the change what it was, what "
        f"it becomes and who agreed; a change of more than {10 * (at + 1)} percent needs a second reader."
        for at, aspect in enumerate(ASPECTS)
        for part in PARTS
    ]
    return "\n".join(["House rules:", *rules])


def _settings() -> list[tuple[str, int]]:
    return [
        (f"{part}_{aspect}", 10 * (at + 1) + step)
        for at, part in enumerate(PARTS)
        for step, aspect in enumerate(ASPECTS)
    ]


def _app_yaml() -> str:
    rows = [f"  {name}: {value}  # raised by operations only, see docs/runbook.md" for name, value in _settings()]
    return "\n".join(
        [
            "# Values of this deployment; they win over service/config.py.",
            "service:",
            "  request_timeout_s: 5",
            *rows,
            "",
        ]
    )


def _config_py() -> str:
    rows = [
        f"{name.upper()} = {value}\n"
        f'"""The {name.replace("_", " ")} the service starts with; {value} unless a deployment says otherwise."""\n'
        for name, value in _settings()
    ]
    head = (
        '"""Defaults of the service, before config/app.yaml is read."""\n\n'
        f'{WRONG}\n"""How long a peer may take to answer."""\n'
    )
    return "\n".join([head, *rows])


def _module(name: str, about: str, *, functions: int) -> str:
    body = [_function(name, at) for at in range(functions)]
    return "\n\n".join([f'"""{name}: {about}."""\n\nfrom service import config\n', *body]) + "\n"


def _function(module: str, at: int) -> str:
    part, aspect = PARTS[at % len(PARTS)], ASPECTS[at % len(ASPECTS)]
    name = f"{module}_{part}_{aspect}_{at}"
    return (
        f"def {name}(state, timeout_s=None):\n"
        f'    """Decide about {part} {aspect}; None takes the default of the {module}."""\n'
        f"    limit = config.{part.upper()}_{aspect.upper()} if timeout_s is None else timeout_s\n"
        f"    waited = state.waited('{name}')\n"
        f"    if waited > limit:\n"
        f"        state.note('{name}', waited=waited, limit=limit)\n"
        f"        return False\n"
        f"    return True"
    )


def _runbook() -> str:
    sections = [
        f"## {part.capitalize()} {aspect}\n\n"
        f"When `{part}_{aspect}` is reached the service answers 503 and writes one line to the log. Look at the "
        f"dashboard `{part}` first, then at the peers it talks to. Raise the {aspect} in `config/app.yaml` only after "
        f"the owner of the peer has agreed; never raise it above ten times its default of {value - value % 10}.\n"
        for (part, aspect), value in zip(
            [(part, aspect) for part in PARTS for aspect in ASPECTS], [value for _, value in _settings()], strict=True
        )
    ]
    return "\n".join(["# Runbook\n", *sections])


def _log(*, lines: int) -> str:
    return "".join(
        f"2026-01-05T08:{at // 60 % 60:02d}:{at % 60:02d}.{at * 37 % 1000:03d}Z {LEVELS[at % len(LEVELS)]:5} "
        f"service.{PARTS[at % len(PARTS)]} id={at * 7919 % 100_000:05d} waited_ms={at * 131 % 5000} "
        f"{'timeout while waiting for a peer' if at % 155 == 77 else 'ready'}\n"
        for at in range(lines)
    )
