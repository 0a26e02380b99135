from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from tests.support.service import PATIENCE_S, PROGRAM, ROOT, a_message, an_upstream, ask, environment_of
from tests.support.typed import type_command


def test_the_scripted_provider_says_where_it_listens_and_answers(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "provider", "--deterministic"], env=environment_of("http://h"), cwd=ROOT, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    url = process.stdout.readline().split()[-1]
    assert url in process.stdout.readline()
    assert ask(url, body=a_message())[0] == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    process.stdout.close()


def test_a_port_in_use_and_an_impossible_share_are_refused() -> None:
    with an_upstream() as upstream:
        port = upstream.url.rpartition(":")[2]
        refused = type_command("provider", "--port", port)
    assert refused.code == 73
    assert f"127.0.0.1:{port}: cannot listen" in refused.err
    assert type_command("provider", "--habit", "1.5").code == 64
    assert type_command("provider", "--port", "99999").code == 64


def test_a_script_file_is_played_in_every_dialect(tmp_path: Path) -> None:
    script = tmp_path / "s.toml"
    script.write_text('[[scripts]]\nname = "hello"\nsteps = [{ do = [{ say = "Played." }] }]\n')
    process = subprocess.Popen(
        [*PROGRAM, "provider", "--script", str(script), "--chat-server", "ollama"],
        env=environment_of("http://h"), cwd=ROOT, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    url = process.stdout.readline().split()[-1]
    told = {"model": "m", "messages": [{"role": "user", "content": "[script hello]"}]}
    for path in ("/v1/messages", "/v1/chat/completions"):
        status, body = ask(url, path=path, body=told)
        assert (status, "Played." in body) == (200, True)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    process.stdout.close()


def test_a_wrong_script_file_is_named_with_its_key(tmp_path: Path) -> None:
    script = tmp_path / "s.toml"
    script.write_text('[[scripts]]\nname = "hello"\nsteps = [{ do = [{ sey = "x" }] }]\n')
    refused = type_command("provider", "--script", str(script))
    assert refused.code == 65
    assert f"{script}: scripts[1].steps[1].do[1]: found sey" in refused.err
    assert type_command("provider", "--script", str(tmp_path / "none.toml")).code == 65
