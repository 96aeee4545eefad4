/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/machine_kind.h"

#include <string.h>

#include "base/companion.h"
#include "dsm/plan.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static dsm_status parse(void **plan, const char *text, size_t length, const char *file,
                        dsm_diags *diags) {
  dsm_plan *made = NULL;
  const dsm_status status = dsm_plan_parse(&made, text, length, file, NULL, diags);
  *plan = made;
  return status;
}

const dsm__machine dsm__network_machine = {
    .inputs = {&dsm__workload_description, &dsm__system_description}, .parse = parse};

const dsm__machine *dsm__companion_machine(size_t index) {
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    if (dsm__companions[c]->machine != NULL && index-- == 0) {
      return dsm__companions[c]->machine;
    }
  }
  return NULL;
}

const dsm__machine *dsm__machine_of_format(const char *format) {
  const dsm__machine *machine = NULL;
  for (size_t m = 0; format != NULL && (machine = dsm__companion_machine(m)) != NULL; m++) {
    if (strcmp(machine->inputs[0]->format, format) == 0 ||
        strcmp(machine->inputs[1]->format, format) == 0) {
      return machine;
    }
  }
  return &dsm__network_machine;
}

const dsm__machine *dsm__machine_of_text(const char *text) {
  const dsm__machine *machine = NULL;
  for (size_t m = 0; (machine = dsm__companion_machine(m)) != NULL; m++) {
    if (dsm__has_format(text, machine->inputs[0]->format) ||
        dsm__has_format(text, machine->inputs[1]->format)) {
      return machine;
    }
  }
  return &dsm__network_machine;
}

/* Quotes within a text are escaped: this is a key and its value. */
bool dsm__has_format(const char *text, const char *format) {
  static const char key[] = "\"format\":\"";
  const size_t length = strlen(format);
  const char *at = strstr(text, key);
  while (at != NULL) {
    at += sizeof key - 1;
    if (strncmp(at, format, length) == 0 && at[length] == '"') {
      return true;
    }
    at = strstr(at, key);
  }
  return false;
}
