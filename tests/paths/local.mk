# SPDX-License-Identifier: MIT
EXTRA_DIST += tests/paths/fp8-quant.sh tests/paths/near.py tests/paths/row.py
TESTS += tests/paths/fp8-quant.sh
