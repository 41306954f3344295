#!/bin/sh
# SPDX-License-Identifier: MIT
# The processors of this machine: measured, described by a document that serves, and asked for the time of kernels.  What
# the time is, is nobody's to say here.
. "${TF_BUILD:?}/tests/functions.sh"
requires "${CC:-cc}"
requires python3
cp "$TF_SRC/tests/bench/add.py" "$TF_SRC"/examples/rms_norm_quant*.py "$scratch"
cd "$scratch"
XDG_CACHE_HOME=$scratch/cache XDG_DATA_HOME=$scratch/home OMP_NUM_THREADS=1
export XDG_CACHE_HOME XDG_DATA_HOME OMP_NUM_THREADS
has() { grep -q "$1" "$2" || fail "$2 lacks $1: $(cat "$2")"; }

# nothing is kept of what --no-cache compiles
expect_status 0 "$TF" bench add.py:Add --backend cpu-c --no-cache --samples 3
has '^  kernel    cpu-c$' out
has '^  check     the same bits$' out
expect_status 0 "$TF" check add.py:Add --backend cpu-c --no-cache --inputs random --out output --fn equal
[ -z "$(find cache -name '*.so' 2>/dev/null)" ] || fail "--no-cache keeps $(find cache)"
expect_status 0 "$TF" bench add.py:Add --backend cpu-c --samples 3 --warm --json warm.json
[ "$(find cache -name '*.so' | wc -l)" = 1 ] || fail "the kernel is not kept"
has '"rotated_bytes": 0' warm.json
has '"copy_bytes_per_second": ' warm.json

# a document of this machine: valid, complete, and of use by path and by name
expect_status 0 "$TF" target calibrate --backend cpu-c -o me.xml
expect_status 0 "$TF" target validate me.xml
for fact in compute.thread_count memory.dram.bandwidth memory.dram.capacity memory.copy.of_16384 throughput.fma.f32 \
    throughput.fma.f64 latency.parallel; do
    grep -q "<fact path=\"$fact\" value=\"[1-9][0-9]*\" unit=\"[a-z/]*\" origin=\"measured\">" me.xml || fail "me.xml lacks $fact"
done
expect_status 0 "$TF" --target ./me.xml analyze add.py:Add - --roofline
grep -q '# roofline ideal-ns=[1-9]' out || fail "no roofline: $(cat out)"
expect_status 0 "$TF" --target ./me.xml bench add.py:Add --backend cpu-c --samples 3
has '^  ideal     .* by the roofline: ' out
expect_status 0 "$TF" target add me.xml
id=$(sed -n 's/^<target .* id="\([^"]*\)".*/\1/p' me.xml)
expect_status 0 "$TF" --target "$id" bench add.py:Add --samples 1
has "^  target    $id$" out

# beside what Python computes; inside one process or another, the results are held to the same program
for python in ${TILEFOUNDRY_PYTHON:-python3} /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && break
    python=
done
if [ -n "$python" ]; then
    TILEFOUNDRY_PYTHON=$python
    export TILEFOUNDRY_PYTHON
    for how in "" --warm; do
        # shellcheck disable=SC2086 # no word, or one
        expect_status 0 "$TF" bench rms_norm_quant.py:Fused --backend cpu-c --samples 9 $how --json numpy.json \
            --against rms_norm_quant_twin.py:Numpy
        [ "$(grep -c '"samples_ns"' numpy.json)" = 2 ] && has '"ratio": {' numpy.json
    done
    sed 's/np.float32(1 . FP8_MAX)/np.float32(2 \/ FP8_MAX)/' rms_norm_quant_twin.py >wrong.py
    expect_status 1 "$TF" bench rms_norm_quant.py:Fused --backend cpu-c --samples 2 --against wrong.py:Numpy
    has 'wrong.py:Numpy does not compute what .rms_norm_quant. says' err
    [ ! -s out ] || fail "the time of a wrong twin is told"
fi
finish
