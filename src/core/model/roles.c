/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.c: the table of roles (section 3). */
#include "dsm/role.h"

#include "model/names.h"

/* Source: section 3. A new parallelism is a new row. */
typedef struct role_row {
  dsm_layout input;
  dsm_layout output;
  unsigned divides; /* bits of dsm_divided */
} role_row;

#define BIT(what) (1U << (unsigned)DSM_DIVIDED_##what)

static const role_row rows[] = {
    [DSM_ROLE_DATA] = {DSM_LAYOUT_SAMPLES, DSM_LAYOUT_SAMPLES, BIT(SAMPLES)},
    [DSM_ROLE_SPATIAL] = {DSM_LAYOUT_POSITIONS, DSM_LAYOUT_POSITIONS, BIT(POSITIONS)},
    [DSM_ROLE_MODEL] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                        BIT(IN) | BIT(OUT) | BIT(IN_TURNS) | BIT(INPUT) | BIT(RAW) | BIT(STORED) |
                            BIT(WEIGHTS)},
    [DSM_ROLE_MODEL_OUT] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                            BIT(IN) | BIT(OUT) | BIT(OUT_TURNS) | BIT(INPUT) | BIT(RAW) |
                                BIT(STORED) | BIT(WEIGHTS)},
    [DSM_ROLE_COLUMN] = {DSM_LAYOUT_WHOLE, DSM_LAYOUT_FEATURES,
                         BIT(OUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS)},
    [DSM_ROLE_ROW] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_WHOLE, BIT(IN) | BIT(INPUT) | BIT(WEIGHTS)},
    [DSM_ROLE_GATHER_COLUMN] = {DSM_LAYOUT_POSITIONS, DSM_LAYOUT_FEATURES,
                                BIT(OUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS)},
    [DSM_ROLE_ROW_SCATTER] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_POSITIONS,
                              BIT(IN) | BIT(INPUT) | BIT(STORED) | BIT(WEIGHTS)},
    [DSM_ROLE_HEADS] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                        BIT(IN) | BIT(OUT) | BIT(GROUPS) | BIT(INPUT) | BIT(RAW) | BIT(STORED) |
                            BIT(WEIGHTS)},
    [DSM_ROLE_EXPERT] = {DSM_LAYOUT_SAMPLES, DSM_LAYOUT_SAMPLES,
                         BIT(IN) | BIT(OUT) | BIT(GROUPS) | BIT(INPUT) | BIT(RAW) | BIT(STORED) |
                             BIT(WEIGHTS)},
    [DSM_ROLE_WHOLE] = {DSM_LAYOUT_WHOLE, DSM_LAYOUT_WHOLE, 0},
};
_Static_assert(sizeof rows / sizeof rows[0] == DSM_ROLE_COUNT, "a row for each role");

dsm_layout dsm_role_input_layout(dsm_role role) {
  return rows[role].input;
}

dsm_layout dsm_role_output_layout(dsm_role role) {
  return rows[role].output;
}

bool dsm_role_divides(dsm_role role, dsm_divided what) {
  return (rows[role].divides >> (unsigned)what & 1U) != 0;
}
