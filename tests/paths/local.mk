# SPDX-License-Identifier: MIT
TESTS += tests/paths/fp8-quant.sh tests/paths/fp8-quant-kernels.sh
EXTRA_DIST += \
	tests/paths/fp8-quant-kernels.sh \
	tests/paths/fp8-quant.sh \
	tests/paths/near.golden \
	tests/paths/near.py \
	tests/paths/quant.py \
	$(NULL)

EXTRA_DIST += \
	tests/paths/gemm.py \
	tests/paths/gemm.sh \
	tests/paths/gemm_near.golden \
	tests/paths/gemm_near.py \
	$(NULL)
TESTS += tests/paths/gemm.sh

EXTRA_DIST += \
	tests/paths/fused-norm.sh \
	tests/paths/near-norms.expected \
	tests/paths/near-norms.py \
	tests/paths/norms-cuda.py \
	tests/paths/norms.py \
	tests/paths/wide-rows.py \
	$(NULL)
TESTS += tests/paths/fused-norm.sh
