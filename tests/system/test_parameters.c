/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of parameters: required ones, defaults, and limits in pairs. */
#include "system/system_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine_text.h"
#include "suites.h"

static bool is_number(const dsm__parameter *parameter) {
  return parameter->kind == DSM__PARAMETER_COUNT || parameter->kind == DSM__PARAMETER_REAL;
}

/* ---- the documented defaults (docs/model.md, section 2) ---- */

START_TEST(test_absent_parameters_have_the_documented_defaults) {
  outcome read = read_minimal(NULL, 0);
  ck_assert_int_eq(read.status, DSM_OK);
  const dsm_system *const system = read.system;
  ck_assert_uint_eq(system->pe.simd_macs, 8);
  ck_assert_uint_eq(system->array.rows, 16);
  ck_assert_uint_eq(system->array.columns, 8);
  ck_assert_double_eq(system->array.startup_cycles, 1000);
  ck_assert(!system->array.unroll_kernel_on_rows);
  ck_assert(!system->array.weights_from_scratchpad);
  ck_assert_double_eq(system->core.sfu_ops_per_cycle, 16);
  ck_assert_double_eq(system->core.transcendental_passes, 4);
  ck_assert_double_eq(system->core.streaming_buffer_KiB, 192);
  ck_assert_double_eq(system->core.resident_weight_fraction, 0.75);
  ck_assert_double_eq(system->chip.memory.efficiency_ratio, 1);
  ck_assert_double_eq(system->model.bptt_resident_copies, 2);
  ck_assert_double_eq(system->model.relu_mask_bytes, 0.125);
  ck_assert_double_eq(system->model.batch_norm_saved_bytes, 0.125);
  ck_assert_double_eq(system->model.reduce_memory_bytes, 1);
  ck_assert_double_eq(system->model.broadcast_memory_bytes, 1);
  ck_assert_double_eq(system->model.reduce_ring_crossings, 2);
  ck_assert_double_eq(system->model.rotate_memory_bytes, 1);
  ck_assert_double_eq(system->model.relayout_memory_bytes, 2);
  ck_assert_double_eq(system->model.weight_update_memory_bytes, 2);
  ck_assert(!system->model.dysm_uniform);
  ck_assert(system->model.dysm_accumulate_in_memory);
  ck_assert_double_eq(system->model.partial_sum_bytes, 0);
  ck_assert(!system->model.exact_rotation);
  ck_assert(!system->model.exact_forks);
  ck_assert(!system->model.overlapped_hand_over);
  ck_assert(!system->model.pipeline_columns);
  ck_assert(!system->model.lstm_gate_errors);
  ck_assert(!system->model.statistics_sums);
  ck_assert(!system->model.two_way_relayout);
  ck_assert_int_eq(system->model.layout_move, DSM_LAYOUT_MOVE_NONE);
  ck_assert(!system->model.charge_held_masks);
  ck_assert(!system->model.prefer_holding);
  ck_assert(system->model.resident_operands);
  outcome_free(&read);
}
END_TEST

START_TEST(test_stated_parameters_are_kept) {
  outcome read = read_minimal(NULL, 0);
  ck_assert_int_eq(read.status, DSM_OK);
  const dsm_system *const system = read.system;
  ck_assert_str_eq(system->name, "minimal");
  ck_assert_ptr_null(system->source);
  ck_assert_double_eq(system->core.frequency_GHz, 1.5);
  ck_assert_double_eq(system->core.scratchpad_MiB, 0.5);
  ck_assert_double_eq(system->core.scratchpad_bandwidth_GBps, 64);
  ck_assert_uint_eq(system->chip.cores, 8);
  ck_assert_int_eq(system->chip.interconnect, DSM_INTERCONNECT_RING);
  ck_assert_double_eq(system->chip.core_link_bandwidth_GBps, 100);
  ck_assert_double_eq(system->chip.memory.capacity_GB, 4);
  ck_assert_double_eq(system->chip.memory.bandwidth_GBps, 200);
  ck_assert_int_eq(system->system.topology, DSM_TOPOLOGY_TORUS_2D);
  ck_assert_uint_eq(system->system.axes[0].chips, 4);
  ck_assert_uint_eq(system->system.axes[1].chips, 2);
  ck_assert_double_eq(system->system.axes[0].bandwidth_GBps, 50);
  ck_assert_double_eq(system->system.axes[1].bandwidth_GBps, 25);
  outcome_free(&read);
}
END_TEST

