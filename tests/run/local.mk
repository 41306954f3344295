# SPDX-License-Identifier: MIT
TESTS += tests/run/run.sh
EXTRA_DIST += \
	tests/run/run.golden \
	tests/run/run.sh \
	$(NULL)
