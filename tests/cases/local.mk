# SPDX-License-Identifier: MIT
TESTS += tests/cases/cases.sh
EXTRA_DIST += \
	tests/cases/all.golden \
	tests/cases/cases.sh \
	tests/cases/steps.py \
	tests/cases/wrong.c \
	$(NULL)
