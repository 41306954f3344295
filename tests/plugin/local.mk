# SPDX-License-Identifier: MIT
# Plugins, most of them broken, each from one file of its name.  check_LTLIBRARIES become shared objects only with -rpath.
fixture_ldflags = $(plugin_ldflags) -rpath /nowhere
check_LTLIBRARIES += \
	tests/plugin/fixtures/bad-alias.la \
	tests/plugin/fixtures/bad-name.la \
	tests/plugin/fixtures/bad-op-name.la \
	tests/plugin/fixtures/half-fold.la \
	tests/plugin/fixtures/huge.la \
	tests/plugin/fixtures/namesake.la \
	tests/plugin/fixtures/newer.la \
	tests/plugin/fixtures/no-entry.la \
	tests/plugin/fixtures/no-name.la \
	tests/plugin/fixtures/no-size.la \
	tests/plugin/fixtures/no-summary.la \
	tests/plugin/fixtures/no-targets.la \
	tests/plugin/fixtures/null-descriptor.la \
	tests/plugin/fixtures/null-element.la \
	tests/plugin/fixtures/null-infer.la \
	tests/plugin/fixtures/null-list.la \
	tests/plugin/fixtures/null-optional.la \
	tests/plugin/fixtures/null-run.la \
	tests/plugin/fixtures/older.la \
	tests/plugin/fixtures/other-major.la \
	tests/plugin/fixtures/ragged.la \
	tests/plugin/fixtures/refuses.la \
	tests/plugin/fixtures/refuses-silently.la \
	tests/plugin/fixtures/rival.la \
	tests/plugin/fixtures/tiny.la \
	tests/plugin/fixtures/twice.la \
	tests/plugin/fixtures/undefined.la \
	tests/plugin/fixtures/unknown-flags.la \
	tests/plugin/fixtures/unknown-kind.la \
	tests/plugin/fixtures/whole.la \
	tests/plugin/fixtures/wrong-major.la \
	$(NULL)
tests_plugin_fixtures_bad_alias_la_SOURCES = tests/plugin/fixtures/bad-alias.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_bad_alias_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_bad_alias_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_bad_name_la_SOURCES = tests/plugin/fixtures/bad-name.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_bad_name_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_bad_name_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_bad_op_name_la_SOURCES = tests/plugin/fixtures/bad-op-name.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_bad_op_name_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_bad_op_name_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_half_fold_la_SOURCES = tests/plugin/fixtures/half-fold.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_half_fold_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_half_fold_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_huge_la_SOURCES = tests/plugin/fixtures/huge.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_huge_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_huge_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_namesake_la_SOURCES = tests/plugin/fixtures/namesake.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_namesake_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_namesake_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_newer_la_SOURCES = tests/plugin/fixtures/newer.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_newer_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_newer_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_no_entry_la_SOURCES = tests/plugin/fixtures/no-entry.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_no_entry_la_CPPFLAGS = $(plugin_cppflags)
# it exports another symbol than plugins do
tests_plugin_fixtures_no_entry_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_plugin_fixtures_no_name_la_SOURCES = tests/plugin/fixtures/no-name.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_no_name_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_no_name_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_no_size_la_SOURCES = tests/plugin/fixtures/no-size.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_no_size_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_no_size_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_no_summary_la_SOURCES = tests/plugin/fixtures/no-summary.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_no_summary_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_no_summary_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_no_targets_la_SOURCES = tests/plugin/fixtures/no-targets.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_no_targets_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_no_targets_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_descriptor_la_SOURCES = tests/plugin/fixtures/null-descriptor.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_descriptor_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_descriptor_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_element_la_SOURCES = tests/plugin/fixtures/null-element.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_element_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_element_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_infer_la_SOURCES = tests/plugin/fixtures/null-infer.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_infer_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_infer_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_list_la_SOURCES = tests/plugin/fixtures/null-list.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_list_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_list_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_optional_la_SOURCES = tests/plugin/fixtures/null-optional.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_optional_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_optional_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_null_run_la_SOURCES = tests/plugin/fixtures/null-run.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_null_run_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_null_run_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_older_la_SOURCES = tests/plugin/fixtures/older.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_older_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_older_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_other_major_la_SOURCES = tests/plugin/fixtures/other-major.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_other_major_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_other_major_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_ragged_la_SOURCES = tests/plugin/fixtures/ragged.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_ragged_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_ragged_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_refuses_la_SOURCES = tests/plugin/fixtures/refuses.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_refuses_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_refuses_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_refuses_silently_la_SOURCES = tests/plugin/fixtures/refuses-silently.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_refuses_silently_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_refuses_silently_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_rival_la_SOURCES = tests/plugin/fixtures/rival.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_rival_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_rival_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_tiny_la_SOURCES = tests/plugin/fixtures/tiny.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_tiny_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_tiny_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_twice_la_SOURCES = tests/plugin/fixtures/twice.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_twice_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_twice_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_undefined_la_SOURCES = tests/plugin/fixtures/undefined.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_undefined_la_CPPFLAGS = $(plugin_cppflags)
# it wants a symbol that nobody has: that is what it is for
tests_plugin_fixtures_undefined_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_plugin_fixtures_unknown_flags_la_SOURCES = tests/plugin/fixtures/unknown-flags.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_unknown_flags_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_unknown_flags_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_unknown_kind_la_SOURCES = tests/plugin/fixtures/unknown-kind.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_unknown_kind_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_unknown_kind_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_whole_la_SOURCES = tests/plugin/fixtures/whole.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_whole_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_whole_la_LDFLAGS = $(fixture_ldflags)
tests_plugin_fixtures_wrong_major_la_SOURCES = tests/plugin/fixtures/wrong-major.c tests/plugin/fixtures/fixture.h
tests_plugin_fixtures_wrong_major_la_CPPFLAGS = $(plugin_cppflags)
tests_plugin_fixtures_wrong_major_la_LDFLAGS = $(fixture_ldflags)

