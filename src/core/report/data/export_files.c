/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/export_files.h"

#include "base/arena.h"
#include "base/diag_add.h"

dsm_status dsm__export_add(dsm_export *to, const char *name, const char *text, size_t length,
                           dsm_diags *diags) {
  const dsm_named_text file = {.name = name,
                               .text = text == NULL ? NULL
                                                    : dsm__arena_strndup(to->arena, text, length),
                               .length = length};
  to->files[to->file_count++] = file;
  return file.text == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

dsm_status dsm__export_finish(dsm_export **made, dsm_export *out, dsm_status status) {
  if (status == DSM_OK) {
    *made = out;
  } else {
    dsm_export_free(out);
  }
  return status;
}

DSM__ARENA_FREE(dsm_export, dsm_export_free);
