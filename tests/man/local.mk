# SPDX-License-Identifier: MIT
TESTS += tests/man/codes.sh tests/man/examples.sh
EXTRA_DIST += tests/man/codes.sh tests/man/examples.sh
