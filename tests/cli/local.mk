# SPDX-License-Identifier: MIT
TESTS += \
	tests/cli/completions.sh \
	tests/cli/layers.sh \
	tests/cli/output.sh \
	tests/cli/usage.sh \
	$(NULL)
EXTRA_DIST += \
	tests/cli/completions.sh \
	tests/cli/layers.sh \
	tests/cli/output.sh \
	tests/cli/usage.golden \
	tests/cli/usage.sh \
	$(NULL)
