#!/bin/sh
# SPDX-License-Identifier: MIT
# What bench says of times that it is told, and what calibrate writes of figures that it is told.
. "${TF_BUILD:?}/tests/functions.sh"
requires python3
here=$TF_SRC/tests/bench
cp "$here/add.py" "$scratch"
cp "$TF_BUILD/tests/bench/.libs/fake.so" "$TF_BUILD/tests/bench/.libs/twin.so" "$scratch"
cd "$scratch"
fake() { "$TF" --plugin ./fake.so "$@"; }
BENCH_NS=4000,5000,3000,8000 BENCH_COPY=4e9 BENCH_FLOOR=200 SOURCE_DATE_EPOCH=1700000000
export BENCH_NS BENCH_COPY BENCH_FLOOR SOURCE_DATE_EPOCH

# what calibrate writes is valid, complete, and serves analyze and bench
expect_status 0 fake target calibrate --backend fake -o machine.xml
same "$here/calibrated.golden" machine.xml
expect_status 0 "$TF" target validate machine.xml
expect_status 0 "$TF" --target ./machine.xml analyze add.py:Add - --roofline
grep -q 'roofline ideal-ns=1200 bound-by=memory' out || fail "the document's rates are not used: $(cat out)"
expect_status 0 fake target calibrate --backend fake
same "$here/calibrated.golden" out

# the report; 12000 bytes at 10 GB/s are 1.2 us
expect_status 0 fake --target ./machine.xml bench add.py:Add --backend fake --samples 4
same "$here/text.golden" out
expect_status 0 fake --target ./machine.xml bench add.py:Add --backend fake --samples 4 --json -
same "$here/json.golden" out
python3 -m json.tool out >/dev/null || fail "what --json writes is no JSON"
expect_status 0 fake --target ./machine.xml bench add.py:Add --backend fake --samples 4 --json report.json
[ ! -s out ] && cmp -s report.json "$here/json.golden" || fail "--json FILE"

# in turn with others: here all clocks tell the same, round for round
BENCH_NS=2000 expect_status 0 fake bench add.py:Add --backend fake --samples 10 --against add.py:Other --against path:none --warm
same "$here/against.golden" out
expect_status 0 fake bench add.py:Add --backend fake --samples 9 --against ./twin.so
grep -q '^against ./twin.so$' out && grep -q ' of 8 rounds' out || fail "a twin is not measured: $(cat out)"

# impossible times: 12000 bytes at twice the copy's rate, the launch's floor, a document's rate
BENCH_NS=1400 expect_status 1 fake bench add.py:Add --backend fake
grep -q '^IMPLAUSIBLE: no kernel takes less than 1.50 us for these bytes$' out || fail "1.4 us: $(cat out)"
BENCH_NS=1600 expect_status 0 fake bench add.py:Add --backend fake
BENCH_NS=1400 expect_status 0 fake bench add.py:Add --backend fake --warm
BENCH_NS=190 expect_status 1 fake bench add.py:Add --backend fake --warm
BENCH_NS=900 BENCH_COPY=0 expect_status 1 fake --target ./machine.xml bench add.py:Add --backend fake
BENCH_NS=1000 BENCH_COPY=0 expect_status 0 fake --target ./machine.xml bench add.py:Add --backend fake
BENCH_NS=1400 expect_status 1 fake bench add.py:Add --backend fake --json -
grep -q '"verdict": "IMPLAUSIBLE"' out || fail "JSON does not say IMPLAUSIBLE"

# half a microsecond for 134,234,112 bytes on a machine of 4.8 TB/s, whose vendor says so
BENCH_NS=500 BENCH_COPY=4.2e12 BENCH_FLOOR=100 expect_status 1 fake bench add.py:Norm --backend fake --no-check --inputs zeros \
    --weights zeros --json -
grep -q '"needed_bytes": 134234112.0' out && grep -q '"floor_ns": 27966.0' out && grep -q '"verdict": "IMPLAUSIBLE"' out ||
    fail "0.5 us for 134 MB: $(cat out)"
