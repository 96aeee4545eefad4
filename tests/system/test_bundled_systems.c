/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled systems are those of the paper's Fig. 10, and larger ones of the same chips, and
 * machines that exist. */
#include <stdio.h>
#include <string.h>

#include "machine_text.h"
#include "suites.h"
#include "system/system_internal.h"

/* A core has 16 * 8 * 8 = 1024 MACs, a chip 32 cores at 2 GHz: 2 * 32 * 1024 * 2e9 =
 * 131.072 TFLOP/s. */
#define CHIP_FLOPS 131.072e12

typedef struct known_system {
  const char *name;
  uint64_t chips_x;
  uint64_t chips_y;
  double link_x;
  double link_y;
  double peak_flops;
} known_system;

static const known_system systems[] = {
    {"chip1", 1, 1, 120, 40, CHIP_FLOPS},
    {"torus16", 4, 4, 120, 40, 2.097152e15},
    {"torus64", 4, 16, 120, 40, 8.388608e15}, /* "8 PFLOP/s" */
    {"torus64_symmetric", 4, 16, 80, 80, 8.388608e15},
    {"torus64_refined", 4, 16, 120, 40, 8.388608e15},
    {"torus64_refined_symmetric", 4, 16, 80, 80, 8.388608e15},
    {"torus256", 4, 64, 120, 40, 33.554432e15},
    {"torus1024", 16, 64, 120, 40, 134.217728e15}, /* not of the paper, but of its chips */
    {"torus4096", 64, 64, 120, 40, 536.870912e15},
};

enum { TORUS64 = 2 };

static dsm_system *bundled;

static void load(int index) {
  char path[512];
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, systems[index].name);
  ck_assert_int_eq(dsm_system_load(&bundled, path, NULL, 0, NULL), DSM_OK);
}

static void tear_down(void) {
  dsm_system_free(bundled);
  bundled = NULL;
}

START_TEST(test_chips_and_links_are_those_of_the_paper) {
  const known_system *const known = &systems[_i];
  load(_i);
  ck_assert_str_eq(bundled->name, known->name);
  ck_assert_uint_eq(bundled->system.axes[0].chips, known->chips_x);
  ck_assert_uint_eq(bundled->system.axes[1].chips, known->chips_y);
  ck_assert_double_eq(bundled->system.axes[0].bandwidth_GBps, known->link_x);
  ck_assert_double_eq(bundled->system.axes[1].bandwidth_GBps, known->link_y);
}
END_TEST

START_TEST(test_a_chip_is_that_of_the_paper) {
  load(_i);
  ck_assert_uint_eq(bundled->chip.cores, 32);
  ck_assert_double_eq(bundled->core.frequency_GHz, 2);
  ck_assert_double_eq(bundled->core.scratchpad_MiB, 1);
  ck_assert_double_eq(bundled->core.scratchpad_bandwidth_GBps, 128);
  ck_assert_double_eq(bundled->chip.core_link_bandwidth_GBps, 256);
  ck_assert_double_eq(bundled->chip.memory.capacity_GB, 8);
  ck_assert_double_eq(bundled->chip.memory.bandwidth_GBps, 256);
  ck_assert_double_eq(bundled->chip.memory.efficiency_ratio, 0.8);
}
END_TEST

START_TEST(test_peak_is_two_operations_a_mac) {
  load(_i);
  ck_assert_double_eq_tol(dsm_system_peak_flops(bundled), systems[_i].peak_flops, 1);
}
END_TEST

/* 131.072e12 FLOP/s over 0.8 * 256e9 B/s */
START_TEST(test_machine_balance_is_640_flop_a_byte) {
  load(_i);
  ck_assert_double_eq_tol(dsm_system_machine_balance(bundled), 640, 1e-9);
}
END_TEST

START_TEST(test_each_parameter_has_a_note_on_its_source) {
  load(_i);
  const dsm__stated_parameters stated = dsm__parameters_of(bundled);
  ck_assert_uint_eq(bundled->note_count, stated.count);
  for (size_t p = 0; p < stated.count; p++) {
    const char *const note = dsm_system_note(bundled, stated.items[p]->path);
    ck_assert_ptr_nonnull(note);
    ck_assert_uint_gt(strlen(note), 0);
  }
}
END_TEST

