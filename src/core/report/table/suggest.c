/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/suggest.h"

#include "base/diag_add.h"
#include "base/words.h"

const char *dsm_suggest(const char *text, const char *const *words, size_t count) {
  return dsm__nearest(text, words, count);
}

void dsm_diags_append(dsm_diags *diags, const dsm_diag *diag) {
  const dsm__place place = {
      .file = diag->file, .line = diag->line, .column = diag->column, .path = diag->path};
  dsm__diags_add(diags, diag->severity, place, diag->hint, "%s", diag->message);
}
