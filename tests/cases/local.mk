# SPDX-License-Identifier: MIT
TESTS += tests/cases/cases.sh tests/cases/derived.sh
EXTRA_DIST += \
	tests/cases/all.golden \
	tests/cases/cases.sh \
	tests/cases/derived.c \
	tests/cases/derived.golden \
	tests/cases/derived.py \
	tests/cases/derived.sh \
	tests/cases/steps.py \
	tests/cases/wrong.c \
	$(NULL)
