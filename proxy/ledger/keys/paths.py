"""Names of resources: one spelling for each file, URL and query, without touching the disk or the network.

Links are not followed: two spellings that only a link joins stay two resources.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import quote, unquote, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
_SECRET_PARAMETER = re.compile(r"key|token|secret|passw|signature|^sig$|auth|credential|session", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SPACE = re.compile(r"\s+")


def normalise_path(path: str, cwd: str = "") -> str:
    """One spelling of a path: absolute where `cwd` is known, without `.`, `..`, repeated and trailing slashes.

    `file://` URLs become paths. `~` stays, as the start of an absolute path: whose home it is cannot be seen.
    A relative path without `cwd` stays relative. The empty path is the empty resource.
    """
    if path[:7].lower() == "file://":
        path = _path_of_file_url(path)
    if not path:
        return ""
    if not is_absolute(path) and cwd:
        path = f"{cwd}/{path}"
    root = "/" if path.startswith("/") else ""
    kept: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and kept and kept[-1] != ".." and not (len(kept) == 1 and not root and kept[0][0] == "~"):
            kept.pop()
        elif part != ".." or not root:
            kept.append(part)
    return root + "/".join(kept) or "."


def is_absolute(path: str) -> bool:
    """True when the working directory does not matter: `/…` or `~…`."""
    return path.startswith(("/", "~"))


def is_url(text: str) -> bool:
    """True for `scheme://…`."""
    return _SCHEME.match(text) is not None


def normalise_url(url: str) -> str:
    """One spelling of a URL: lower-case scheme and host, no default port, user, fragment or empty path.

    Values of query parameters that look like credentials are replaced by a digest: equal stays equal, unread.
    What cannot be read as a URL is returned with its white space trimmed and what stands before an `@` removed.
    """
    url = url.strip()
    try:
        parts = urlsplit(_SPACE.sub(lambda found: quote(found[0]), url))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url.rpartition("@")[2]
    if not parts.scheme or not host:
        return url.rpartition("@")[2]
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        place = f"{place}:{port}"
    query = "&".join(map(_without_secret, parts.query.split("&")))
    return urlunsplit((parts.scheme, place, parts.path or "/", query, ""))


def normalise_query(text: str) -> str:
    """One spelling of a search query: white space trimmed and run together."""
    return _SPACE.sub(" ", text).strip()


def digest(text: str) -> str:
    """A short name for a text that should not or cannot be shown: `#` and 16 hex digits."""
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _path_of_file_url(url: str) -> str:
    rest = unquote(url[7:])
    if rest.startswith("/"):
        return rest
    host, slash, path = rest.partition("/")
    return slash + path if host.lower() == "localhost" else f"//{rest}"


def _without_secret(parameter: str) -> str:
    name, equals, value = parameter.partition("=")
    secret = equals and value and not value.startswith("#") and _SECRET_PARAMETER.search(name)
    return f"{name}={digest(value)}" if secret else parameter
