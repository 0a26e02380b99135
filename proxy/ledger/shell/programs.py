"""Which programs read, run or do nothing. Tables only; a program in none of them is unknown."""

from __future__ import annotations

from proxy.ledger.shell.options import words

NEUTRAL = words(
    ": alias bg break builtin cd clear continue declare disown dirs echo exit export false fg hash help jobs let local "
    "logout popd printf pushd read readonly return seq set shift shopt sleep test times trap true type typeset ulimit "
    "umask unalias unset wait yes [ [["
)
"""Neither show a resource nor change one."""

FACTS = words(
    "arch cal date df dmesg env free getconf groups history hostname id info journalctl last locale "
    "lsb_release lsblk lscpu lsmod lsof man netstat nproc pgrep pidof printenv ps pstree pwd ss sw_vers top "
    "tty uname uptime vmstat w whereis which who whoami command-v"
)
"""Show the machine's state, not a file's."""

INSPECTORS = words(
    "basename cksum cmp diff dirname du exiftool file identify md5 md5sum mdls nm objdump otool readelf readlink "
    "realpath sha1sum sha256sum sha512sum shasum size stat wc"
)
"""Show facts about the files they are given."""

FILTERS = words(
    "base32 base64 bzcat col colrm column comm csvlook cut expand fmt fold gzcat hexdump hd iconv join look lz4cat "
    "numfmt od paste pr ptx rev shuf sort strings tac tr tsort unexpand uniq xxd xzcat zcat zstdcat"
)
"""Show the content of their files or their input, changed."""

