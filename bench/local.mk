# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	bench/analyze.sh \
	bench/generate.sh \
	bench/results/analyze-2026-11-30.md \
	$(NULL)

# PEER=COMMAND compares with another implementation in the same run.
bench: all
	sh $(srcdir)/bench/analyze.sh $(abs_top_builddir)/tilefoundry $(PEER)
.PHONY: bench
