# SPDX-License-Identifier: MIT
target_documents = \
	targets/apple.amx.xml \
	targets/apple.m2_pro.xml \
	targets/cpu.xml \
	targets/nvidia.b200_sxm.xml \
	targets/nvidia.h200_sxm.xml \
	targets/nvidia.sm100.xml \
	targets/nvidia.sm90.xml \
	$(NULL)
dist_target_DATA = $(target_documents)

# Compiled forms spare a run the XML parser; they are made by the program itself.
target_compiled = $(target_documents:.xml=.tfc)
nodist_target_DATA = $(target_compiled)
CLEANFILES += $(target_compiled)
targets/%.tfc: targets/%.xml tilefoundry$(EXEEXT) $(BUILDTREE) modules/xml.la
	$(AM_V_GEN)$(MKDIR_P) targets && ./tilefoundry target compile $< $@