/* 2 * 8 cores * 1024 MACs * 1.5 GHz = 24.576 TFLOP/s a chip, of 200 GB/s */
START_TEST(test_peak_and_balance_follow_from_the_parameters) {
  outcome read = read_minimal(NULL, 0);
  ck_assert_double_eq_tol(dsm_system_peak_flops(read.system), 8 * 24.576e12, 1);
  ck_assert_double_eq_tol(dsm_system_machine_balance(read.system), 122.88, 1e-9);
  outcome_free(&read);
}
END_TEST

/* ---- limits: the last legal value and the first that is not ---- */

typedef struct limit_case {
  const char *path;
  const char *legal;
  const char *illegal;
} limit_case;

static const limit_case limits[] = {
    {"pe.simd_macs", "1", "0"},
    {"pe.simd_macs", "1048576", "1048577"},
    {"array.rows", "1", "0"},
    {"array.rows", "1048576", "1048577"},
    {"array.columns", "1", "0.5"},
    {"array.columns", "1048576", "1048577"},
    {"array.startup_cycles", "0", "-0.001"},
    {"array.startup_cycles", "1e9", "1000000001"},
    {"array.unroll_kernel_on_rows", "true", "1"},
    {"array.weights_from_scratchpad", "false", "null"},
    {"core.frequency_GHz", "1e-9", "9.9e-10"},
    {"core.frequency_GHz", "1e12", "1.0000001e12"},
    {"core.scratchpad_MiB", "1e-9", "0"},
    {"core.scratchpad_MiB", "1e12", "1e13"},
    {"core.scratchpad_bandwidth_GBps", "1e-9", "0"},
    {"core.scratchpad_bandwidth_GBps", "1e12", "1e300"},
    {"core.sfu_ops_per_cycle", "1e-9", "0"},
    {"core.sfu_ops_per_cycle", "1e12", "2e12"},
    {"core.transcendental_passes", "0", "-1"},
    {"core.transcendental_passes", "1e6", "1000001"},
    {"core.streaming_buffer_KiB", "0", "-1"},
    {"core.streaming_buffer_KiB", "1e9", "1000000001"},
    {"core.resident_weight_fraction", "0", "-0.01"},
    {"core.resident_weight_fraction", "1", "1.01"},
    {"chip.cores", "1", "0"},
    {"chip.cores", "1048576", "1048577"},
    {"chip.interconnect", "mesh", "star"},
    {"core.arrays", "4096", "4097"},
    {"core.arrays", "1", "0"},
    {"core.vector_macs_per_cycle", "0", "-1"},
    {"chip.core_link_bandwidth_GBps", "1e-9", "0"},
    {"chip.memory.capacity_GB", "1e-9", "0"},
    {"chip.memory.capacity_GB", "1e12", "1e12.5"},
    {"chip.memory.bandwidth_GBps", "1e-9", "-1"},
    {"chip.memory.efficiency_ratio", "1e-6", "9e-7"},
    {"chip.memory.efficiency_ratio", "1", "1.000001"},
    {"system.topology", "torus_2d", "torus_3d"},
    {"system.chips_x", "1", "0"},
    {"system.chips_x", "524288", "1048577"},
    {"system.chips_y", "1", "-1"},
    {"system.chips_y", "262144", "262145"}, /* times 4 */
    {"system.link_bandwidth_x_GBps", "1e-9", "0"},
    {"system.link_bandwidth_y_GBps", "1e12", "1e13"},
    {"model.bptt_resident_copies", "0", "-1"},
    {"model.relu_mask_bytes", "1024", "1024.5"},
    {"model.batch_norm_saved_bytes", "0", "-0.125"},
    {"model.reduce_memory_bytes", "1024", "1025"},
    {"model.broadcast_memory_bytes", "0", "-1"},
    {"model.reduce_ring_crossings", "1024", "1025"},
    {"model.rotate_memory_bytes", "0", "-1"},
    {"model.relayout_memory_bytes", "1024", "1025"},
    {"model.weight_update_memory_bytes", "0", "-1"},
    {"model.dysm_uniform", "true", "yes"},
    {"model.dysm_accumulate_in_memory", "false", "[]"},
    {"model.partial_sum_bytes", "1024", "1025"},
    {"model.partial_sum_bytes", "0", "-0.5"},
    {"model.layout_move", "exact", "sometimes"},
    {"model.exact_rotation", "true", "1"},
    {"model.exact_forks", "true", "1"},
    {"model.overlapped_hand_over", "true", "1"},
    {"model.pipeline_columns", "true", "1"},
    {"model.lstm_gate_errors", "true", "1"},
    {"model.statistics_sums", "true", "1"},
    {"model.two_way_relayout", "true", "1"},
    {"model.charge_held_masks", "true", "1"},
    {"model.prefer_holding", "true", "1"},
    {"model.resident_operands", "true", "1"},
};

