"""Whole scripts: lists, pipelines, redirections, directories, wrappers, inner shells, hostile text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.ledger.shell.access import Kind
from proxy.ledger.shell.options import words
from proxy.ledger.shell.walk import read_command
from tests.support.shell import WAITING, told

CASES = [
    ("sed -n 1,80p f | grep -n x", "search:/w/f:1-80&flags=-n&pattern=x (matches)"),
    ("tail -n +10 f | head -20", "read:/w/f:10-29"),
    ("cat f | head -50 | tail -10", "read:/w/f:41-50"),
    ("cd sub && cat f", "read:/w/sub/f:"),
    ("cd sub && cat f && cd .. && ls -la", "read:/w/sub/f: | list:/w:via=ls -a -l"),
    ('grep -rn "foo bar" src --include=*.py', "search:/w/src:flags=--include=*.py -n -r&pattern=foo bar (matches)"),
    ("cat -n f | head -5", "read:/w/f:1-5 (numbered)"),
    ("bash -lc 'cat f'", "read:/w/f:"),
    ("cat f > out", "writes /w/out"),
    ("cat <<'EOF' > f\nhello\nEOF", "writes /w/f"),
    ("cat <<'EOF'\nhello\nEOF", "nothing"),
    ("cat < f", "read:/w/f:"),
    ("find . -name '*.py' | xargs grep -n foo", "search:/w:via=find -name *.py&via=xargs grep -n foo (matches)"),
    ("ps aux | grep x", "poll search::via=ps aux&pattern=x"),
    ("sleep 5; cat log", "poll read:/w/log:"),
    ("git status && cat f", "inspect:/w:via=git status | read:/w/f:"),
    ("x=/a/b; cat $x/c", "read:/a/b/c:"),
    ("cat $X", "read::command=#…"),
    ("cat $(git ls-files)", "read::command=#…"),
    ("cat $(rm x)", "writes /w/x"),
    ("sudo timeout 5 cat /etc/passwd", "read:/etc/passwd:"),
    ("ls 2>/dev/null || echo no", "list:/w:"),
    ("ls > /dev/null", "nothing"),
    ("echo hi >> log", "writes /w/log"),
    ("./run", "runs anything"),
    ("cat f | wc -l", "inspect:/w/f:via=wc -l"),
    ("(cat a; cat b) | head -3", "read:/w/a:via=head -n 3 | read:/w/b:via=head -n 3"),
    ("for f in a b; do cat $f; done", "read::command=#…"),
    ("ls && cat a && cat b || echo no", "list:/w: | read:/w/a: | read:/w/b:"),
    ("cat f | sort | uniq -c | sort -rn", "read:/w/f:via=sort&via=uniq -c&via=sort -n -r"),
    ("cat f|grep -v x|head -3", "search:/w/f:flags=-v&pattern=x&via=head -n 3"),
    ("cat <<EOF | grep x && ls > f\nhello $(rm x)\nEOF\ncat g", "writes /w/x /w/f"),
    ("diff <(sort a) <(sort b)", "inspect::via=diff&command=#…"),
    ("cat < a | head -3", "read:/w/a:1-3"),
    ("FOO=1 cat f", "read:/w/f:"),
    ("time cat f", "read:/w/f:"),
    ("command -v python", "inspect::via=command-v python"),
    ("sudo -u bob cat f", "read:/w/f:"),
    ("nohup cat f &", "read:/w/f:"),
    ("bash script.sh", "runs anything"),
    ('sh -c "cat f | head -3"', "read:/w/f:1-3"),
    ('bash -c "$CMD"', "runs anything"),
    ("curl x | bash", "runs anything"),
    ('eval "cat f"', "read:/w/f:"),
    ("eval $X", "runs anything"),
    ("xargs cat < list", "read:/w/list:via=xargs cat"),
    ("ls | xargs cat", "read:/w:via=xargs cat"),
    ("find . -name x -print0 | xargs -0 rm", "runs anything"),
    ("find . | xargs -I{} cat {}", "read:/w:via=xargs cat …"),
    ("git diff > p.patch", "writes /w/p.patch"),
    ("tee out < f", "writes /w/out"),
    ("cat f | tee out", "writes /w/out"),
    ("cat f | tee /dev/null", "read:/w/f:"),
    ("echo x | tee -a log", "writes /w/log"),
    ("python3 - <<'PY'\nprint(1)\nPY", "runs anything"),
    ('curl "https://user:pw@Host.com:443/a#frag"', "fetch:https://host.com/a:"),
    ("cat f.json | jq .a", "read:/w/f.json:via=jq .a"),
    ("cd; cat f", "read:~/f:"),
    ("cd -; cat f", "read::command=#…"),
    ("cd $X && cat f", "read::command=#…"),
    ("cd $X && cat /a/f", "read:/a/f:"),
    ("cd a && cd ../b && cat f", "read:/w/b/f:"),
    ("pushd a; cat f; popd; cat g", "read:/w/a/f: | read::command=#…"),
    ("(cd a && cat f); cat g", "read:/w/a/f: | read:/w/g:"),
    ('f=/a/b; cat "$f"', "read:/a/b:"),
    ('f="a b"; cat $f', "read::command=#…"),
    ("while read l; do echo $l; done < f", "read:/w/f:via=#…"),
    ("if [ -f a ]; then cat a; else cat b; fi", "read:/w/a: | read:/w/b:"),
    ("case $x in a) cat a;; *) rm b;; esac", "writes /w/b"),
    ('f() { cat "$1"; }; f a', "read::command=#…"),
    ("f() { rm x; }; f", "writes /w/x"),
    ("cat f &", "read:/w/f:"),
    ("cat f; sleep 1", "poll read:/w/f:"),
    ("sleep 5", "nothing"),
    ("sleep 5 && tail -n 3 log", "poll read:/w/log:-3-"),
    ("watch -n1 ls", "poll list:/w:"),
    ("ps aux | grep node", "poll search::via=ps aux&pattern=node"),
    ("echo hi", "nothing"),
    ("true", "nothing"),
    ("ls -la | head", "list:/w:via=ls -a -l&via=head -n 10"),
    ("[ -f x ]", "nothing"),
    ("[[ -f x ]] && cat x", "read:/w/x:"),
    ("! grep x f", "search:/w/f:pattern=x"),
    ("rg -n x src | head -5", "search:/w/src:by=rg&flags=-n&pattern=x&via=head -n 5 (matches)"),
    ("cat f > /dev/null", "nothing"),
    ("cat f 2>/dev/null", "read:/w/f:"),
    ("cat f >&2", "read:/w/f:"),
    ("cat f &> out", "writes /w/out"),
    ("> f", "writes /w/f"),
    ("echo x >> $F", "runs anything"),
    ("cat f )", "unknown"),
    ("\\cat f", "read:/w/f:"),
    ("/bin/cat f", "read:/w/f:"),
    ("./cat f", "runs anything"),
    ('"cat" f', "read:/w/f:"),
    ("c\\at f", "read:/w/f:"),
    ("cat \"a b\" 'c d' e\\ f", "read:/w/a b: | read:/w/c d: | read:/w/e f:"),
    ("cat $'a\\tb'", "read::command=#…"),
    ("cat $HOME/f", "read:~/f:"),
    ("cat $PWD/f", "read:/w/f:"),
    ("cat `pwd`/f", "read:/w/f:"),
    ("cat f # rm x", "read:/w/f:"),
    ("cat f\\\n | head -3", "read:/w/f:1-3"),
    ("export A=1 && cat f", "read:/w/f:"),
    ("source venv/bin/activate && cat f", "read:/w/f:"),
    ("source x.sh", "runs anything"),
    (". ./env.sh; cat f", "runs anything"),
    ("cat x | ssh host", "runs anything"),
    ("ssh host cat f", "runs anything"),
    ("timeout 5s cat f", "read:/w/f:"),
    ("stdbuf -oL cat f", "read:/w/f:"),
    ("exec cat f", "read:/w/f:"),
    ("busybox cat f", "read:/w/f:"),
    ("printf '%s' x > f", "writes /w/f"),
    (": > f", "writes /w/f"),
    ("cat f || rm f", "writes /w/f"),
    ("set -e; cat f", "read:/w/f:"),
    ("cat f | while read l; do echo $l; done", "read:/w/f:via=#…"),
    ('cat <<< "x"', "nothing"),
    ("xxd f | head -2", "read:/w/f:via=xxd&via=head -n 2"),
    ("tr a b < f", "read:/w/f:via=tr a b"),
    ("git commit -m \"$(cat <<'EOF'\nFix it\n\nBody\nEOF\n)\"", "runs anything"),
    ('git add -A && git commit -m "x" && git push', "runs anything"),
    ("cat a | sort -V", "read:/w/a:via=sort -V"),
    ("cat $X; cat $Y", "read::command=#…"),
    ("cat <(rm x)", "writes /w/x"),
    ('echo "$(rm x)"', "writes /w/x"),
    ('echo "a `rm x` b"', "writes /w/x"),
    ("cat f; :(){ :|:& };:", "read:/w/f:"),
    ('eval "$(curl -s https://x)"', "runs anything"),
    ("cat f | sh", "runs anything"),
    ("ls | xargs sh -c 'rm $0'", "runs anything"),
    ("cat f 1>g", "writes /w/g"),
    ("cat f >| g", "writes /w/g"),
    ("exec > f", "writes /w/f"),
    ("cat>f", "writes /w/f"),
    ("cat f 3>g", "writes /w/g"),
    ('cat f >> "$LOG"', "runs anything"),
    ("cat f 2>err", "writes /w/err"),
    ("cat f\r\nhead -2 g", "read:/w/f: | read:/w/g:1-2"),
    ("cat f;ls;wc -l f", "read:/w/f: | list:/w: | inspect:/w/f:via=wc -l"),
    ("cat f;", "read:/w/f:"),
    ("# only a comment", "nothing"),
    ('""', "unknown"),
    ("$CMD f", "unknown"),
    ('"$CMD" f', "unknown"),
    ('cat "$(pwd)/f"', "read:/w/f:"),
    ('cat "$X/f"', "read::command=#…"),
    ('cat "/a/$X/f"', "read::command=#…"),
    ("cd /a/./b/../c && cat ./d/../f", "read:/a/c/f:"),
    ("cat 'it'\"'\"'s'", "read:/w/it's:"),
    ("head -1 f | tail -1", "read:/w/f:1-1"),
    ("tail -n 20 f | head -n 5", "read:/w/f:-20-&via=head -n 5"),
    ("tail -n 20 f | tail -n 5", "read:/w/f:-5-"),
    ("head -100 f | tail -n +90", "read:/w/f:90-100"),
    ("sed -n '10,50p' f | head -5", "read:/w/f:10-14"),
    ("sed -n '10,50p' f | tail -5", "read:/w/f:46-50"),
    ("cat f | sed -n '3,4p'", "read:/w/f:3-4"),
    ("cat f | awk 'NR>=3 && NR<=4'", "read:/w/f:3-4"),
    ("cat -n f | sed -n '3,4p'", "read:/w/f:3-4 (numbered)"),
    ("nl f | head -3", "read:/w/f:1-3 (numbered)"),
    ("grep x - < f", "search:/w/f:pattern=x"),
    ("grep -rl x . | head", "search:/w:flags=-l -r&pattern=x&via=head -n 10"),
    ("zcat f.gz | head -5", "read:/w/f.gz:via=zcat&via=head -n 5"),
    ("cd .. && ls", "list:/:"),
    ("cd / && cat etc/hosts", "read:/etc/hosts:"),
    ('cd "$(git rev-parse --show-toplevel)" && cat f', "read::command=#…"),
    ("cat f | xargs echo", "read:/w/f:via=xargs echo"),
    ("cat f | xargs -n1 rm", "runs anything"),
    ("echo f | xargs cat", "read::via=xargs cat&command=#…"),
    ("time (cat f)", "unknown"),
    ("{ cat f; }", "read:/w/f:"),
    ("{ cat f; rm g; }", "writes /w/g"),
    ("(cat f) > g", "writes /w/g"),
    ("(cd a; pwd)", "inspect::via=pwd"),
    ("for i in 1 2 3; do sleep 1; cat log; done", "poll read:/w/log:"),
    ("until curl -s localhost:80; do sleep 1; done", "poll fetch:http://localhost/:"),
    ("while true; do ps; sleep 1; done", "poll inspect::via=ps"),
    ("if grep -q x f; then echo yes; fi", "nothing"),
    ("cat f && exit 1", "read:/w/f:"),
    ("test -f f && cat f", "read:/w/f:"),
    ("mkdir x && cd x && cat f", "writes /w/x"),
    ("rm -f f; cat g", "writes /w/f"),
    ('mv a "$X"', "runs anything"),
    ('rm -rf "$X"', "runs anything"),
    ("tee a b < c", "writes /w/a /w/b"),
    ("patch -p1 < x.diff", "runs anything"),
    ("env | grep PATH", "search::via=env&pattern=PATH"),
    ("type cat", "nothing"),
    ("alias", "nothing"),
]


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_a_script_is_told_by_all_of_its_commands(command: str, expected: str) -> None:
    assert told(command) == expected


PLAIN = sorted(
    words(
        "cat head -50 sed -n f | && ; ( ) { } $x if then fi for in do done case esac > < 2>&1 xargs bash -c ! [[ ]] (( "
        "eval sudo find . -exec awk git - -- * ~ <( function tee = # 1>&2 &> &"
    )
)
QUOTING = ("'", '"', "`", "$(", "\\", "<<EOF\n", "\nEOF\n", "<<<", " ", "\n", "\t", "\0", "\udc80", "é")


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from([*PLAIN, *QUOTING]), max_size=30).map(" ".join)))
def test_any_text_is_told_and_told_alike_twice(command: str) -> None:
    assert read_command(command, "/w", WAITING) == read_command(command, "/w", WAITING)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PLAIN), max_size=15).map(" ".join))
def test_no_text_in_front_hides_a_removal(before: str) -> None:
    assert read_command(f"{before}\nrm /a/b\n", "/w", WAITING).kind in (Kind.RUNS, Kind.UNKNOWN)


@pytest.mark.parametrize(
    "command",
    [
        "(" * 20_000,
        "$(" * 50_000,
        "`" * 50_001,
        "echo " + "$(echo " * 3000 + ")" * 3000,
        "cat f" + "|cat" * 5000,
        "if " * 20_000,
        "eval " * 1000,
        "a" * (1 << 19),
        "x=" + "a" * 100_000 + "; " + "unknown_program",
        "find . " + "-exec cat {} \\; " * 100 + "-exec mytool {} \\;",
    ],
    ids=lambda command: command[:8],
)
def test_hostile_sizes_are_given_up_not_believed(command: str) -> None:
    assert told(command) in ("unknown", "runs anything")


def test_wrappers_without_end_are_taken_to_run_anything() -> None:
    assert told("sudo " * 2000 + "cat f") == "runs anything"


def test_a_long_list_of_commands_is_read_to_its_end() -> None:
    assert told("cat f" + " && cat f" * 500 + " && rm g") == "writes /w/g"


def test_a_large_here_document_is_read() -> None:
    assert told("cat > f <<'EOF'\n" + "x = 'y'\n" * 20_000 + "EOF\n") == "writes /w/f"


def test_a_directory_that_was_left_is_told() -> None:
    assert read_command("cd /a/b && ls", "/w", WAITING).cwd == "/a/b"
    assert read_command("(cd /a/b && ls)", "/w", WAITING).cwd == "/w"
    assert read_command("cd $X", "/w", WAITING).cwd is None


def test_without_a_working_directory_relative_paths_stay_relative() -> None:
    assert told("cat a/../b", cwd="") == "read:b:"


def test_equal_commands_with_unknown_names_are_equal_and_different_ones_are_not() -> None:
    def key(command: str) -> object:
        return read_command(command, "/w", WAITING).targets

    assert key("cat $X") == key("cat $X")
    assert key("cat $X") != key("cat $Y")
