/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_write.c: writes a plan in the format "dsm-plan/1". */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/file.h"
#include "plan/plan_record.h"

char *dsm_plan_print(const dsm_plan *plan) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__record_write(&writer, &dsm__plan_record, plan);
  dsm__json_finish(&writer);
  return dsm__text_finish(&text);
}

dsm_status dsm_plan_save(const dsm_plan *plan, const char *path, dsm_diags *diags) {
  char *const text = dsm_plan_print(plan);
  if (text == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = dsm_file_write(path, text, strlen(text), diags);
  free(text);
  return status;
}
