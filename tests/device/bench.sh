#!/bin/sh
# SPDX-License-Identifier: MIT
# What a measurement says: every figure is there, none is absurd, and a copy and an empty launch are measured beside it.
# Nothing is said of how quick the kernel is.
. "${TF_SRC:?}/tests/device/device.sh"
requires python3
for path in fused-norm none; do
    expect_status 0 "$TF" bench rms_norm_quant.py:Fused --backend cuda-h200 --path $path --samples 10 --json -
    python3 - <<'END' || fail "$path: the report is not as it should be: $(cat out)"
import json
r = json.load(open("out"))
ns = r["ns"]
assert r["verdict"] == "MEASURED", r["verdict"]
assert len(r["samples_ns"]) == 10 and min(r["samples_ns"]) == ns["least"] > 0
assert ns["least"] <= ns["low_quartile"] <= ns["median"] <= ns["high_quartile"]
assert r["launch_floor_ns"] > 0 and r["copy_bytes_per_second"] > 1e9 and r["bytes_per_second"] > 0
assert r["rotated_bytes"] > r["needed_bytes"] == 57792.0
assert ns["least"] >= r["floor_ns"] > 0
assert r["conditions"] is None or "MHz" in r["conditions"]
END
done
expect_status 0 "$TF" bench rms_norm_quant.py:Fused --backend cuda-h200 --path fused-norm --warm --samples 5
grep -q '^  time' out || fail "no time: $(cat out)"
finish
