#!/bin/sh
# SPDX-License-Identifier: MIT
# Times `analyze` as a whole process, warm file cache, and prints ratios to a peer's command in the same run.
#   bench/analyze.sh TILEFOUNDRY [PEER]
# Needs hyperfine; valgrind for the instruction count.  Figures go to stdout as a table; keep it in bench/results/.
set -eu
tf=${1:?program} peer=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/../examples/rms_norm_quant.py" "$work/"
cd "$work"
flags='--compute-cost --memory --roofline --performance'

# median NAME RUNS COMMAND: seconds
median() {
    hyperfine --style none -N --warmup 3 --runs "$2" --export-json "$1.json" "$3" >"$1.log" 2>&1 || { cat "$1.log" >&2; exit 1; }
    awk -F: '/"median"/ { gsub(/[ ,]/, "", $2); print $2; exit }' "$1.json"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", a / b }'; }
ms() { awk -v s="$1" 'BEGIN { printf "%.2f", s * 1000 }'; }
peak() { /usr/bin/env time -f %M "$@" 2>&1 >/dev/null | tail -1; }

echo "date: $(date -u +%Y-%m-%d), cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), cores: $(nproc)"
ours=$(median ours 200 "$tf analyze rms_norm_quant.py:Fused /dev/null $flags")
empty=$(median empty 200 "/bin/true")
echo "empty process: $(ms "$empty") ms"
echo "analyze Fused, four families: $(ms "$ours") ms"
command -v time >/dev/null && echo "peak memory: $(peak "$tf" analyze rms_norm_quant.py:Fused /dev/null $flags) KiB"
if [ -n "$peer" ]; then
    theirs=$(median peer 5 "$peer analyze rms_norm_quant.py:Fused $work/peer.txt $flags")
    echo "peer, the same: $(ms "$theirs") ms"
    echo "ratio: $(ratio "$theirs" "$ours")"
fi
if command -v valgrind >/dev/null; then
    valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$tf" analyze rms_norm_quant.py:Fused /dev/null $flags 2>callgrind.txt || :
    sed -n 's/^==[0-9]*== Collected : /instructions: /p' callgrind.txt
fi

for rows in 2 4096 1048576; do
    sh "$here/generate.sh" size $rows >size.py
    echo "rows $rows: $(ms "$(median size 50 "$tf analyze size.py /dev/null $flags")") ms"
done
for n in 1000 10000 100000; do
    sh "$here/generate.sh" statements $n >long.py
    echo "statements $n: $(ms "$(median long 3 "$tf analyze long.py /dev/null $flags")") ms, $(peak "$tf" analyze long.py /dev/null $flags) KiB"
done
for n in 1000 10000; do
    sh "$here/generate.sh" functions $n >many.py
    echo "functions $n: $(ms "$(median many 3 "$tf analyze many.py /dev/null $flags")") ms, $(peak "$tf" analyze many.py /dev/null $flags) KiB"
done
