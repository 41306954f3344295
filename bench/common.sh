# SPDX-License-Identifier: MIT
# Sourced by the scripts that measure against a peer: TILEFOUNDRY is $1, a Python with torch and numpy, and with the peer's
# package where it is asked for, $2.
set -eu
tf=${1:?program} python=${2:?a Python with torch}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cp "$here/../examples/rms_norm_quant.py" "$work/"
cd "$work"
export TILEFOUNDRY_PYTHON="$python" XDG_CACHE_HOME="$work/cache"

machine() {
    echo "date: $(date -u +%Y-%m-%d), cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), cores: $(nproc)," \
        "load: $(cut -d' ' -f1 /proc/loadavg)"
}
# seconds CMD...: of the whole process
seconds() {
    "$python" - "$@" <<'END'
import subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
taken = time.perf_counter() - start
if done.returncode:
    sys.stderr.write(done.stdout.decode())
    sys.exit("FAILED: " + " ".join(sys.argv[1:]))
print(f"{taken:.4f}")
END
}
# median NUMBER...
median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# number KEY FILE: of the first such key of a JSON report
number() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" "$2" | head -1; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
