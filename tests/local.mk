# SPDX-License-Identifier: MIT
# Unit tests link the core and Check; shell tests source functions.sh.
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CHECK_CFLAGS) -UNDEBUG
unit_libs = libtfcore.la $(CHECK_LIBS)
AM_TESTS_ENVIRONMENT = TF_BUILD='$(abs_top_builddir)' TF_SRC='$(abs_top_srcdir)' MALLOC_PERTURB_=85; \
	export TF_BUILD TF_SRC MALLOC_PERTURB_;
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
EXTRA_DIST += tests/functions.sh.in

include tests/util/local.mk
include tests/type/local.mk
include tests/parse/local.mk
include tests/print/local.mk
include tests/lower/local.mk
include tests/ir/local.mk
include tests/plugin/local.mk
include tests/ops/local.mk
include tests/analysis/local.mk
include tests/report/local.mk
include tests/cases/local.mk
include tests/backend/local.mk
include tests/bench/local.mk
include tests/check/local.mk
include tests/python/local.mk
include tests/target/local.mk
include tests/cli/local.mk
include tests/cuda/local.mk
include tests/device/local.mk
include tests/run/local.mk
include tests/paths/local.mk
include tests/eval/local.mk
include tests/man/local.mk
include tests/fuzz/local.mk
