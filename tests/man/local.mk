# SPDX-License-Identifier: MIT
TESTS += tests/man/examples.sh
EXTRA_DIST += tests/man/examples.sh
