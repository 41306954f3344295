# SPDX-License-Identifier: MIT
TESTS += tests/paths/fp8-quant.sh tests/paths/fp8-quant-kernels.sh
EXTRA_DIST += \
	tests/paths/fp8-quant-kernels.sh \
	tests/paths/fp8-quant.sh \
	tests/paths/near.golden \
	tests/paths/near.py \
	tests/paths/quant.py \
	$(NULL)