START_TEST(test_last_legal_value_is_accepted) {
  outcome read = read_with(limits[_i].path, limits[_i].legal);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 0);
  outcome_free(&read);
}
END_TEST

START_TEST(test_first_illegal_value_is_refused) {
  outcome read = read_with(limits[_i].path, limits[_i].illegal);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read.system);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  outcome_free(&read);
}
END_TEST

/* What was a choice once: old files go on, and one that chose otherwise is told. */
START_TEST(test_retired_flag_is_read_and_has_one_value) {
  static const struct {
    const char *value;
    dsm_status status;
    size_t finding_count;
  } cases[] = {{"true", DSM_OK, 0}, {"false", DSM_OK, 1}, {"1", DSM_ERROR_INVALID, 1}};
  outcome read = read_with("model.exact_groups", cases[_i].value);
  ck_assert_int_eq(read.status, cases[_i].status);
  ck_assert_uint_eq(dsm_diags_count(read.diags), cases[_i].finding_count);
  if (cases[_i].finding_count > 0) {
    const dsm_diag *const found = dsm_diags_get(read.diags, 0);
    ck_assert_str_eq(found->path, "$.model.exact_groups");
    ck_assert_int_eq(found->severity,
                     read.status == DSM_OK ? DSM_SEVERITY_WARNING : DSM_SEVERITY_ERROR);
  }
  outcome_free(&read);
}
END_TEST

/* What works with a switch is part of the description where that is on, with its default too. */
START_TEST(test_parameters_in_use_are_stated) {
  static const struct {
    const char *path;
    const char *value;
    const char *key;
    size_t stated;
  } cases[] = {{"model.tile_schedule", "false", "core.tile_", 0},
               {"model.tile_schedule", "true", "core.tile_", 3},
               {"model.auxiliary_traffic", "none", "model.traffic_", 0},
               {"model.auxiliary_traffic", "fused", "model.traffic_", 12},
               {"model.auxiliary_traffic", "unfused", "model.traffic_", 30}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    outcome read = read_with(cases[i].path, cases[i].value);
    ck_assert_int_eq(read.status, DSM_OK);
    const dsm__stated_parameters stated = dsm__parameters_of(read.system);
    size_t found = 0;
    for (size_t p = 0; p < stated.count; p++) {
      found += strncmp(stated.items[p]->path, cases[i].key, strlen(cases[i].key)) == 0 ? 1 : 0;
    }
    ck_assert_uint_eq(found, cases[i].stated);
    outcome_free(&read);
  }
}
END_TEST

START_TEST(test_each_parameter_is_in_the_table_of_limits) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    bool is_found = dsm__parameters[p].is_neutral ||
                    dsm__parameters[p].axis > 0; /* unit.model has what they do */
    for (int i = 0; i < COUNT_OF(limits); i++) {
      is_found = is_found || strcmp(limits[i].path, dsm__parameters[p].path) == 0;
    }
    ck_assert_msg(is_found, "%s", dsm__parameters[p].path);
  }
}
END_TEST

START_TEST(test_defaults_are_within_the_limits) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    const dsm__parameter *const parameter = &dsm__parameters[p];
    if (is_number(parameter) && !parameter->is_required) {
      ck_assert_msg(parameter->fallback >= parameter->min && parameter->fallback <= parameter->max,
                    "%s", parameter->path);
    }
  }
}
END_TEST

/* The reader and the writer both rely on it. */
START_TEST(test_parameters_of_a_tier_stand_together) {
  for (size_t p = 2; p < dsm__parameter_count; p++) {
    const char *const path = dsm__parameters[p].path;
    const size_t tier = strcspn(path, ".");
    if (strncmp(path, dsm__parameters[p - 1].path, tier) == 0) {
      continue;
    }
    for (size_t q = 0; q + 1 < p; q++) {
      const bool is_same_tier = strcspn(dsm__parameters[q].path, ".") == tier &&
                                strncmp(path, dsm__parameters[q].path, tier) == 0;
      ck_assert_msg(!is_same_tier, "%s", path);
    }
  }
}
END_TEST

/* A parameter of an axis stands in a system of three axes, one of a spread, a shared memory or
 * storage beside the others. */
