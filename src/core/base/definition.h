/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition.h: names for expressions, such as "cost=2*chip_dollars". */
#ifndef DSM_BASE_DEFINITION_H
#define DSM_BASE_DEFINITION_H

#include "base/arena.h"
#include "dsm/diag.h"
#include "dsm/status.h"

/** A name, and the expression that it stands for. */
typedef struct dsm__definition {
  const char *name;       /**< an identifier */
  const char *expression; /**< begins with "="; may be none */
} dsm__definition;

/** Takes NAME=EXPRESSION, as --define says it, apart; both in the arena. DSM_ERROR_USAGE;
 * DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__definition_read(dsm__definition *made, const char *text,
                                              dsm__arena *arena, dsm_diags *diags);

#endif
