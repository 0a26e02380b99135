"""Failure cases of the live path that other proxies' users reported: number, public thread, what is right instead."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """One reported failure; a probe refers to it by its number."""

    number: str
    thread: str
    right: str


CASES = (
    Case("F01", "dstackai/dstack#4269", "the first byte is not held back"),
    Case("F02", "maximhq/bifrost#4542", "pieces arrive as the upstream sends them"),
    Case("F03", "mitmproxy/mitmproxy#4469", "event streams are never held"),
    Case("F04", "CopilotKit/aimock#172", "recording changes nothing about the order"),
    Case("F05", "opensandbox-group/OpenSandbox#898", "small bodies stream too"),
    Case("F06", "elazarl/goproxy#794", "every write is passed on, not only the last"),
    Case("F07", "api7/aisix#111, librefang#3448", "a character cut between pieces survives"),
    Case("F09", "praxis-proxy/praxis#739", "SSE of every spelling passes"),
    Case("F10", "raine/claude-code-proxy#84", "comment-only frames pass"),
    Case("F11", "BerriAI/litellm#34819", "pings pass, nothing is invented, silence is no fault"),
    Case("F12", "pydantic/logfire#1882", "long streams are not cut"),
    Case("F13", "NousResearch/hermes-agent#64554, gpustack#5939", "a cut upstream is seen as cut"),
    Case("F14", "tombii/better-ccflare#344", "a cut stream is no success, whatever its status"),
    Case("F15", "ranxianglei/billion-context#239", "no stop reason is invented"),
    Case("F17", "openai/codex#43140", "a terminal event passes though the body stays open"),
    Case("F18", "headroom#3055, #3040", "the answer's mode is the upstream's; an empty 200 is told as such"),
    Case("F19", "yuki-uix/agent-cost-lab#12", "status and error bodies pass; unreachable is 502"),
    Case("F20", "claude-code#82931", "a proxy's own errors can be told from the provider's"),
    Case("F21", "agentgateway#1777", "every anthropic-beta line passes"),
    Case("F22", "Compresr-ai/Context-Gateway#37", "no allow-list of headers"),
    Case("F23", "BerriAI/litellm#37754", "retry-after and rate-limit headers pass"),
    Case("F24", "letta-ai/letta#3147", "both ways to authenticate pass"),
    Case("F25", "BerriAI/litellm#25624", "Content-Length and body stay a pair"),
    Case("F26", "BerriAI/litellm#37058", "accept-encoding and what it brings pass undecoded"),
    Case("F27", "headroom#2", "Content-Encoding and body stay a pair"),
    Case("F28", "Wei-Shaw/claude-relay-service#1027", "compressed streams pass as bytes"),
    Case("F29", "vm0-ai/vm0#8903", "compressed streams pass in time, in every coding"),
    Case("F31", "arniesaha/agentweave#284", "what cannot be read still passes"),
    Case("F32", "earendil-works/pi#8517", "zstd request bodies pass"),
    Case("F33", "liaohch3/claude-tap#2", "no cap on bodies"),
    Case("F34", "raine/claude-code-proxy#152", "a large history passes"),
    Case("F35", "MAXeaglet/commandcode-proxy#20", "back-pressure both ways"),
    Case("F36", "liaohch3/claude-tap#214", "WebSocket frames are not kept"),
    Case("F37", "ding113/claude-code-hub#1153", "large frames and close handshakes pass"),
    Case("F38", "headroom#2184", "an upgrade is answered at once"),
    Case("F39", "icebear0828/codex-proxy#681, openai/codex#19821", "an upgrade, or its refusal, passes"),
    Case("F40", "headroom#2251, CLIProxyAPI#2172", "JSON is never written anew"),
    Case("F41", "BerriAI/litellm#34830", "no request is sent twice"),
    Case("F42", "BerriAI/litellm#30245, #37140", "a client that goes takes its upstream request along"),
    Case("F44", "BerriAI/litellm#27955, #20256", "nothing stays in flight"),
    Case("F45", "BerriAI/litellm#25776", "a client that goes is no fault of the provider"),
    Case("F105", "BerriAI/litellm#35678", "credentials are written down nowhere"),
    Case("F106", "BerriAI/litellm#30736", "nor in errors or queries"),
    Case("F107", "aimock's changelog", "nor under a new header's name"),
)
