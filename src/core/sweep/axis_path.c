/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/axis_path.h"

#include <stddef.h>
#include <string.h>

#include "base/words.h"

static const char *const whole_paths[] = {
    [DSM__PATH_WORKLOAD] = "workload",
    [DSM__PATH_SYSTEM] = "system",
    [DSM__PATH_OPTION + DSM__OPTION_MODE] = "options.mode",
    [DSM__PATH_OPTION + DSM__OPTION_OPTIMIZE] = "options.optimize",
    [DSM__PATH_OPTION + DSM__OPTION_PARALLELISM] = "options.parallelism",
    [DSM__PATH_OPTION + DSM__OPTION_AS_RUN_BY] = "options.as_run_by",
    [DSM__PATH_OPTION + DSM__OPTION_STAGES_AT] = "options.stages_at",
    [DSM__PATH_OPTION + DSM__OPTION_SCHEDULE] = "options.schedule",
    [DSM__PATH_OPTION + DSM__OPTION_RECOMPUTATION] = "options.recomputation",
    [DSM__PATH_OPTION + DSM__OPTION_SHARD_LEVEL] = "options.shard_level",
    [DSM__PATH_OPTION + DSM__OPTION_OBJECTIVE] = "options.objective",
    [DSM__PATH_OPTION + DSM__OPTION_POWER_CAP] = "options.power_cap_W",
};
enum { WHOLE_PATH_COUNT = sizeof whole_paths / sizeof whole_paths[0] };

static bool starts_with(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 && text[length] != '\0';
}

bool dsm__path_parse(const char *text, dsm__path_kind *kind) {
  for (size_t i = 0; i < WHOLE_PATH_COUNT; i++) {
    if (whole_paths[i] != NULL && strcmp(text, whole_paths[i]) == 0) {
      *kind = (dsm__path_kind)i;
      return true;
    }
  }
  *kind =
      starts_with(text, DSM__WORKLOAD_PREFIX) ? DSM__PATH_WORKLOAD_VALUE : DSM__PATH_SYSTEM_VALUE;
  return starts_with(text, DSM__WORKLOAD_PREFIX) || starts_with(text, DSM__SYSTEM_PREFIX);
}

const char *dsm__path_below(const char *path, dsm__path_kind kind) {
  return path +
         (kind == DSM__PATH_WORKLOAD_VALUE ? sizeof DSM__WORKLOAD_PREFIX
                                           : sizeof DSM__SYSTEM_PREFIX) -
         1;
}

void dsm__path_hint(const char *text, char hint[DSM__PATH_HINT_SIZE]) {
  (void)dsm__nearest_hint(text, whole_paths, WHOLE_PATH_COUNT, hint, DSM__PATH_HINT_SIZE);
}
