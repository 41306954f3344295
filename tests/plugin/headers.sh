# SPDX-License-Identifier: MIT
# The headers compile by themselves in every language that a plugin may be written in, and the folder is all they need.
. "${TF_BUILD:-.}/tests/functions.sh"
cat >"$scratch/plugin.c" <<'END'
#include <tilefoundry/plugin.h>
static const struct tf_plugin plugin = {
    sizeof(struct tf_plugin), TF_ABI_MAJOR, TF_ABI_MINOR, "headers", "1.0", "compiles",
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
TF_PLUGIN(plugin);
END
cp "$scratch/plugin.c" "$scratch/plugin.cc"
strict="-pedantic -Wall -Wextra -Wshadow -Werror -fPIC -shared -I$TF_SRC/include"
tried=0

# try COMPILER STANDARD FILE
try() {
    command -v "$1" >/dev/null 2>&1 || return 0
    tried=$((tried + 1))
    # shellcheck disable=SC2086
    "$1" -std="$2" $strict -o "$scratch/plugin.so" "$scratch/$3" || { fail "$1 -std=$2"; return 0; }
    "$TF" plugin show "$scratch/plugin.so" >/dev/null || fail "$1 -std=$2: does not load"
}

for compiler in gcc clang; do
    for standard in c99 c11 c17; do
        try "$compiler" "$standard" plugin.c
    done
done
for compiler in g++ clang++; do
    for standard in c++11 c++17; do
        try "$compiler" "$standard" plugin.cc
    done
done
# a twin is no plugin, and is written in the same languages
cat >"$scratch/twin.c" <<'END'
#include <tilefoundry/twin.h>
TF_TWIN(tilefoundry_twin)
{
    return call->n_results != 1;
}
END
cp "$scratch/twin.c" "$scratch/twin.cc"
for with in 'gcc c99 c' 'clang c17 c' 'g++ c++11 cc' 'clang++ c++17 cc'; do
    # shellcheck disable=SC2086
    set -- $with
    command -v "$1" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086
    "$1" -std="$2" $strict -o "$scratch/twin.so" "$scratch/twin.$3" || fail "twin.h, $1 -std=$2"
    nm -D --defined-only "$scratch/twin.so" | grep -q ' T tilefoundry_twin$' || fail "$1 -std=$2: the twin is not exported"
done
[ "$tried" -gt 0 ] || skip "there is no compiler"
for header in "$TF_SRC"/include/tilefoundry/*.h; do
    case $header in */plugin.h | */twin.h) continue ;; esac
    echo "#include \"$header\"" >"$scratch/alone.c"
    ! ${CC:-cc} -fsyntax-only "$scratch/alone.c" 2>"$scratch/err" && grep -q 'include <tilefoundry/plugin.h>' "$scratch/err" ||
        fail "$header may be included by itself"
done
finish
