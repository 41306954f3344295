#!/bin/sh
# SPDX-License-Identifier: MIT
# Habits of the commands: wrong use is exit 2 with one line, a refusal is exit 1 with nothing on stdout.
. "${TF_BUILD:?}/tests/functions.sh"
golden=$TF_SRC/tests/cli/usage.golden
cp "$TF_SRC/examples/rms_norm_quant.py" "$scratch/step.py"
cd "$scratch"

# usage ARGUMENTS...: exit 2, one line on stderr, nothing on stdout; the line is golden
usage() {
    expect_status 2 "$TF" "$@"
    [ ! -s out ] || fail "wrong use wrote to stdout: $*"
    [ "$(wc -l <err)" = 1 ] || fail "wrong use is not told in one line: $*"
    { echo "\$ tilefoundry $*"; cat err; } >>lines
}
: >lines
usage --no-such
usage --plugn x analyze step.py
usage --limit
usage --limit depth
usage --limit depth=0
usage --limit depth=x
usage --limit dept=3
usage --limit nothing-like=3
usage --quiet=1 analyze step.py
usage analyse step.py
usage frobnicate
usage analyze
usage analyze step.py:Fused out.txt more
usage analyze step.py:Fused --json
usage analyze step.py:Fused --rooflin
usage analyze step.py:Fused --memory=1
usage analyze step.py:Fused --dim
usage analyze step.py:Fused --dim N
usage analyze step.py:Fused --dim =3
usage analyze step.py:Fused --dim N=
usage analyze step.py:Fused --dim N=3,4
usage analyze step.py:Fused --dim N=x
usage analyze step.py:Fused --dim N=3 --dim N=4
usage analyze step.py:Fused --topology
usage emit
usage emit step.py --pth x
usage emit step.py --path
usage emit step.py more
usage target frobnicate
usage target show
usage plugin frobnicate
usage plugin show
same "$golden" lines

# help goes to stdout and succeeds, everywhere
for words in '--help' '-h' '' 'analyze --help' 'analyze -h' 'emit --help' 'target --help' 'plugin --help' 'target' 'plugin'; do
    # shellcheck disable=SC2086
    expect_status 0 "$TF" $words
    grep -q '^usage: tilefoundry' out || fail "no usage in: $words"
    [ ! -s err ] || fail "help wrote to stderr: $words"
done
expect_status 0 "$TF" --version
grep -Eq '^tilefoundry [0-9]+\.[0-9]+\.[0-9]+$' out || fail "the version is not printed"
expect_status 0 "$TF" analyze --help
for family in compute-cost memory roofline performance; do
    grep -q -- "  --$family " out || fail "analyze --help does not list --$family"
done

# a word that begins with a dash
cp step.py ./-step.py
expect_status 0 "$TF" analyze --roofline -- -step.py:Fused

# quiet hides warnings, never errors; a message has colours on a terminal only
expect_status 1 "$TF" --quiet analyze none.py
grep -q 'error:' err || fail "--quiet hid an error"
! grep -q "$(printf '\033')" err || fail "colours where there is no terminal"
expect_status 1 "$TF" --limit errors=1 analyze none.py
finish