BENCH_NS=27966 BENCH_COPY=4.2e12 expect_status 0 fake bench add.py:Norm --backend fake --no-check --inputs zeros --weights zeros

# what any implementation has to read: not what an index selects, and of a slice the slice
expect_status 0 fake bench add.py:Part --backend fake --no-check --json -
grep -q '"needed_bytes": 8000.0' out || fail "500 of a, 500 indices of 8 bytes, 500 results are 8000 bytes: $(grep needed out)"

expect_status 0 fake bench add.py:Loop --backend fake --no-check --json -
grep -q '"needed_bytes": 4004.0' out || fail "1000 of a and one result are 4004 bytes: $(cat err; grep needed out)"
cp "$TF_SRC/examples/rms_norm_quant.py" .
expect_status 0 fake bench rms_norm_quant.py:Fused --backend fake --no-check --warm --json -
grep -q '"needed_bytes": 57792.0' out || fail "what regions capture is read: $(grep needed out)"

# a wrong kernel, one that is right within what is legal, and one that nobody looks at
BENCH_FAULT=wrong expect_status 1 fake bench add.py:Add --backend fake
[ ! -s out ] || fail "the time of a wrong kernel is told"
cp err errors
BENCH_FAULT=wrong expect_status 0 fake bench add.py:Add --backend fake --no-check
grep -q '^  check     none' out || fail "--no-check is not told"

# what cannot be measured
for fault in silent crash; do
    BENCH_FAULT=$fault expect_status 1 fake bench add.py:Add --backend fake
    cat err >>errors
done
for options in "--backend mute" "--backend nobody" "--backend fake --against add.py:Short" \
    "--backend fake --against nothing.py" "--backend fake --against ./nothing.so" "--backend fake --against path:nobody"; do
    # shellcheck disable=SC2086 # several words
    expect_status 1 fake bench add.py:Add $options
    cat err >>errors
done
BENCH_NS=0 expect_status 1 fake bench add.py:Add --backend fake
cat err >>errors
for options in "--samples 0" "--samples x" "--sample 3" "--inputs all" "--warm=1"; do
    # shellcheck disable=SC2086
    expect_status 2 fake bench add.py:Add --backend fake $options
    cat err >>errors
done
expect_status 2 fake bench
cat err >>errors

# a document that is none takes nobody's place
echo old >kept.xml
for fault in document silent; do
    BENCH_FAULT=$fault expect_status 1 fake target calibrate --backend fake -o kept.xml
    sed 's,/proc/self/fd/[0-9]*,DOCUMENT,' err >>errors
done
[ "$(cat kept.xml)" = old ] || fail "a wrong document was written"
for options in "calibrate --backend mute" "calibrate --backend nobody"; do
    # shellcheck disable=SC2086
    expect_status 1 fake target $options
    cat err >>errors
done
for options in calibrate "calibrate here --backend fake" "list -o x" "calibrate --back fake"; do
    # shellcheck disable=SC2086
    expect_status 2 fake target $options
    cat err >>errors
done
sed -i 's/there are .*\[/there are ... [/' errors
same "$here/errors.golden" errors

# a signal ends the process that measures, too
if [ -r /proc/$$/task/$$/children ]; then
    BENCH_FAULT=hang "$TF" --plugin ./fake.so bench add.py:Add --backend fake &
    shell=$! child=
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        child=$(cat /proc/$shell/task/$shell/children 2>/dev/null || :)
        [ -z "$child" ] || break
        sleep 0.1
    done
    kill -TERM $shell
    wait $shell 2>/dev/null || :
    child=${child% }
    runs() { grep -qs '^State:.*[RSDT]' "/proc/$child/status"; } # one that nobody waits for is none
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        runs || break
        sleep 0.1
    done
    [ -n "$child" ] && ! runs || fail "process '$child' is left behind"
fi
finish
