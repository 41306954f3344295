# SPDX-License-Identifier: MIT
TESTS += tests/backend/cuda.sh tests/backend/lower.sh
EXTRA_DIST += \
	tests/backend/cuda.golden \
	tests/backend/cuda.sh \
	tests/backend/lower.sh \
	tests/backend/ops.py \
	tests/backend/outside.golden \
	tests/backend/outside.py \
	$(NULL)
