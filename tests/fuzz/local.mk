# SPDX-License-Identifier: MIT
# `make check` replays the corpus.  `make fuzz` in a build configured with
#   CC=clang --enable-asan --enable-fuzzers
# runs each target for FUZZ_SECONDS and leaves what it finds in tests/fuzz/found/.
TESTS += tests/fuzz/replay.sh
EXTRA_DIST += tests/fuzz/replay.sh tests/fuzz/corpus

# The programs here find plugins and targets as the tool does: by this file beside them.
all_local += tests/fuzz/tilefoundry.buildtree
CLEANFILES += tests/fuzz/tilefoundry.buildtree
tests/fuzz/tilefoundry.buildtree: $(BUILDTREE)
	$(AM_V_GEN)$(MKDIR_P) tests/fuzz && cp $(BUILDTREE) $@

fuzz_common = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
check_PROGRAMS += tests/fuzz/replay_front tests/fuzz/replay_target tests/fuzz/replay_tensors tests/fuzz/replay_plan
tests_fuzz_replay_front_SOURCES = $(fuzz_common) tests/fuzz/stub_main.c tests/fuzz/fuzz_front.c
tests_fuzz_replay_front_CPPFLAGS = $(unit_cppflags)
tests_fuzz_replay_front_LDADD = libtfcore.la
tests_fuzz_replay_target_SOURCES = $(fuzz_common) tests/fuzz/stub_main.c tests/fuzz/fuzz_target.c
tests_fuzz_replay_target_CPPFLAGS = $(unit_cppflags)
tests_fuzz_replay_target_LDADD = libtfcore.la
tests_fuzz_replay_tensors_SOURCES = $(fuzz_common) tests/fuzz/stub_main.c tests/fuzz/fuzz_tensors.c
tests_fuzz_replay_tensors_CPPFLAGS = $(unit_cppflags)
tests_fuzz_replay_tensors_LDADD = libtfcore.la
# a part of a plugin, which has nothing of the core
fuzz_plan = tests/fuzz/fuzz_plan.c tests/cuda/fake.h plugins/backends/cuda-h200/plan.c
tests_fuzz_replay_plan_SOURCES = tests/fuzz/fuzz.h tests/fuzz/stub_main.c $(fuzz_plan)
tests_fuzz_replay_plan_CPPFLAGS = $(unit_cppflags)

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_front tests/fuzz/fuzz_target tests/fuzz/fuzz_tensors tests/fuzz/fuzz_plan
tests_fuzz_fuzz_front_SOURCES = $(fuzz_common) tests/fuzz/fuzz_front.c
tests_fuzz_fuzz_front_CPPFLAGS = $(unit_cppflags)
tests_fuzz_fuzz_front_LDADD = libtfcore.la
tests_fuzz_fuzz_front_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_target_SOURCES = $(fuzz_common) tests/fuzz/fuzz_target.c
tests_fuzz_fuzz_target_CPPFLAGS = $(unit_cppflags)
tests_fuzz_fuzz_target_LDADD = libtfcore.la
tests_fuzz_fuzz_target_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_tensors_SOURCES = $(fuzz_common) tests/fuzz/fuzz_tensors.c
tests_fuzz_fuzz_tensors_CPPFLAGS = $(unit_cppflags)
tests_fuzz_fuzz_tensors_LDADD = libtfcore.la
tests_fuzz_fuzz_tensors_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz.h $(fuzz_plan)
tests_fuzz_fuzz_plan_CPPFLAGS = $(unit_cppflags)
tests_fuzz_fuzz_plan_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

FUZZ_SECONDS = 1200
fuzz: all
	@for target in front target tensors plan; do \
	  $(MKDIR_P) tests/fuzz/found/$$target tests/fuzz/grown/$$target; \
	  tests/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -use_value_profile=1 \
	    -dict=$(srcdir)/tests/fuzz/$$target.dict -artifact_prefix=tests/fuzz/found/$$target/ \
	    tests/fuzz/grown/$$target $(srcdir)/tests/fuzz/corpus/$$target || exit 1; \
	done
	$(MKDIR_P) tests/fuzz/found/descriptor tests/fuzz/grown/descriptor
	tests/plugin/fuzz_descriptor -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	  -artifact_prefix=tests/fuzz/found/descriptor/ tests/fuzz/grown/descriptor
else
fuzz:
	@echo "configure with CC=clang --enable-asan --enable-fuzzers first"; exit 1
endif
EXTRA_DIST += tests/fuzz/front.dict tests/fuzz/target.dict tests/fuzz/tensors.dict tests/fuzz/plan.dict
.PHONY: fuzz
