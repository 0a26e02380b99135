"""The pinned packages that the clients come from."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Package(NamedTuple):
    """One client as its registry has it."""

    name: str
    """Of its folder, and in tables."""
    version: str
    specs: tuple[str, ...]
    """What the registry's own client is asked for; the first one is the client itself."""
    program: str
    """Below the folder."""


class Npm(Enum):
    """From npm's registry."""

    CLAUDE_CODE_197 = Package("claude-code", "2.1.197", ("@anthropic-ai/claude-code@2.1.197",), "claude")
    CLAUDE_CODE_332 = Package("claude-code", "2.1.332", ("@anthropic-ai/claude-code@2.1.332",), "claude")
    CODEX = Package("codex", "0.171.0", ("@openai/codex@0.171.0",), "codex")
    OPENCODE = Package("opencode", "1.18.33", ("opencode-ai@1.18.33",), "opencode")
    GEMINI_CLI = Package("gemini-cli", "0.61.0", ("@google/gemini-cli@0.61.0",), "gemini")
    CLINE = Package("cline", "3.0.65", ("cline@3.0.65",), "cline")


class Pypi(Enum):
    """From PyPI, each into a virtual environment of its own."""

    AIDER = Package("aider", "0.86.2", ("aider-chat==0.86.2",), "aider")
    MINI_SWE_AGENT = Package("mini-swe-agent", "2.4.6", ("mini-swe-agent==2.4.6", "litellm==1.110.2"), "mini")
    AGENTS_SDK = Package("agents-sdk", "0.24.0", ("openai-agents==0.24.0", "openai==3.57.0"), "python")
    PYDANTIC_AI = Package(
        *("pydantic-ai", "2.68.0"),
        ("pydantic-ai-slim[anthropic,google,openai]==2.68.0", "openai==3.57.0", "anthropic==2.14.0"),
        "python",
    )
    LANGCHAIN = Package(
        *("langchain", "1.5.2"),
        ("langchain==1.5.2", "langchain-openai==1.7.4", "langchain-anthropic==1.7.10", "langgraph==1.2.24"),
        "python",
    )
    OPENHANDS = Package("openhands", "1.58.2", ("openhands-sdk==1.58.2", "openhands-tools==1.58.2"), "python")
