#!/bin/sh
# SPDX-License-Identifier: MIT
# Which threads have what of a row, by how many rows there are and how long they are; and what overrides it.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC"/tests/paths/norms-cuda.py "$TF_SRC"/tests/paths/quant.py "$scratch"
cd "$scratch"

# launched FILE:SELECTOR OPTION...: the launch and how much of a row a thread has
launched() {
    selector=$1
    shift
    rm -f made.cu
    run "$TF" emit "$selector" --backend cuda-h200 "$@" -o made.cu
    { echo "\$ $selector $*"; cat err; } >>shown
    [ "$status" != 0 ] || sed -n 's/^ \* A row is/    a row is/p; /^\/\/@ /p' made.cu >>shown
}
for one in $(sed -n 's/^    def \([a-z0-9_]*\).*/\1/p' norms-cuda.py); do
    for rows in 1 2 128 4096; do
        launched "norms-cuda.py:N.$one" --dim R=$rows --path fused-norm
    done
done
for one in $(sed -n 's/^    def \([a-z0-9_]*\).*/\1/p' quant.py); do
    launched "quant.py:Q.$one" --path fp8-quant
done

# override TEXT [FUNCTION]
override() {
    echo "\$ TILEFOUNDRY_ROWS='$1'" >>shown
    TILEFOUNDRY_ROWS=$1 launched "norms-cuda.py:N.${2:-rms}" --dim R=2 --path fused-norm
}
override 'team=128 vectors=4'
override '  loops=2 overlap=0 '
override 'cluster=2'
override ''
override 'team=100'
override 'team=64'
override 'team=2048'
override 'team=0'
override 'cluster=3'
override 'vectors=2x'
override 'vectors=-1'
override 'team=128 threads=9'
override 'team'
override 'cluster=4' quant_long
override 'cluster=4' wide        # parts are not whole eights
override 'cluster=5' quant_row   # a scale is of the whole row
override 'cluster=2' quant_short # a block then has one row
override 'cluster=8' quant_e5m2
override 'team=128' short        # likewise
same "$TF_SRC/tests/cuda/launches.golden" shown
finish
