# SPDX-License-Identifier: MIT
dist_bashcompletion_DATA = completions/tilefoundry
