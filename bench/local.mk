# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	bench/analyze.sh \
	bench/check.sh \
	bench/common.sh \
	bench/gemm.sh \
	bench/generate.sh \
	bench/norm_quant.sh \
	bench/results/analyze-2026-11-30.md \
	bench/results/kernels-2026-12-01.md \
	$(NULL)

# PEER=COMMAND compares with another implementation in the same run; PYTHON=COMMAND, a Python with torch, numpy and
# safetensors, measures evaluation, check and kernels too.
bench: all
	sh $(srcdir)/bench/analyze.sh $(abs_top_builddir)/tilefoundry $(PEER)
	if test -n "$(PYTHON)"; then sh $(srcdir)/bench/norm_quant.sh $(abs_top_builddir)/tilefoundry $(PYTHON) && \
	  sh $(srcdir)/bench/gemm.sh $(abs_top_builddir)/tilefoundry $(PYTHON); fi
	if test -n "$(PYTHON)" && test -n "$(PEER)"; then \
	  sh $(srcdir)/bench/check.sh $(abs_top_builddir)/tilefoundry $(PYTHON) $(PEER); fi
.PHONY: bench
