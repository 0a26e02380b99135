"""What clients built on litellm are told."""

from __future__ import annotations

from tests.clients.programs.client import KEY, Entry


def litellm_variables(entry: Entry) -> dict[str, str]:
    """Key, address, and that its price list is not to be fetched."""
    told = {"OPENAI_API_BASE": entry.base_url("openai", "/v1")} if entry.url else {}
    return {"OPENAI_API_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", **told}
