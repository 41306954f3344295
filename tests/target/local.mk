# SPDX-License-Identifier: MIT
TESTS += \
	tests/target/bad.sh \
	tests/target/documents.sh \
	$(NULL)
EXTRA_DIST += \
	tests/target/bad \
	tests/target/bad.sh \
	tests/target/apple.m2_pro.show \
	tests/target/cpu.show \
	tests/target/documents.sh \
	tests/target/nvidia.b200_sxm.show \
	tests/target/nvidia.h200_sxm.show \
	$(NULL)

if HAVE_CHECK
check_PROGRAMS += tests/target/check_sha256
TESTS += tests/target/check_sha256
endif
tests_target_check_sha256_CPPFLAGS = $(unit_cppflags)
tests_target_check_sha256_LDADD = $(unit_libs)
