# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/plugin/check.c \
	src/plugin/claims.c \
	src/plugin/claims.h \
	src/plugin/host.c \
	src/plugin/index.c \
	src/plugin/launches.c \
	src/plugin/launches.h \
	src/plugin/load.c \
	src/plugin/lowered.c \
	src/plugin/lowered.h \
	src/plugin/module.h \
	src/plugin/numbers.h \
	src/plugin/records.h \
	src/plugin/registry.c \
	src/plugin/registry.h \
	src/plugin/search.c \
	$(NULL)

# What each plugin provides, so that a run opens only those that it needs.  Without it, or when it is stale, runs are right
# and slower.
plugin_index = plugins/.libs/plugins.index
all_local += $(plugin_index)
CLEANFILES += $(plugin_index)
$(plugin_index): tilefoundry$(EXEEXT) $(plugin_LTLIBRARIES)
	$(AM_V_GEN)./tilefoundry$(EXEEXT) plugin index plugins/.libs

install_data_hooks += install-plugin-index
uninstall_hooks += uninstall-plugin-index
.PHONY: install-plugin-index uninstall-plugin-index
install-plugin-index:
	./tilefoundry$(EXEEXT) plugin index '$(DESTDIR)$(plugindir)'
uninstall-plugin-index:
	rm -f '$(DESTDIR)$(plugindir)/plugins.index'

pluginexampledir = $(exampledir)/plugin-scale
dist_pluginexample_DATA = \
	examples/plugin-scale/Makefile \
	examples/plugin-scale/census.c \
	examples/plugin-scale/op.c \
	examples/plugin-scale/plugin.c \
	examples/plugin-scale/scale.h \
	examples/plugin-scale/scaled.py \
	$(NULL)
