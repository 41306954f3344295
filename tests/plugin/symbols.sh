# SPDX-License-Identifier: MIT
# A plugin exports its entry and nothing else, and wants nothing of ours.
. "${TF_BUILD:-.}/tests/functions.sh"
requires nm
any=0
for plugin in "$TF_BUILD"/plugins/.libs/*.so; do
    [ -f "$plugin" ] || continue
    any=1
    exported=$(nm -D --defined-only "$plugin" | awk '{print $NF}' | grep -v '^__asan\|^__odr_asan\|^__sanitizer\|^__start\|^__stop' | sort | tr '\n' ' ')
    [ "$exported" = "tilefoundry_plugin_v1 " ] || fail "$plugin exports $exported"
    wanted=$(nm -D --undefined-only "$plugin" | awk '{print $NF}' | grep -i '^tf_\|tilefoundry\|^diag\|^arena\|^registry' || :)
    [ -z "$wanted" ] || fail "$plugin wants $wanted"
done
[ "$any" = 1 ] || fail "no plugin was built"
# the program lends no symbols either: what a plugin gets is in the host table
program=$TF_BUILD/.libs/tilefoundry
[ -f "$program" ] || program=$TF_BUILD/tilefoundry
lent=$(nm -D --defined-only "$program" | awk '$2 == "T" {print $3}' | grep -v '^__\|^_init$\|^_fini$\|san_' || :)
[ -z "$lent" ] || fail "the program exports $lent"
finish
