/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/description.h"

#include "base/companion.h"

dsm_status dsm__description_parse(void **made, const dsm__description *row,
                                  const dsm__json_input *input, dsm_diags *diags) {
  *made = row->make();
  const dsm_status status = dsm__json_doc_read(input, diags, row->read, *made);
  if (status != DSM_OK) {
    row->discard(*made);
    *made = NULL;
  }
  return status;
}

const dsm__description *dsm__companion_description(dsm_description kind) {
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    const dsm__description *const *row = dsm__companions[c]->descriptions;
    for (; *row != NULL; row++) {
      if ((*row)->kind == kind) {
        return *row;
      }
    }
  }
  return NULL;
}
