# SPDX-License-Identifier: MIT
dist_example_DATA = \
	examples/attention.py \
	examples/fp8_linear.py \
	examples/rms_norm_quant.py \
	examples/rms_norm_quant_faults.c \
	examples/rms_norm_quant_twin.c \
	examples/rms_norm_quant_twin.py \
	$(NULL)
