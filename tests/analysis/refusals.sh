# SPDX-License-Identifier: MIT
# What is said when an operator or an analyzer does not do its part, and when counts pass 2^63 - 1.
. "${TF_BUILD:-.}/tests/functions.sh"
cp "$TF_SRC/tests/analysis/odd.py" "$scratch/odd.py"
odd=$TF_BUILD/tests/analysis/.libs/odd.so

refusal() { # MODULE FLAG...
    module=$1; shift
    echo "== $module $*"
    run env -C "$scratch" "$TF" --plugin "$odd" analyze "odd.py:$module" - "$@"
    [ "$status" = 1 ] || fail "$module $*: exit $status"
    [ ! -s "$scratch/out" ] || fail "$module $*: wrote to stdout"
    cat "$scratch/err"
}

{
    for module in Mute Less Flat Large ManyOperations ManyBytes ManyNanoseconds; do
        refusal $module --compute-cost --memory --roofline --performance
    done
    refusal Pipe --compute-cost
    for family in alone a silent over; do refusal Plain --odd-$family; done
} >"$scratch/golden"
same "$TF_SRC/tests/analysis/refusals.golden" "$scratch/golden"

expect_status 0 env -C "$scratch" "$TF" --plugin "$odd" analyze odd.py:Plain - --compute-cost --odd-full
sed -n '/^# /p; s/.*y = .*; \(odd.*\)/\1/p' "$scratch/out" >"$scratch/full"
expect_status 0 env -C "$scratch" "$TF" --plugin "$odd" analyze odd.py:Plain - --odd-full --operands
sed -n 's/.*y = .*; \(odd.*\)/\1/p' "$scratch/out" >>"$scratch/full"
expect_status 0 env -C "$scratch" "$TF" --plugin "$odd" analyze odd.py:Plain - --odd-full --json
cat "$scratch/out" >>"$scratch/full"
same "$TF_SRC/tests/analysis/full.golden" "$scratch/full"
finish
