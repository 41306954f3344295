#!/bin/sh
# SPDX-License-Identifier: MIT
# Implementations in Python: a right one, one with each fault, and nothing of either left behind.  Each class of twins.py
# with what check prints, and its exit status, is in python.golden.
. "${TF_BUILD:?}/tests/functions.sh"
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && break
    python=
done
[ -n "$python" ] || skip "no Python with numpy is installed"
TILEFOUNDRY_PYTHON=$python
export TILEFOUNDRY_PYTHON
cp "$TF_SRC"/examples/rms_norm_quant*.py "$TF_SRC"/tests/python/*.py "$scratch"
cd "$scratch"

# what is printed, without a traceback's frames and addresses
check() {
    run "$TF" check "$@"
    { printf '$ check'; printf ' %s' "$@"; printf '\n'; cat out
        sed '/^Traceback/d; /^ /d; s/ at address 0x[0-9a-f]*//' err; echo "exit $status"; } >>got
}

: >got
sed -n 's/^    tilefoundry check rms_norm_quant_twin.py:Numpy.*/found/p' rms_norm_quant_twin.py | grep -q found ||
    fail "the example does not say how it is run"
check rms_norm_quant_twin.py:Numpy --inputs random --weights random --out 'output[0]' --fn equal \
    --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
check rms_norm_quant.py:Naive --twin rms_norm_quant_twin.py:Numpy --inputs random --out 'output[0]' --fn equal \
    --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
for class in $(sed -n 's/^class \([A-Z][A-Za-z]*\):.*/\1/p' twins.py); do
    check "twins.py:$class" --inputs random --out output --fn equal
done
check twins.py:Right.twice --inputs random --out output --fn equal
check twins.py:Right.other --inputs random --out output --fn equal
check twins.py:Right --repeat 3 --inputs random --out output --fn equal
check twins.py:Counts --repeat 3 --inputs random --out output --fn equal
check twins.py:Nothing --inputs random --out output --fn equal
check twins.py --inputs random --out output --fn equal
check twins.py:Right --device tpu --inputs random --out output --fn equal
check missing.py:Right --inputs random --out output --fn equal
check halves.py:Whole --inputs random --out output --fn equal
check halves.py:Whole.part --inputs random --out output --fn equal
check halves.py:Whole.part.thrice --inputs random --out output --fn equal
check halves.py:Whole.twice --inputs random --out output --fn equal
sed 's/^if os.*/if True:/' halves.py >extra.py
check extra.py:Whole --inputs random --out output --fn equal
# what the class, or the file, declares
check twins.py:Declares --inputs random --out output --fn derived
run "$TF" --verbose check twins.py:Declares --inputs random --declare fma=yes --out output --fn derived
grep -q 'declared:  accumulator=f64 .* fma=yes' out || fail "the class's declaration is not taken"
{ cat twins.py; echo 'tilefoundry_declares = "accumulator=bf17"'; } >declares.py
check declares.py:Right --inputs random --out output --fn derived
check declares.py:Declares --inputs random --out output --fn derived
same "$TF_SRC/tests/python/python.golden" got

# other commands take the Module, not what implements it
expect_status 1 "$TF" analyze twins.py:Right
grep -q "implements a Module in Python" err || fail "analyze does not say what the class is"

# the frames of a traceback reach the user, and the twin's prints are no part of the report
run "$TF" check twins.py:Raises --inputs random --out output --fn equal
grep -q 'in twice' err || fail "the traceback is not shown"
run "$TF" check twins.py:Prints --json - --inputs random --out output --fn equal
head -c 1 out | grep -q '{' || fail "what a twin prints is in the report"
grep -q 'said by the twin' err || fail "what a twin prints is lost"

# no such Python
TILEFOUNDRY_PYTHON=no-such-python run "$TF" check twins.py:Right --inputs random --out output --fn equal
[ "$status" = 1 ] && grep -q 'no-such-python cannot be started' err || fail "a Python that is missing is not named"

# one that hangs, and has forked: both end with it
run "$TF" check halves.py:Hangs --timeout 3 --inputs random --out output --fn equal
[ "$status" = 1 ] && grep -q 'did not come back within 3 s' err || fail "a twin that hangs is waited for"
for pid in $(cat pids); do
    state=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || :)
    case $state in
    'Z '* | '') ;; # ended, and its parent may take its time
    *) fail "process $pid is left"; kill -9 "$pid" ;;
    esac
done
[ "$(wc -l <pids)" = 2 ] || fail "the twin that hangs did not run"
ls -A | grep -q '__pycache__' && fail "compiled files are left beside the twin"
finish
