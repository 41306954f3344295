# SPDX-License-Identifier: MIT
TESTS += tests/man/codes.sh tests/man/examples.sh tests/man/lint.sh
EXTRA_DIST += tests/man/codes.sh tests/man/examples.sh tests/man/lint.sh
