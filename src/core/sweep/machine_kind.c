/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/machine_kind.h"

#include <string.h>

#include "pim/pim_record.h"

bool dsm__is_for_pim(const dsm__json_node *description) {
  const dsm__json_node node = dsm__json_member(description, "format");
  const char *const format = dsm__json_text(&node);
  return format != NULL && (strcmp(format, dsm__rl_workload_record.format) == 0 ||
                            strcmp(format, dsm__pim_system_record.format) == 0);
}

/* Quotes within a text are escaped: this is a key and its value. */
bool dsm__is_input_for_pim(const dsm_sweep_input *input) {
  return strstr(input->text, "\"format\":\"dsm-rl-workload/1\"") != NULL ||
         strstr(input->text, "\"format\":\"dsm-pim-system/1\"") != NULL;
}