static outcome read_one(const dsm__parameter *parameter, const char *value) {
  static const char axis[] =
      "{\"name\": \"%c\", \"chips\": 2, \"link\": \"ring\", \"bandwidth_GBps\": 9}";
  char axes[400] = "[";
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    const size_t used = strlen(axes);
    (void)snprintf(axes + used, sizeof axes - used, axis, 'x' + a);
    (void)strcat(axes, a + 1 < DSM_AXES_MAX ? ", " : "]");
  }
  char network[450];
  (void)snprintf(network, sizeof network, "{\"axes\": %s}", axes);
  const bool is_of_spread = strncmp(parameter->path, "model.spread_", 13) == 0;
  const bool is_shared = strncmp(parameter->path, "chip.shared_memory.", 19) == 0;
  const bool is_storage = strncmp(parameter->path, "storage.", 8) == 0;
  dsm_override beside = {.path = "system", .value = network};
  if (is_of_spread) {
    beside =
        (dsm_override){.path = "model", .value = "{\"spread_low\": 0.5, \"spread_high\": 0.9}"};
  } else if (is_shared) {
    beside = (dsm_override){.path = "chip.shared_memory",
                            .value = "{\"capacity_MB\": 9, \"bandwidth_GBps\": 9}"};
  } else if (is_storage) {
    beside = (dsm_override){.path = "storage",
                            .value = "{\"fast\": {\"capacity_GB\": 9, \"bandwidth_GBps\": 9}, "
                                     "\"capacity\": {\"bandwidth_GBps\": 9}}"};
  }
  const dsm_override overrides[] = {beside, {.path = parameter->path, .value = value}};
  const size_t first = parameter->axis > 0 || is_of_spread || is_shared || is_storage ? 0 : 1;
  return read_minimal(overrides + first, 2 - first);
}

/* "$.system.axes[1].chips" */
static void node_path(const dsm__parameter *parameter, char *path, size_t size) {
  const char *const key = strrchr(parameter->path, '.') + 1;
  if (parameter->axis > 0) {
    (void)snprintf(path, size, "$.system.axes[%u].%s", parameter->axis - 1, key);
  } else {
    (void)snprintf(path, size, "$.%s", parameter->path);
  }
}

START_TEST(test_each_parameter_is_found_under_its_path) {
  const dsm__parameter *const parameter = &dsm__parameters[_i];
  char value[64];
  char path[128];
  if (!is_number(parameter)) {
    return;
  }
  const double legal =
      parameter->kind == DSM__PARAMETER_COUNT ? 3 : fmax(parameter->min, fmin(parameter->max, 0.7));
  snprintf(value, sizeof value, "%g", legal);
  outcome read = read_one(parameter, value);
  ck_assert_int_eq(read.status, DSM_OK);
  const void *const field = dsm__parameter_get(parameter, read.system);
  if (parameter->kind == DSM__PARAMETER_COUNT) {
    ck_assert_uint_eq(*(const uint64_t *)field, 3);
  } else {
    ck_assert_double_eq(*(const double *)field, legal);
  }
  outcome_free(&read);
  read = read_one(parameter, "\"3\"");
  node_path(parameter, path, sizeof path);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, path);
  outcome_free(&read);
}
END_TEST

Suite *suite_parameters(void) {
  Suite *const suite = suite_create("parameters");
  TCase *const values = tcase_create("values");
  tcase_add_test(values, test_absent_parameters_have_the_documented_defaults);
  tcase_add_test(values, test_stated_parameters_are_kept);
  tcase_add_test(values, test_peak_and_balance_follow_from_the_parameters);
  suite_add_tcase(suite, values);
  TCase *const limit = tcase_create("limits");
  tcase_add_loop_test(limit, test_last_legal_value_is_accepted, 0, COUNT_OF(limits));
  tcase_add_loop_test(limit, test_first_illegal_value_is_refused, 0, COUNT_OF(limits));
  tcase_add_loop_test(limit, test_retired_flag_is_read_and_has_one_value, 0, 3);
  suite_add_tcase(suite, limit);
  TCase *const table = tcase_create("table");
  tcase_add_test(table, test_parameters_in_use_are_stated);
  tcase_add_test(table, test_each_parameter_is_in_the_table_of_limits);
  tcase_add_test(table, test_defaults_are_within_the_limits);
  tcase_add_test(table, test_parameters_of_a_tier_stand_together);
  tcase_add_loop_test(table, test_each_parameter_is_found_under_its_path, 0,
                      (int)dsm__parameter_count);
  suite_add_tcase(suite, table);
  return suite;
}
