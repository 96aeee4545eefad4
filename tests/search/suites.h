/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_SEARCH_SUITES_H
#define DSM_TESTS_SEARCH_SUITES_H

#include <check.h>

Suite *suite_core_splits(void);
Suite *suite_distinct(void);
Suite *suite_layer_search(void);
Suite *suite_graph(void);
Suite *suite_graph_large(void);
Suite *suite_graph_runs(void);
Suite *suite_row_allocation(void);
Suite *suite_lives(void);
Suite *suite_groups(void);
Suite *suite_widths(void);
Suite *suite_bounding(void);
Suite *suite_layouts(void);
Suite *suite_cut(void);
Suite *suite_explore(void);
Suite *suite_explorer(void);
Suite *suite_explain(void);
Suite *suite_preload(void);
Suite *suite_what_if(void);
Suite *suite_axes(void);
Suite *suite_fused(void);
Suite *suite_properties(void);
Suite *suite_roles(void);
Suite *suite_role_floors(void);
Suite *suite_held_roles(void);
Suite *suite_optimizations(void);
Suite *suite_published(void);
Suite *suite_residents(void);
Suite *suite_limits(void);
Suite *suite_micro_batches(void);
Suite *suite_stages(void);
Suite *suite_interleave(void);
Suite *suite_zero_bubble(void);
Suite *suite_going_on(void);
Suite *suite_keeping(void);
Suite *suite_as_run(void);
Suite *suite_divided(void);
Suite *suite_operations(void);
Suite *suite_recomputation(void);
Suite *suite_kept_activations(void);
Suite *suite_kept_activations(void);
Suite *suite_short_memory(void);
Suite *suite_stage_bounds(void);
Suite *suite_objectives(void);

#endif
