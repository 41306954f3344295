#!/bin/sh
# SPDX-License-Identifier: MIT
# Both formatters are quiet about every manual page.
. "${TF_BUILD:?}/tests/functions.sh"
requires mandoc
requires groff
for page in "$TF_SRC"/man/*.[1-9]; do
    # pages of the set are not installed while they are tested
    said=$(mandoc -T lint "$page" 2>/dev/null | grep -v 'referenced manual not found' || :)
    [ -z "$said" ] || fail "$said"
    said=$(groff -ww -b -mdoc -Tutf8 "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || fail "$said"
done
finish
