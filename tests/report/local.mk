# SPDX-License-Identifier: MIT
TESTS += tests/report/again.sh tests/report/report.sh
EXTRA_DIST += \
	tests/report/again.sh \
	tests/report/families.golden \
	tests/report/report.sh \
	tests/report/staged.json \
	tests/report/staged.py \
	tests/report/staged.txt \
	$(NULL)