VALUED: dict[str, frozenset[str]] = {
    "cut": words("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    "column": words("-s -c -o -N --separator --output-separator"),
    "sort": words("-k -t -o -S -T --key --field-separator --output --buffer-size --parallel"),
    "uniq": words("-f -s -w --skip-fields --skip-chars --check-chars"),
    "join": words("-1 -2 -a -e -j -o -t -v"),
    "paste": words("-d --delimiters"),
    "fold": words("-w --width"),
    "fmt": words("-w --width"),
    "xxd": words("-c -g -l -o -s -len -seek"),
    "hexdump": words("-e -f -n -s"),
    "od": words("-A -j -N -t -w"),
    "strings": words("-n -t -e"),
    "iconv": words("-f -t --from-code --to-code"),
    "stat": words("-c -f --format --printf"),
    "du": words("-d -B -t -X --max-depth --block-size --exclude --threshold"),
    "diff": words("-U -C -I -x -X --label --exclude"),
    "ls": words("-I -w -T --ignore --width --tabsize"),
    "tree": words("-L -I -P -o --filelimit --charset"),
}
"""The options that take a value, where a reader has no table of its own."""

OPERANDS_WRITTEN: dict[str, str] = {
    "chgrp": "rest",
    "chmod": "rest",
    "chown": "rest",
    "cp": "last",
    "install": "last",
    "ln": "last",
    "mkdir": "all",
    "mkfifo": "all",
    "mv": "all",
    "rm": "all",
    "rmdir": "all",
    "shred": "all",
    "touch": "all",
    "truncate": "all",
    "unlink": "all",
    "tee": "all",
}
"""Programs that write what their operands name: all of them, all but the first, or the last."""

WRITER_VALUED = words("-m -s -o -g -d --mode --size --reference --date --suffix")

RUNNERS = words(
    "ant apt apt-get aws az bazel black brew bundle bun bunx bzip2 cargo clang cmake composer conda corepack deno "
    "dnf docker docker-compose dotnet eslint flake8 g++ gcc gcloud gem gh git go gradle gradlew gunzip gzip helm http "
    "isort java javac jest kill killall kubectl ld ld.so make mocha mvn mypy mysql nginx ninja node nox npm npx "
    "nvm pacman patch perl php pip pip3 pipenv pipx pkill playwright pnpm podman poetry pre-commit prettier psql "
    "pylint pyright pytest python python2 python3 rake redis-cli rsync ruby ruff rustc rustfmt scp scons service "
    "split sqlite3 ssh su swift systemctl tar terraform tox ts-node tsc tsx uv uvx vite vitest xz yarn yum zip unzip "
    "zstd csplit dd crontab chsh mount umount useradd usermod passwd ed ex vi vim nano emacs code open "
    "xdg-open pbcopy screen tmux expect script"
)
"""Run something that may change anything, unless `READING_SUBCOMMANDS` knows better."""

SHELLS = words("ash bash dash ksh sh zsh")

READING_SUBCOMMANDS: dict[str, frozenset[str]] = {
    "apt": frozenset({"list", "show", "search", "policy"}),
    "apt-cache": frozenset({"search", "show", "policy", "depends", "rdepends"}),
    "brew": frozenset({"list", "info", "search", "outdated", "deps"}),
    "cargo": frozenset({"tree", "metadata", "search"}),
    "conda": frozenset({"list", "info", "search"}),
    "docker": frozenset({"ps", "images", "logs", "inspect", "top", "port", "version", "info", "stats", "diff"}),
    "gh": frozenset(
        f"{what} {how}"
        for what in ("pr", "issue", "run", "release", "repo", "workflow")
        for how in ("view", "list", "diff", "status", "checks")
    ),
    "go": frozenset({"list", "doc", "env", "version"}),
    "helm": frozenset({"list", "status", "get", "show", "history"}),
    "kubectl": frozenset({"get", "describe", "logs", "top", "explain", "version", "api-resources", "cluster-info"}),
    "npm": frozenset({"ls", "list", "view", "info", "outdated", "search", "root", "prefix", "why"}),
    "pip": frozenset({"list", "show", "freeze", "check", "index"}),
    "pip3": frozenset({"list", "show", "freeze", "check", "index"}),
    "pnpm": frozenset({"ls", "list", "why", "outdated"}),
    "podman": frozenset({"ps", "images", "logs", "inspect"}),
    "poetry": frozenset({"show", "env info"}),
    "systemctl": frozenset({"status", "show", "list-units", "is-active", "is-enabled", "cat"}),
    "tmux": frozenset({"capture-pane", "ls", "list-sessions"}),
    "yarn": frozenset({"list", "info", "why"}),
}
"""Subcommands that only show; the first operands of the call are compared."""

ARCHIVE_LISTS: dict[str, frozenset[str]] = {
    "tar": frozenset({"-t", "--list"}),
    "unzip": frozenset({"-l", "-v", "-Z", "-p", "-c"}),
    "gunzip": frozenset({"-c", "--stdout", "-l"}),
    "gzip": frozenset({"-l", "--list"}),
    "xz": frozenset({"-l", "--list"}),
    "sqlite3": frozenset(),
}
"""Archivers that only show when one of these flags is given."""

GIT_READS = words(
    "annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index "
    "diff-tree for-each-ref fsck grep help log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list "
    "rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version whatchanged"
)

GIT_READS_WITH: dict[str, frozenset[str]] = {
    "bisect": frozenset({"log", "view"}),
    "branch": frozenset({"", "-a", "-r", "-v", "-vv", "--list", "--show-current", "--all", "--remotes", "--verbose"}),
    "config": frozenset({"--get", "--get-all", "--list", "-l", "--get-regexp"}),
    "reflog": frozenset({"", "show"}),
    "remote": frozenset({"", "-v", "show", "get-url", "--verbose"}),
    "stash": frozenset({"list", "show"}),
    "submodule": frozenset({"", "status", "summary"}),
    "tag": frozenset({"", "-l", "--list", "-n"}),
    "worktree": frozenset({"list"}),
    "notes": frozenset({"list", "show"}),
}
"""Subcommands that only show when this is their first argument."""

GIT_HARMLESS = frozenset({"add", "fetch", "push", "tag", "remote", "config", "branch", "notes", "gc"})
"""Change the repository, but no file of the working tree."""

GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})

WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": words("-u -g -h -p -C -T -r -t -U -D --user --group --host --prompt --chdir"),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "--unset", "-C", "--chdir", "-S"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "gtimeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p", "--class", "--classdata"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "time": frozenset({"-f", "-o", "--format", "--output"}),
    "command": frozenset(),
    "exec": frozenset({"-a"}),
    "stdbuf": words("-i -o -e --input --output --error"),
    "unbuffer": frozenset(),
    "watch": frozenset({"-n", "--interval"}),
    "busybox": frozenset(),
}
"""Programs that run the command in their operands, with their options that take a value."""

OPERANDS_BEFORE_COMMAND = {"timeout": 1, "gtimeout": 1}

XARGS_VALUED = words("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-lines --max-procs --max-chars")
