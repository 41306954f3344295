# SPDX-License-Identifier: MIT
# mdoc sources; `make lint-man` holds them to both formatters.
lint-man:
	@for page in $(dist_man_MANS); do \
	  page=$(srcdir)/$$page; \
	  if test -n "$(MANDOC)"; then $(MANDOC) -T lint $$page | grep -v 'referenced manual not found' && exit 1; fi; \
	  if test -n "$(GROFF)"; then test -z "`$(GROFF) -ww -b -mdoc -Tutf8 $$page 2>&1 >/dev/null`" || { $(GROFF) -ww -b -mdoc -Tutf8 $$page >/dev/null; exit 1; }; fi; \
	done; echo "manual pages are clean"
.PHONY: lint-man

dist_man_MANS += \
	man/tilefoundry.1 \
	man/tilefoundry-analyze.1 \
	man/tilefoundry-bench.1 \
	man/tilefoundry-check.1 \
	man/tilefoundry-emit.1 \
	man/tilefoundry-eval.1 \
	man/tilefoundry-plugin.1 \
	man/tilefoundry-plugin.3 \
	man/tilefoundry-target.1 \
	man/tilefoundry-targets.5 \
	man/tilefoundry-twin.3 \
	man/tilefoundry-language.7 \
	man/tilefoundry-paths.7 \
	man/tilefoundry-cuda-h200.7 \
	$(NULL)
