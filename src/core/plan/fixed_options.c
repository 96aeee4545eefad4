/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/fixed_options.h"

size_t dsm__fixed_options(const dsm_explore_options *options,
                          dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX]) {
  const dsm__fixed_option all[DSM__FIXED_OPTIONS_MAX] = {
      {"stages", "--stages", (double)options->stages, NULL},
      {"micro_batches", "--micro-batches", (double)options->micro_batches, NULL},
      {"interleave", "--interleave", (double)options->interleave, NULL},
      {"stages_at", "--stages-at", options->stages_at, dsm_stages_at_name(options->stages_at)},
      {"schedule", "--schedule", options->schedule, dsm_schedule_name(options->schedule)},
      {"recomputation", "--recompute", options->recomputation,
       dsm_recomputation_name(options->recomputation)},
      {"as_run_by", "--as-run-by", options->as_run_by, dsm_as_run_by_name(options->as_run_by)},
      {"shard_level", "--shard", options->shard_level, dsm_shard_level_name(options->shard_level)},
      {"objective", "--objective", options->aim, dsm_aim_name(options->aim)},
      {"power_cap_W", "--power-cap", options->power_cap_watts, NULL},
  };
  size_t count = 0;
  for (size_t i = 0; i < DSM__FIXED_OPTIONS_MAX; i++) {
    if (all[i].number > 0) {
      fixed[count++] = all[i];
    }
  }
  return count;
}
