/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/axis_path.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

#define OPTION_PREFIX "options."

static bool starts_with(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 && text[length] != '\0';
}

bool dsm__path_parse(const char *text, dsm__path_kind *kind) {
  if (strcmp(text, "workload") == 0 || strcmp(text, "system") == 0) {
    *kind = text[0] == 'w' ? DSM__PATH_WORKLOAD : DSM__PATH_SYSTEM;
    return true;
  }
  for (size_t o = 0; starts_with(text, OPTION_PREFIX) && o < DSM__SWEEP_OPTION_COUNT; o++) {
    if (strcmp(text + sizeof OPTION_PREFIX - 1, dsm__sweep_options[o].key) == 0) {
      *kind = DSM__PATH_OPTION + (dsm__path_kind)o;
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
  char paths[DSM__SWEEP_OPTION_COUNT][DSM__PATH_HINT_SIZE];
  const char *names[2 + DSM__SWEEP_OPTION_COUNT] = {"workload", "system"};
  for (size_t o = 0; o < DSM__SWEEP_OPTION_COUNT; o++) {
    (void)snprintf(paths[o], sizeof paths[o], OPTION_PREFIX "%s", dsm__sweep_options[o].key);
    names[2 + o] = paths[o];
  }
  (void)dsm__nearest_hint(text, names, 2 + DSM__SWEEP_OPTION_COUNT, hint, DSM__PATH_HINT_SIZE);
}
