from __future__ import annotations

import pytest

from proxy.framing.faults import Fault, FramingError
from proxy.framing.lines import MAX_LENGTH, Role, read_line, read_special_line


def fault_of(raw: bytes) -> Fault:
    with pytest.raises(FramingError) as refused:
        read_line(raw)
    return refused.value.fault


def test_a_line_is_taken_apart_and_stays_as_it_is() -> None:
    line = read_line(b"X-Odd:\t two words \t")
    assert (line.raw, line.name, line.value, line.role) == (b"X-Odd:\t two words \t", "x-odd", b"two words", None)
    assert line.with_value(b"one") == b"X-Odd:\t one \t"


@pytest.mark.parametrize("raw", [b"X:", b"X: ", b"X: \xe2\x82\xac", b"!#$%&'*+.^_`|~: x", b"X: a\tb", b"X: a:b"])
def test_odd_but_valid_lines_pass(raw: bytes) -> None:
    assert read_line(raw).raw == raw


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", Fault.HEADER_LINE),
        (b" folded", Fault.HEADER_LINE),
        (b"\tfolded", Fault.HEADER_LINE),
        (b": no name", Fault.HEADER_LINE),
        (b"no colon", Fault.HEADER_LINE),
        (b"Space : x", Fault.HEADER_LINE),
        (b"X: a\x00b", Fault.HEADER_LINE),
        (b"X: a\x7fb", Fault.HEADER_LINE),
        (b"X(: x", Fault.HEADER_LINE),
        (b"X: a\rb", Fault.LINE_ENDING),
        (b"X: a\nY: b", Fault.LINE_ENDING),
        (b"\xc3\xa4: x", Fault.HEADER_LINE),
    ],
)
def test_malformed_lines_are_refused(raw: bytes, fault: Fault) -> None:
    assert fault_of(raw) is fault


@pytest.mark.parametrize(
    "value",
    [b"", b"+5", b"-5", b"5,5", b"5 5", b"0x5", b"05", b"5.0", b"five", b"\xd9\xa5", b"1_0", b"%d" % (MAX_LENGTH + 1)],
)
def test_odd_lengths_are_refused(value: bytes) -> None:
    assert fault_of(b"Content-Length: " + value) is Fault.LENGTH


@pytest.mark.parametrize("value", [0, 5, MAX_LENGTH])
def test_plain_lengths_are_read(value: int) -> None:
    assert read_line(b"content-length:%d " % value).length == value


@pytest.mark.parametrize("value", [b"gzip", b"gzip, chunked", b"chunked, chunked", b"identity", b"", b"chunked;q=1"])
def test_codings_other_than_chunked_are_refused(value: bytes) -> None:
    assert fault_of(b"Transfer-Encoding: " + value) is Fault.CODING


@pytest.mark.parametrize(
    ("raw", "role"),
    [
        (b"HOST: a", Role.HOST),
        (b"Content-length: 1", Role.LENGTH),
        (b"transfer-ENCODING: Chunked", Role.CODING),
        (b"Connection: a, ,B", Role.CONNECTION),
        (b"Upgrade: websocket", Role.UPGRADE),
        (b"TE: trailers", Role.TE),
        (b"Keep-Alive: x", Role.HOP),
        (b"Proxy-Authorization: x", Role.HOP),
        (b"Proxy-Anything: x", Role.HOP),
        (b"Origin: null", Role.ORIGIN),
        (b"X-Compaction-Session: x", Role.OURS),
        (b"x-compactions: x", None),
        (b"Proxy: x", None),
        (b"x-content-length: x", None),
    ],
)
def test_only_lines_that_mean_something_on_the_way_have_a_role(raw: bytes, role: Role | None) -> None:
    assert read_line(raw).role is role
    special = read_special_line(raw)
    assert (special is None) == (role is None)


def test_lists_are_split_in_lower_case() -> None:
    assert read_line(b"Connection: a, ,B\t,").tokens == ("a", "b")
