/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/definition.h"

#include <string.h>

#include "base/diag_add.h"
#include "base/expression.h"

enum { SHOWN_MAX = 128 };

dsm_status dsm__definition_read(dsm__definition *made, const char *text, dsm__arena *arena,
                                dsm_diags *diags) {
  const size_t length = strcspn(text, "=");
  made->name = dsm__arena_strndup(arena, text, length);
  made->expression = dsm__arena_printf(arena, "%s", text + length);
  if (made->name == NULL || made->expression == NULL) {
    return dsm__out_of_memory(diags);
  }
  return text[length] != '\0' && dsm__is_identifier(made->name)
             ? DSM_OK
             : dsm__refuse(diags, DSM_ERROR_USAGE,
                           "--define: expected NAME=EXPRESSION, found \"%.*s\"", SHOWN_MAX, text);
}
