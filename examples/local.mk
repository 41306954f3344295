# SPDX-License-Identifier: MIT
dist_example_DATA = \
	examples/rms_norm_quant.py \
	examples/rms_norm_quant_twin.c \
	examples/rms_norm_quant_twin.py \
	$(NULL)
