"""How servers that call themselves compatible deviate from OpenAI (wire-formats 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class UsageChunk(StrEnum):
    """Where a stream tells its usage."""

    WHEN_ASKED = "when_asked"
    """In a last chunk without choices, when the request says `include_usage`."""
    WITH_FINISH = "with_finish"
    """In the chunk that has the finish reason, asked for or not (llama.cpp's older builds)."""
    EVERY = "every"
    """In every chunk, when the request asks for usage (vLLM's `continuous_usage_stats`)."""


class UsageForm(StrEnum):
    """How usage tells what was cached."""

    DETAILS = "details"
    """`prompt_tokens_details`."""
    BARE = "bare"
    """Not at all."""
    HIT_MISS = "hit_miss"
    """`prompt_cache_hit_tokens` and `prompt_cache_miss_tokens` (DeepSeek)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServer:
    """One server's habits. The defaults are OpenAI's own."""

    usage_chunk: UsageChunk = UsageChunk.WHEN_ASKED
    usage_form: UsageForm = UsageForm.DETAILS
    reasoning_field: str = ""
    """Field of message and delta that shows the thinking; empty hides it, as OpenAI does."""
    timings: bool = False
    """llama.cpp's `timings` beside the usage."""
    whole_calls: bool = False
    """A tool call comes in one delta (Ollama)."""
    numbered_calls: bool = True
    """Deltas of tool calls carry `index`."""
    calls_with_ids: bool = True
    """Without ids nothing tells how far a script has come: for scripts of one step."""
    object_arguments: bool = False
    """`arguments` is an object instead of a string."""
    finishes_with_stop: bool = False
    """`finish_reason` is `stop` although tools are called."""
    comments: bool = False
    """SSE comments before the first chunk (OpenRouter)."""
    error_chunks: bool = False
    """Errors inside a stream are chunks whose `error.code` is a number (OpenRouter)."""
    says_done: bool = True
    """The stream ends with `[DONE]`."""
    crlf: bool = False
    """Lines end with CR LF and `data:` has no blank after it."""
    extras: Mapping[str, object] | None = None
    """More fields of every document and chunk."""
    choice_extras: Mapping[str, object] | None = None
    """More fields of every choice."""


SERVERS: Mapping[str, ChatServer] = {
    "openai": ChatServer(),
    "vllm": ChatServer(
        usage_form=UsageForm.BARE,
        usage_chunk=UsageChunk.EVERY,
        reasoning_field="reasoning",
        extras={"prompt_logprobs": None, "prompt_token_ids": None, "kv_transfer_params": None},
        choice_extras={"stop_reason": None, "token_ids": None},
    ),
    "llama.cpp": ChatServer(
        usage_chunk=UsageChunk.WITH_FINISH,
        usage_form=UsageForm.BARE,
        reasoning_field="reasoning_content",
        timings=True,
    ),
    "ollama": ChatServer(
        usage_form=UsageForm.BARE,
        reasoning_field="reasoning",
        whole_calls=True,
        extras={"system_fingerprint": "fp_ollama"},
    ),
    "openrouter": ChatServer(
        comments=True,
        error_chunks=True,
        reasoning_field="reasoning",
        extras={"provider": "Scripted"},
        choice_extras={"native_finish_reason": None},
    ),
    "deepseek": ChatServer(usage_form=UsageForm.HIT_MISS, reasoning_field="reasoning_content"),
    "worst": ChatServer(
        usage_chunk=UsageChunk.WITH_FINISH,
        numbered_calls=False,
        object_arguments=True,
        finishes_with_stop=True,
        whole_calls=True,
        says_done=False,
        crlf=True,
    ),
}
"""By name. `worst` gathers what is known of many (wire-formats 3.2, last row)."""
