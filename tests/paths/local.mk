# SPDX-License-Identifier: MIT
EXTRA_DIST += tests/paths/fp8-quant.sh tests/paths/near.py tests/paths/row.py
TESTS += tests/paths/fp8-quant.sh

EXTRA_DIST += \
	tests/paths/gemm.py \
	tests/paths/gemm.sh \
	tests/paths/gemm_near.golden \
	tests/paths/gemm_near.py \
	$(NULL)
TESTS += tests/paths/gemm.sh
