"""`intercept`: the HTTPS proxy door and an observer; `intercept ca`: what clients must trust."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from config.settings import Settings
from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.live.certificates import the_authority
from proxy.intercept.extra import require_extra
from proxy.model.errors import UsageError
from proxy.supervisor.service import Serving
from proxy.supervisor.service import serve as run_service
from proxy.supervisor.ways.proxied import BUNDLES, NODE
from proxy.wiring.logs import start_logging
from proxy.wiring.settings import data_folder
from proxy.wiring.version import product_version

if TYPE_CHECKING:
    from proxy.intercept.authority import Authority  # needs the extra

PORT = 8766
REVERSE = "reverse:"


@click.group(cls=page.Group, invoke_without_command=True, example="intercept --port 8766")
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port on loopback, {PORT} when nothing is said.")
@click.option("--listen", metavar="HOST:PORT", help="Another address; if not loopback, relay.token_file is needed.")
@click.option("--mode", default="regular", metavar="regular|reverse:NAME", help="A proxy, or before one upstream.")
@click.option("--admin", metavar="HOST:PORT", help="Where /healthz /readyz /metrics listen (admin.listen).")
@click.option("--record", is_flag=True, help="Keep contents too (capture.contents = full).")
@click.option("--ready-file", type=click.Path(path_type=Path, dir_okay=False), help="Write addresses here when ready.")
@click.pass_context
def intercept(
    context: click.Context,
    /,
    mode: str,
    *,
    port: int | None,
    listen: str | None,
    ready_file: Path | None,
    **given: str | bool | None,
) -> None:
    """Run the intercept door and the observer until SIGTERM or Ctrl-C, then let streams end.

    A door for clients whose base URL cannot be changed: they are told HTTPS_PROXY and our certificate. Only the
    configured upstreams are decrypted and recorded, everything else is tunnelled. Needs the extra `intercept`.
    """
    if context.invoked_subcommand is not None:
        return
    if port is not None and listen is not None:
        raise UsageError("--port and --listen: say one of them")
    require_extra()
    said = settings.read(
        context.obj,
        relay__listen=("--listen", listen or f"127.0.0.1:{PORT if port is None else port}"),
        admin__listen=("--admin", given["admin"]),
        capture__contents=("--record", "full" if given["record"] else None),
    ).settings
    require_mode(mode, said)
    start_logging(said.admin.log, "supervisor")

    def announce(serving: Serving) -> None:
        click.echo("\n".join(banner(serving, said, mode)))

    serving = run_service(said, version=product_version(), announce=announce, ready_file=ready_file, intercept=mode)
    asyncio.run(serving)


def require_mode(mode: str, said: Settings) -> None:
    """`regular`, or `reverse:` and the name of an upstream. Raises UsageError."""
    name = mode.removeprefix(REVERSE)
    if mode != "regular" and (not mode.startswith(REVERSE) or name not in said.upstreams):
        known = ", ".join(f"{REVERSE}{name}" for name in said.upstreams)
        raise UsageError(f"--mode {mode}: expected regular, or one of {known}")


def banner(serving: Serving, said: Settings, mode: str) -> Iterator[str]:
    """Where it listens, and the next command."""
    url = serving.relay_url
    if mode.startswith(REVERSE):
        upstream = said.upstreams[mode.removeprefix(REVERSE)].url
        yield f"door    {url}     stands before {upstream}; the client's base URL keeps the path"
    else:
        yield f"door    {url}     HTTPS_PROXY of any client; `compaction-gate wrap --intercept -- claude` sets it"
        yield f"opens   {', '.join(sorted({upstream.url for upstream in said.upstreams.values()}))}; nothing else"
        yield "trust   compaction-gate intercept ca show"
    yield f"admin   {serving.admin_url}     /healthz /readyz /metrics"
    yield f"data    {serving.data}"
    yield "next    compaction-gate status"


@intercept.group(cls=page.Group, example="intercept ca show")
def ca() -> None:
    """Our certificate authority: made by us in the data folder, installed nowhere by us."""


@ca.command(example="intercept ca path")
@click.pass_obj
def path(invocation: Invocation) -> None:
    """Print where the certificate stands; it is made when there is none."""
    click.echo(str(_authority(settings.read(invocation).settings).certificate))


@ca.command(example="intercept ca show")
@click.pass_obj
def show(invocation: Invocation) -> None:
    """Print fingerprint, validity, and which variable tells which client to trust it."""
    click.echo("\n".join(show_lines(settings.read(invocation).settings)))


def show_lines(said: Settings) -> Iterator[str]:
    """What a person must know before trusting it.

    Raises:
        MissingExtraError: the extra is not installed.
    """
    authority = _authority(said)
    yield f"certificate  {authority.certificate}"
    yield f"SHA-256      {authority.fingerprint}"
    yield f"valid        {authority.valid_from:%Y-%m-%d} to {authority.valid_until:%Y-%m-%d}"
    yield f"key          {authority.key} (mode 0600; whoever has it can read what you trust it for)"
    yield ""
    yield "clients that add it to their store: Node, Claude Code, Gemini CLI, OpenCode"
    yield f"  export {NODE}={authority.certificate}"
    yield "clients that replace theirs, so that the system's store stands in the bundle: Python, curl, Codex"
    yield from (f"  export {name}={authority.bundle}" for name in BUNDLES)
    yield ""
    yield "we install it nowhere; `compaction-gate wrap --intercept -- CMD` sets these for one command"


def _authority(said: Settings) -> Authority:
    folder = data_folder(said)
    folder.prepare()
    return the_authority(folder, said.egress.ca_bundle)
