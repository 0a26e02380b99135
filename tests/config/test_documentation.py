from __future__ import annotations

from pathlib import Path

from config.documentation import settings_page, shipped_settings
from config.keys import KEYS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_document_is_what_the_shipped_file_says() -> None:
    """After a change: python -m config.documentation > docs/settings.md."""
    assert (DOCS / "settings.md").read_text() == settings_page()


def test_every_key_is_documented_with_its_default() -> None:
    documented = {setting.key: setting.default for setting in shipped_settings()}
    assert {key for key in documented if not key.startswith("upstreams.")} == {*KEYS}
    assert documented["upstreams.openai.url"] == '"https://api.openai.com"'
    assert documented["relay.listen"] == '"127.0.0.1:8765"'
    assert documented["capture.redact"] == "[]"
