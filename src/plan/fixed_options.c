/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/fixed_options.h"

size_t dsm__fixed_options(const dsm_explore_options *options,
                          dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX]) {
  const dsm__fixed_option all[DSM__FIXED_OPTIONS_MAX] = {
      {"stages", "--stages", options->stages},
      {"micro_batches", "--micro-batches", options->micro_batches},
      {"interleave", "--interleave", options->interleave},
  };
  size_t count = 0;
  for (size_t i = 0; i < DSM__FIXED_OPTIONS_MAX; i++) {
    if (all[i].value > 0) {
      fixed[count++] = all[i];
    }
  }
  return count;
}
