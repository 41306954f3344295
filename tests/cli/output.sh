#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a report goes: whole, or not at all.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/examples/rms_norm_quant.py" "$scratch/step.py"
cd "$scratch"
step=step.py:Fused

expect_status 0 "$TF" analyze $step --memory
cp out first
grep -q '^# traffic' first || fail "no report on stdout"
expect_status 0 "$TF" analyze $step - --memory
cmp first out || fail "- is not stdout"
expect_status 0 "$TF" analyze $step report.txt --memory
[ ! -s out ] || fail "a report to a file wrote to stdout"
cmp first report.txt || fail "the file is not the report"
expect_status 0 "$TF" analyze $step /dev/stdout --memory
cmp first out || fail "/dev/stdout does not take the report"
expect_status 0 "$TF" analyze --memory $step report.json --json
expect_status 0 "$TF" analyze --memory $step --json
cmp out report.json || fail "JSON differs between stdout and a file"

ln -s real.txt link.txt
echo old >real.txt
expect_status 0 "$TF" analyze $step link.txt --memory
[ -L link.txt ] && cmp first real.txt || fail "a link as OUT was replaced, or what it leads to was not"

# a failing run leaves an existing file alone, and nothing beside it
echo precious >kept.txt
expect_status 1 "$TF" analyze step.py:Nothing kept.txt --memory
expect_status 1 "$TF" analyze $step kept.txt --memory --dim N=3
[ "$(cat kept.txt)" = precious ] || fail "a refused run touched OUT"
chmod 640 kept.txt
expect_status 0 "$TF" analyze $step kept.txt --memory
[ "$(stat -c %a kept.txt)" = 640 ] || fail "OUT lost its permissions"
mkdir folder
expect_status 1 "$TF" analyze $step folder --memory
grep -q 'folder: cannot be written: Is a directory' err || fail "a directory as OUT is not named"
expect_status 1 "$TF" analyze $step none/report.txt --memory
grep -q 'none/report.txt: cannot be written: No such file' err || fail "a missing folder is not named"
expect_status 1 "$TF" analyze $step "" --memory
for full in /dev/full; do
    [ -e $full ] || continue
    expect_status 1 "$TF" analyze $step $full --memory
    grep -q 'No space left on device' err || fail "a full disk is not named"
    status=0
    "$TF" analyze $step --memory >$full 2>err || status=$?
    [ "$status" = 1 ] || fail "a full stdout is exit $status"
    status=0
    "$TF" --help >$full 2>err || status=$?
    [ "$status" = 1 ] || fail "a full stdout is exit $status for help"
done
# a write that fails half-way (here: past a limit of 512 bytes a file) leaves the old file, and nothing beside it
echo precious >kept.txt
status=0
(ulimit -f 1 && exec "$TF" analyze $step kept.txt --memory) >out 2>err || status=$?
[ "$status" = 1 ] || fail "a write that fails is exit $status"
grep -q 'kept.txt: cannot be written: File too large' err || fail "a write that fails is not named"
[ "$(cat kept.txt)" = precious ] || fail "a write that failed touched OUT"
for left in kept.txt.* report.txt.* report.json.* real.txt.* folder.*; do
    [ ! -e "$left" ] || fail "left behind: $left"
done

# a closed stdout and a pipe whose reader went away
status=0
"$TF" analyze $step --memory >&- 2>err || status=$?
[ "$status" = 1 ] || fail "a closed stdout is exit $status"
{ "$TF" analyze $step --memory || :; } 2>err | true

# sources that are none
mkfifo fifo.py
: >empty.py
for source in none.py folder fifo.py empty.py step.py: step.py:Fused. step.py:.Fused step.py:Fused..x step.py:Fuzed step.py; do
    expect_status 1 "$TF" analyze $source --memory
    [ ! -s out ] || fail "a refusal of $source wrote to stdout"
    grep -q 'error:' err || fail "no error for $source"
done
expect_status 1 "$TF" analyze step.py:Fuzed --memory
grep -q "Fused" err || fail "no near name for Fuzed"
if [ "$(id -u)" != 0 ]; then
    cp step.py locked.py && chmod 000 locked.py
    expect_status 1 "$TF" analyze locked.py --memory
fi

# stopped while it writes: nothing half-written stays
sh "$TF_SRC/bench/generate.sh" statements 20000 >long.py
"$TF" analyze long.py stopped.txt --memory >out 2>err &
child=$!
sleep 0.05
kill -INT $child 2>/dev/null || :
wait $child 2>/dev/null || :
[ ! -e stopped.txt ] || [ "$(tail -c 1 stopped.txt | wc -l)" = 1 ] || fail "a half-written report"
for left in stopped.txt.*; do
    [ ! -e "$left" ] || fail "left behind: $left"
done

# a target document in place of the program's own target, and what a backend says
expect_status 0 "$TF" --target nvidia.b200_sxm analyze $step --roofline
grep -q '^# analysis target=nvidia.b200_sxm ' out || fail "--target did not replace the target"
expect_status 1 "$TF" --target acme.none analyze $step --roofline
expect_status 0 "$TF" --plugin cuda-h200 analyze $step --roofline
grep -q '^# backend name=cuda-h200 lowers=22/22$' out || fail "the backend says nothing"
expect_status 0 "$TF" --plugin cuda-h200 --target nvidia.b200_sxm analyze $step --roofline
grep -q '^# backend name=cuda-h200 serves=nvidia.h200_sxm why=' out || fail "a backend for another target says nothing"
finish