TESTS += \
	tests/plugin/backend.sh \
	tests/plugin/fuzz.sh \
	tests/plugin/headers.sh \
	tests/plugin/layout.sh \
	tests/plugin/listing.sh \
	tests/plugin/loading.sh \
	tests/plugin/manual.sh \
	tests/plugin/outside.sh \
	tests/plugin/symbols.sh \
	$(NULL)

check_PROGRAMS += tests/plugin/layout
tests_plugin_layout_CPPFLAGS = $(plugin_cppflags)
tests_plugin_layout_SOURCES = tests/plugin/layout.c

check_PROGRAMS += tests/plugin/replay
tests_plugin_replay_SOURCES = tests/plugin/fuzz_descriptor.c tests/plugin/replay.c
tests_plugin_replay_LDADD = libtfcore.la

if FUZZERS
noinst_PROGRAMS += tests/plugin/fuzz_descriptor
tests_plugin_fuzz_descriptor_SOURCES = tests/plugin/fuzz_descriptor.c
tests_plugin_fuzz_descriptor_LDADD = libtfcore.la
tests_plugin_fuzz_descriptor_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif

if HAVE_CHECK
check_PROGRAMS += tests/plugin/check_registry
TESTS += tests/plugin/check_registry
tests_plugin_check_registry_SOURCES = tests/plugin/check_registry.c
tests_plugin_check_registry_CPPFLAGS = $(unit_cppflags)
tests_plugin_check_registry_LDADD = $(unit_libs)
endif

EXTRA_DIST += \
	tests/plugin/backend.expected \
	tests/plugin/backend.py \
	tests/plugin/backend.sh \
	tests/plugin/descriptor.corpus \
	tests/plugin/fuzz.sh \
	tests/plugin/headers.sh \
	tests/plugin/layout.expected \
	tests/plugin/layout.sh \
	tests/plugin/listing.sh \
	tests/plugin/loading.sh \
	tests/plugin/manual.sh \
	tests/plugin/outside.sh \
	tests/plugin/symbols.sh \
	tests/plugin/fixtures/bad-alias.expected \
	tests/plugin/fixtures/bad-name.expected \
	tests/plugin/fixtures/bad-op-name.expected \
	tests/plugin/fixtures/half-fold.expected \
	tests/plugin/fixtures/huge.expected \
	tests/plugin/fixtures/namesake.expected \
	tests/plugin/fixtures/newer.expected \
	tests/plugin/fixtures/no-entry.expected \
	tests/plugin/fixtures/no-name.expected \
	tests/plugin/fixtures/no-size.expected \
	tests/plugin/fixtures/no-summary.expected \
	tests/plugin/fixtures/no-targets.expected \
	tests/plugin/fixtures/null-descriptor.expected \
	tests/plugin/fixtures/null-element.expected \
	tests/plugin/fixtures/null-infer.expected \
	tests/plugin/fixtures/null-list.expected \
	tests/plugin/fixtures/null-optional.expected \
	tests/plugin/fixtures/null-run.expected \
	tests/plugin/fixtures/older.expected \
	tests/plugin/fixtures/other-major.expected \
	tests/plugin/fixtures/ragged.expected \
	tests/plugin/fixtures/refuses.expected \
	tests/plugin/fixtures/refuses-silently.expected \
	tests/plugin/fixtures/rival.expected \
	tests/plugin/fixtures/tiny.expected \
	tests/plugin/fixtures/twice.expected \
	tests/plugin/fixtures/undefined.expected \
	tests/plugin/fixtures/unknown-flags.expected \
	tests/plugin/fixtures/unknown-kind.expected \
	tests/plugin/fixtures/whole.expected \
	tests/plugin/fixtures/wrong-major.expected \
	tests/plugin/fixtures/_directory.expected \
	tests/plugin/fixtures/_missing.expected \
	tests/plugin/fixtures/_fifo.expected \
	tests/plugin/fixtures/_text.expected \
	tests/plugin/fixtures/_truncated.expected \
	tests/plugin/fixtures/_unsafe-file.expected \
	tests/plugin/fixtures/_unsafe-directory.expected \
	tests/plugin/fixtures/_name.expected \
	tests/plugin/fixtures/_pair.expected \
	tests/plugin/fixtures/_same-name.expected \
	tests/plugin/fixtures/_same-file.expected \
	$(NULL)
