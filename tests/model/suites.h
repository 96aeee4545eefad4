/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the model room: one for each source file, and one each for what several
 * of them do together (what is held, layouts of passes, properties). */
#ifndef DSM_TESTS_MODEL_SUITES_H
#define DSM_TESTS_MODEL_SUITES_H

#include <math.h>

#include <check.h>

Suite *suite_attention(void);
Suite *suite_energy(void);
Suite *suite_attention_kernel(void);
Suite *suite_auxiliary(void);
Suite *suite_auxiliary_traffic(void);
Suite *suite_capacity(void);
Suite *suite_chip_bytes(void);
Suite *suite_chip_link(void);
Suite *suite_collective(void);
Suite *suite_compute(void);
Suite *suite_core_link(void);
Suite *suite_cost(void);
Suite *suite_element_sizes(void);
Suite *suite_held_table(void);
Suite *suite_held_traffic(void);
Suite *suite_hoist(void);
Suite *suite_interconnect(void);
Suite *suite_layout_move(void);
Suite *suite_layouts(void);
Suite *suite_machine(void);
Suite *suite_mapping(void);
Suite *suite_memory_traffic(void);
Suite *suite_names(void);
Suite *suite_overlap(void);
Suite *suite_properties(void);
Suite *suite_residency(void);
Suite *suite_roles(void);
Suite *suite_stage_link(void);
Suite *suite_roles_hand(void);
Suite *suite_pass_roles(void);
Suite *suite_shortcuts(void);
Suite *suite_spatial(void);
Suite *suite_rotation(void);
Suite *suite_tiles(void);
Suite *suite_tied_table(void);
Suite *suite_shared_memory(void);
Suite *suite_shared_weights(void);
Suite *suite_tiling(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/** Equal but for the rounding of a few operations. */
#define ASSERT_CLOSE(actual, expected)                                                             \
  ck_assert_double_eq_tol((actual), (expected), 1e-12 * (1 + fabs((double)(expected))))

#endif
