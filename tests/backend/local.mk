# SPDX-License-Identifier: MIT
TESTS += tests/backend/lower.sh
EXTRA_DIST += \
	tests/backend/lower.sh \
	tests/backend/ops.py \
	tests/backend/outside.golden \
	tests/backend/outside.py \
	$(NULL)