/* What the files write out is what is assumed where nothing is written. */
START_TEST(test_stated_values_of_torus64_are_the_defaults) {
  load(TORUS64);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    const dsm__parameter *const parameter = &dsm__parameters[p];
    const void *const field = dsm__parameter_get(parameter, bundled);
    /* the only one whose default is neutral and not that of the paper */
    if (!dsm__parameter_is_stated(parameter, bundled) || parameter->is_required ||
        strcmp(parameter->path, "chip.memory.efficiency_ratio") == 0) {
      continue;
    }
    const double stated = parameter->kind == DSM__PARAMETER_COUNT ? (double)*(const uint64_t *)field
                          : parameter->kind == DSM__PARAMETER_FLAG ? *(const bool *)field
                          : parameter->kind == DSM__PARAMETER_WORD ? *(const unsigned *)field
                                                                   : *(const double *)field;
    ck_assert_msg(stated >= parameter->fallback && stated <= parameter->fallback, "%s",
                  parameter->path);
  }
}
END_TEST

START_TEST(test_written_and_read_again_it_is_the_same) {
  load(_i);
  dsm_system *const again = written_and_read(bundled);
  expect_same_system(bundled, again);
  dsm_system_free(again);
}
END_TEST

/* Machines that exist: what is named by its cores has them, and no number is without a note. */
static const struct {
  const char *name;
  uint64_t chips;
  uint64_t cores_per_chip;
  double memory_GB;
} machines[] = {
    {"tpu_v3_32", 16, 2, 34.359738368},
    {"tpu_v3_2048", 1024, 2, 34.359738368},
    {"tpu_v3_8192", 4096, 2, 34.359738368},
    {"tpu_v4_4096", 4096, 2, 34.359738368},
    {"dgx1_v100", 8, 80, 16},
    {"dgx2_v100", 16, 80, 32},
    {"dgx_a100", 96, 108, 80},
    {"dgx_h100", 32, 132, 80},
    {"summit_node", 6, 80, 16},
};

START_TEST(test_machines_are_as_published) {
  char path[512];
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, machines[_i].name);
  ck_assert_int_eq(dsm_system_load(&bundled, path, NULL, 0, NULL), DSM_OK);
  ck_assert_uint_eq(dsm_system_chips(bundled), machines[_i].chips);
  ck_assert_uint_eq(bundled->chip.cores, machines[_i].cores_per_chip);
  ck_assert_double_eq_tol(bundled->chip.memory.capacity_GB, machines[_i].memory_GB, 1e-9);
  for (unsigned a = 0; a < bundled->system.axis_count; a++) {
    const dsm_network_axis *const axis = &bundled->system.axes[a];
    const bool is_of_a_pod = strncmp(bundled->name, "tpu_v3", 6) != 0 || axis->chips == 32;
    ck_assert(axis->chips == 1 || (axis->latency_us > 0 && axis->efficiency_ratio < 1));
    ck_assert(is_of_a_pod == (axis->link != DSM_LINK_KIND_LINE));
  }
  const dsm__stated_parameters stated = dsm__parameters_of(bundled);
  for (size_t p = 0; p < stated.count; p++) {
    const char *const at = stated.items[p]->path;
    ck_assert_msg(dsm_system_note(bundled, at) != NULL || strcmp(at, "system.topology") == 0 ||
                      dsm__parameter_has_default(stated.items[p], bundled),
                  "%s: %s", bundled->name, at);
  }
}
END_TEST

Suite *suite_bundled_systems(void) {
  Suite *const suite = suite_create("bundled_systems");
  TCase *const tcase = tcase_create("bundled");
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_loop_test(tcase, test_chips_and_links_are_those_of_the_paper, 0, COUNT_OF(systems));
  tcase_add_loop_test(tcase, test_a_chip_is_that_of_the_paper, 0, COUNT_OF(systems));
  tcase_add_loop_test(tcase, test_peak_is_two_operations_a_mac, 0, COUNT_OF(systems));
  tcase_add_loop_test(tcase, test_machine_balance_is_640_flop_a_byte, 0, COUNT_OF(systems));
  tcase_add_loop_test(tcase, test_each_parameter_has_a_note_on_its_source, 0, COUNT_OF(systems));
  tcase_add_test(tcase, test_stated_values_of_torus64_are_the_defaults);
  tcase_add_loop_test(tcase, test_machines_are_as_published, 0, COUNT_OF(machines));
  tcase_add_loop_test(tcase, test_written_and_read_again_it_is_the_same, 0, COUNT_OF(systems));
  suite_add_tcase(suite, tcase);
  return suite;
}
