# SPDX-License-Identifier: MIT
TESTS += \
	tests/cli/codes.sh \
	tests/cli/completions.sh \
	tests/cli/layers.sh \
	tests/cli/output.sh \
	tests/cli/usage.sh \
	$(NULL)
EXTRA_DIST += \
	tests/cli/codes.cases \
	tests/cli/codes.golden \
	tests/cli/codes.py \
	tests/cli/codes.sh \
	tests/cli/codes.untested \
	tests/cli/completions.sh \
	tests/cli/layers.sh \
	tests/cli/output.sh \
	tests/cli/usage.golden \
	tests/cli/usage.sh \
	$(NULL)
