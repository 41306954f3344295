# SPDX-License-Identifier: MIT
TESTS += tests/python/python.sh
EXTRA_DIST += \
	tests/python/halves.py \
	tests/python/python.golden \
	tests/python/python.sh \
	tests/python/step.py \
	tests/python/twins.py \
	$(NULL)
