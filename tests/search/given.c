/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "given.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"

enum { OVERRIDES_MAX = 40 };

static const dsm_override small[] = {
    {"array.rows", "4", NULL},
    {"array.columns", "4", NULL},
    {"pe.simd_macs", "1", NULL},
    {"array.startup_cycles", "40", NULL},
    {"core.scratchpad_MiB", "0.0625", NULL},
    {"core.streaming_buffer_KiB", "8", NULL},
    {"chip.cores", "4", NULL},
    {"chip.memory.bandwidth_GBps", "8", NULL},
    {"system.chips_x", "2", NULL},
    {"system.chips_y", "2", NULL},
    {"system.link_bandwidth_x_GBps", "12", NULL},
    {"system.link_bandwidth_y_GBps", "4", NULL},
};
enum { SMALL_COUNT = sizeof small / sizeof small[0] };

dsm_workload *given_network(const char *minibatch, const char *layers) {
  const size_t size = strlen(layers) + 256;
  char *const text = malloc(size);
  ck_assert_ptr_nonnull(text);
  snprintf(text, size,
           "{'format': 'dsm-workload/1', 'name': 'given', 'minibatch': %s, 'layers': [%s]}",
           minibatch, layers);
  for (char *c = text; *c != '\0'; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  dsm_workload *workload = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status =
      dsm_workload_parse(&workload, text, strlen(text), "given", NULL, 0, diags);
  ck_assert_msg(status == DSM_OK, "%s: %s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "", text);
  dsm_diags_free(diags);
  free(text);
  return workload;
}

dsm_system *given_system(const dsm_override *overrides, size_t count) {
  dsm_override all[OVERRIDES_MAX];
  ck_assert_uint_le(SMALL_COUNT + count, OVERRIDES_MAX);
  memcpy(all, small, sizeof small);
  for (size_t i = 0; i < count; i++) {
    all[SMALL_COUNT + i] = overrides[i];
  }
  return bundled_system_with("torus64", all, SMALL_COUNT + count);
}
