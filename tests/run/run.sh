#!/bin/sh
# SPDX-License-Identifier: MIT
# A program as a kernel: its source, and a check of it compiled; what is kept of that, and what is left when it fails.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/examples/rms_norm_quant.py" "$scratch/step.py"
cp "$TF_SRC/tests/run/one.py" "$TF_BUILD/tests/run/.libs/paths.so" "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" TMPDIR="$scratch/tmp"
unset CC TILEFOUNDRY_CFLAGS TILEFOUNDRY_NO_CACHE
mkdir tmp
kept() { find cache -name '*.so' | wc -l; }
check() {
    "$TF" check step.py:Fused --backend cpu-c --inputs random --weights random --out 'output[0]' --fn equal \
        --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6 "$@"
}
golden() {
    run "$@"
    { echo "\$ $*"; cat out err; echo "exit $status"; } >>lines
}
: >lines

# what the kernel declares of its arithmetic is what it is held to, and it keeps to it
expect_status 0 "$TF" check step.py:Fused --backend cpu-c --inputs random --weights random --json - \
    --out 'output[0]' --fn derived --out 'output[1]' --fn derived
grep -q '"declared": "accumulator=f32 div=0.5 .* fma=no .* depth=8"' out || fail "the backend's declaration is not taken"
grep -q '"outside": 0' out || fail "derived does not say how many elements are outside"
expect_status 0 "$TF" check step.py:Fused --backend cpu-c --inputs random --weights random --json - --declare div=2 \
    --out 'output[0]' --fn derived --out 'output[1]' --fn derived
grep -q '"declared": "accumulator=f32 div=2 ' out || fail "--declare does not come after the backend's own"

# the same source on stdout and in a file, which is replaced whole or not at all
expect_status 0 "$TF" emit step.py:Fused -o step.c
expect_status 0 "$TF" emit step.py:Fused --backend cpu-c
cmp -s out step.c || fail "emit writes other text to a file than to stdout"
cc -std=c17 -Wall -Werror -O1 -c step.c -o step.o || fail "the source does not compile"
echo before >kept.c
golden "$TF" emit step.py:Fused --backend no-such -o kept.c
golden "$TF" emit step.py:Fused --path no-such -o kept.c
[ "$(cat kept.c)" = before ] || fail "a refusal touched its file"

# a fused path in place of the operators, where the program is one
for words in 'emit one.py' 'emit one.py --path hand-through' 'emit one.py:One.sum --path hand-through' \
    'eval one.py --inputs random' 'eval one.py --inputs random --path hand-through' \
    'eval one.py:One.sum --inputs random --path hand-through' 'eval one.py --inputs random --path hand-through --exact'; do
    # shellcheck disable=SC2086
    golden "$TF" --target nvidia.h200_sxm --plugin ./paths.so $words
done
expect_status 0 "$TF" --plugin ./paths.so emit one.py:One.sum
grep -q '^int ' out || fail "a program that is no path's is not the backend's"
expect_status 0 "$TF" --plugin ./paths.so emit one.py --path none
grep -q '^int ' out || fail "--path none is not the backend's own code"

# compiled once, whoever asks
golden check
[ "$(kept)" = 1 ] || fail "$(kept) kernels are kept after one check"
golden check --repeat 3
for i in 1 2 3 4; do TILEFOUNDRY_CFLAGS=-DOTHER check >"together.$i" 2>&1 & done
wait
for i in 1 2 3 4; do grep -q '^PASS$' "together.$i" || { cat "together.$i"; fail "checks at once"; }; done
[ "$(kept)" = 2 ] || fail "$(kept) kernels are kept: flags are not told apart, or one was kept twice"
[ "$(find cache tmp -name 'tmp-*' -o -name 'tilefoundry-*' | wc -l)" = 0 ] || fail "something is left of compiling"

# what is kept and broken is made anew
for file in cache/tilefoundry/*.so; do echo broken >"$file"; done
golden check

# no compiler, one that refuses, one that takes no OpenMP, and one that never ends
CC=no-such-cc golden check
TILEFOUNDRY_CFLAGS='-include no-such.h' golden check
cat >plain <<'END'
#!/bin/sh
for word; do [ "$word" != -fopenmp ] && [ "$word" != -march=native ] || { echo "no $word" >&2; exit 1; }; done
exec cc "$@"
END
cat >slow <<'END'
#!/bin/sh
[ "$1" = --version ] && exec echo slow
: >started
exec sleep 600
END
chmod +x plain slow
CC=./plain golden check
# ended while it compiles, as by a terminal's Ctrl-C too, it leaves nothing; a shell's own jobs do not see SIGINT
for signal in TERM INT; do
    rm -f started
    CC=./slow env --default-signal=INT "$TF" check step.py:Fused --backend cpu-c --inputs random --out 'output[0]' \
        --fn equal --out 'output[1]' --fn equal >said 2>&1 &
    program=$!
    for i in $(seq 100); do [ -f started ] && break; sleep 0.1; done
    [ -f started ] || fail "the compiler was not started"
    compilers=$(pgrep -P "$program" || :)
    kill -$signal "$program"
    wait "$program" && fail "$signal is not told from success"
    for i in $(seq 100); do
        left=$(find cache tmp -name 'tmp-*' -o -name 'tilefoundry-*' | wc -l)
        [ "$left" != 0 ] || break
        sleep 0.1
    done
    [ "$left" = 0 ] || fail "a compiler that was ended by $signal leaves files"
    for pid in $compilers; do
        case $(cat "/proc/$pid/stat" 2>/dev/null) in
        *') Z '* | '') ;; # ended, and its parent may take its time
        *) fail "process $pid, which compiles, is left by $signal"; kill "$pid" ;;
        esac
    done
done
# What is too large for eight bits is what --fp8-overflow says, in the kernel too.
cp "$TF_SRC/tests/run/over.py" .
for overflow in saturate nan; do
    expect_status 0 "$TF" check over.py:Over --backend cpu-c --inputs random --fp8-overflow $overflow --nan-equal \
        --out 'output[0]' --fn equal --out 'output[1]' --fn equal
done

sed "s|$TF|tilefoundry|; s|: there are .* \[|: there are (these) [|; s|^<command-line>.*no-such.h.*|(the compiler's words)|; /^compilation terminated/s|.*\[|(and)[|" lines >shown
same "$TF_SRC/tests/run/run.golden" shown
finish
