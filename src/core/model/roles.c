/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.c: the table of roles (section 3). A new parallelism is a new row. */
#include "model/role_row.h"

#define BIT(what) (1U << (unsigned)DSM_DIVIDED_##what)
#define FEATURES_OF_ALL (BIT(INPUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS))

const dsm__role_row dsm__role_rows[DSM_ROLE_COUNT] = {
    [DSM_ROLE_DATA] = {DSM_LAYOUT_SAMPLES, DSM_LAYOUT_SAMPLES, BIT(SAMPLES), DSM__WEIGHT_CUT_NONE,
                       DSM__ROLE_SUMS_GRADIENTS},
    [DSM_ROLE_SPATIAL] = {DSM_LAYOUT_POSITIONS, DSM_LAYOUT_POSITIONS, BIT(POSITIONS),
                          DSM__WEIGHT_CUT_NONE, DSM__ROLE_SUMS_GRADIENTS | DSM__ROLE_SHIFTS_ROWS},
    [DSM_ROLE_MODEL] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                        BIT(IN) | BIT(OUT) | BIT(IN_TURNS) | FEATURES_OF_ALL, DSM__WEIGHT_CUT_OUT,
                        0},
    [DSM_ROLE_MODEL_OUT] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                            BIT(IN) | BIT(OUT) | BIT(OUT_TURNS) | FEATURES_OF_ALL,
                            DSM__WEIGHT_CUT_IN, 0},
    [DSM_ROLE_COLUMN] = {DSM_LAYOUT_WHOLE, DSM_LAYOUT_FEATURES,
                         BIT(OUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS), DSM__WEIGHT_CUT_OUT,
                         DSM__ROLE_REDUCES_ERROR},
    [DSM_ROLE_ROW] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_WHOLE, BIT(IN) | BIT(INPUT) | BIT(WEIGHTS),
                      DSM__WEIGHT_CUT_IN, DSM__ROLE_REDUCES_OUTPUT},
    [DSM_ROLE_GATHER_COLUMN] = {DSM_LAYOUT_POSITIONS, DSM_LAYOUT_FEATURES,
                                BIT(OUT) | BIT(RAW) | BIT(STORED) | BIT(WEIGHTS),
                                DSM__WEIGHT_CUT_OUT, DSM__ROLE_GATHERS_INPUT},
    [DSM_ROLE_ROW_SCATTER] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_POSITIONS,
                              BIT(IN) | BIT(INPUT) | BIT(STORED) | BIT(WEIGHTS), DSM__WEIGHT_CUT_IN,
                              DSM__ROLE_SCATTERS_OUTPUT},
    [DSM_ROLE_HEADS] = {DSM_LAYOUT_FEATURES, DSM_LAYOUT_FEATURES,
                        BIT(IN) | BIT(OUT) | BIT(GROUPS) | FEATURES_OF_ALL, DSM__WEIGHT_CUT_GROUP,
                        0},
    [DSM_ROLE_EXPERT] = {DSM_LAYOUT_SAMPLES, DSM_LAYOUT_SAMPLES,
                         BIT(IN) | BIT(OUT) | BIT(GROUPS) | FEATURES_OF_ALL, DSM__WEIGHT_CUT_GROUP,
                         DSM__ROLE_SENDS_TOKENS},
    [DSM_ROLE_WHOLE] = {DSM_LAYOUT_WHOLE, DSM_LAYOUT_WHOLE, 0, DSM__WEIGHT_CUT_NONE, 0},
};

dsm_layout dsm_role_input_layout(dsm_role role) {
  return dsm__role_rows[role].input;
}

dsm_layout dsm_role_output_layout(dsm_role role) {
  return dsm__role_rows[role].output;
}

bool dsm_role_divides(dsm_role role, dsm_divided what) {
  return (dsm__role_rows[role].divides >> (unsigned)what & 1U) != 0;
}
