# SPDX-License-Identifier: MIT
dist_bashcompletion_DATA = completions/tilefoundry
dist_zshcompletion_DATA = completions/_tilefoundry
