# SPDX-License-Identifier: MIT
libtfcore_la_SOURCES += \
	src/target/compiled.c \
	src/target/document.c \
	src/target/document.h \
	src/target/facts.c \
	src/target/join.c \
	src/target/open.c \
	src/target/sha256.c \
	src/target/sha256.h \
	src/target/target.h \
	src/target/xml.h \
	$(NULL)
nodist_libtfcore_la_SOURCES = src/target/schema.c

module_LTLIBRARIES += modules/xml.la
modules_xml_la_SOURCES = src/target/xml_module.c
modules_xml_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBXML2_CFLAGS)
modules_xml_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(DEFS_LDFLAGS)
modules_xml_la_LIBADD = $(LIBXML2_LIBS)

# The schema travels inside the program: validation must not depend on a file that can be lost.
src/target/schema.c: $(top_srcdir)/schemas/target.rng
	$(AM_V_GEN)$(MKDIR_P) src/target && { echo '#include "target/document.h"'; \
	echo 'const char target_schema[] ='; \
	$(SED) -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$$/\\n"/' $(top_srcdir)/schemas/target.rng; \
	echo '    ;'; echo 'const size_t target_schema_length = sizeof(target_schema) - 1;'; } > $@.tmp && mv $@.tmp $@
BUILT_SOURCES += src/target/schema.c
CLEANFILES += src/target/schema.c

dist_schema_DATA = schemas/target.rng
