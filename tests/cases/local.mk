# SPDX-License-Identifier: MIT
TESTS += tests/cases/cases.sh tests/cases/derived.sh tests/cases/layouts.sh
EXTRA_DIST += \
	tests/cases/all.golden \
	tests/cases/cases.sh \
	tests/cases/derived.c \
	tests/cases/derived.golden \
	tests/cases/derived.py \
	tests/cases/derived.sh \
	tests/cases/explained.json \
	tests/cases/layouts.golden \
	tests/cases/layouts.py \
	tests/cases/layouts.sh \
	tests/cases/steps.py \
	tests/cases/wrong.c \
	$(NULL)
