/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What machines cost, as a whole. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dsm/system.h"
#include "random_numbers.h"
#include "suites.h"

#define SYSTEMS DSM_SOURCE_DIR "/systems/"
#define DIGITS_4 5e-5
#define DIGITS_3 5e-4

/* GA100 as LLMCompass has it (budget.md, check values): 4 groups of 32 lanes and 16 x 16 units a
 * core, whose lanes have half an integer unit and a vector unit, and a quarter of a wide one. */
static const char ga100[] =
    "{\"format\": \"dsm-system/1\", \"name\": \"ga100\","
    " \"pe\": {\"simd_macs\": 1}, \"array\": {\"rows\": 16, \"columns\": 16},"
    " \"core\": {\"frequency_GHz\": 1.41, \"arrays\": 4, \"scratchpad_MiB\": 0.1875,"
    "            \"scratchpad_bandwidth_GBps\": 180},"
    " \"chip\": {\"cores\": 128, \"interconnect\": \"crossbar\", \"core_link_bandwidth_GBps\": 90,"
    "  \"shared_memory\": {\"capacity_MB\": 50.331648, \"bandwidth_GBps\": 5120},"
    "  \"memory\": {\"capacity_GB\": 80, \"bandwidth_GBps\": 2039}},"
    " \"system\": {\"topology\": \"axes\", \"axes\": [{\"name\": \"x\", \"chips\": 1, \"link\": "
    "\"switch\","
    "  \"bandwidth_GBps\": 300}]},"
    " \"area\": {\"vector_lanes\": 128, \"int32_per_lane\": 0.5, \"fp32_per_lane\": 0.5,"
    "  \"fp64_per_lane\": 0.25, \"register_files\": 4, \"registers\": 16384, \"memory_stacks\": 6,"
    "  \"link_GBps\": 300},"
    " \"technology\": {\"silicon\": {\"density_MTr_per_mm2\": 96.3, \"cell_um2\": 0.17,"
    "  \"control_transistors\": 725650, \"port_transistors\": 55.0e6}}}";

static dsm_system *parse(const char *text, const dsm_override *sets, size_t count) {
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_parse(&system, text, strlen(text), "test", sets, count, NULL),
                   DSM_OK);
  return system;
}

static dsm_machine_cost cost_of(const dsm_system *system) {
  dsm_machine_cost cost;
  ck_assert_int_eq(dsm_machine_cost_of(system, &cost, NULL), DSM_OK);
  return cost;
}

START_TEST(parts_of_GA100_are_those_of_LLMCompass) {
  dsm_system *const system = parse(ga100, NULL, 0);
  const dsm_machine_cost cost = cost_of(system);
  const double *const parts = cost.parts_mm2;
  const double of_core = 1.0 / 128;
  ck_assert_double_eq_tol(cost.core_mm2, 3.7426, DIGITS_4);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_CONTROL] * of_core, .9645, DIGITS_4);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_VECTOR] * of_core, .4349, DIGITS_4);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_ARRAYS] * of_core, .2695, DIGITS_4);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_REGISTERS] * of_core, 1.5653, DIGITS_4);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_SCRATCHPADS] * of_core, .5083, DIGITS_4);
  ck_assert_double_eq_tol(cost.core_mm2 * 128, 479.050, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_PORTS], 73.105, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_SHARED], 113.706, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_MEMORY_PHY], 62.700, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_MEMORY_CONTROLLER], 34.439, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_LINK_PHY], 22.656, DIGITS_3);
  ck_assert_double_eq_tol(parts[DSM_AREA_PART_LINK_CONTROLLER], 9.300, DIGITS_3);
  ck_assert_double_eq_tol(cost.chip_mm2, 794.956, DIGITS_3);
  ck_assert(isnan(cost.die_dollars) && isnan(cost.chip_peak_W)); /* not stated */
  dsm_system_free(system);
}
END_TEST

/* A share of what is not stated is no number, and says what is missing. */
START_TEST(what_a_node_has_no_source_for_is_not_stated) {
  const dsm_override set = {.path = "technology", .value = DSM_SOURCE_DIR "/technologies/n28.json"};
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_load(&system, SYSTEMS "torus64.json", &set, 1, NULL), DSM_OK);
  ck_assert_str_eq(system->technology.name, "n28");
  const dsm_machine_cost cost = cost_of(system);
  ck_assert(isnan(cost.chip_mm2));
  ck_assert_uint_gt(cost.unstated_count, 0);
  ck_assert_str_eq(cost.unstated[0], "technology.silicon.cell_um2");
  dsm_system_free(system);
}
END_TEST

START_TEST(without_a_technology_it_is_refused) {
  dsm_system *system = NULL;
  dsm_machine_cost cost;
  ck_assert_int_eq(dsm_system_load(&system, SYSTEMS "torus64.json", NULL, 0, NULL), DSM_OK);
  ck_assert(!system->technology.is_stated);
  ck_assert_int_eq(dsm_machine_cost_of(system, &cost, NULL), DSM_ERROR_INVALID);
  dsm_system_free(system);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  static const dsm_override sets[] = {{.path = "area.die_mm2", .value = "90000"},
                                      {.path = "area.spare_cores", .value = "129"}};
  dsm_system *const system = parse(ga100, &sets[_i], 1);
  dsm_machine_cost cost;
  ck_assert_int_eq(dsm_machine_cost_of(system, &cost, NULL), DSM_ERROR_INVALID);
  dsm_system_free(system);
}
END_TEST

/* Each number of which more is on the chip: area never falls, and neither does the price of a die.
 */
START_TEST(more_of_anything_is_never_smaller) {
  static const char *const paths[] = {"pe.simd_macs",        "array.rows",
                                      "array.columns",       "core.arrays",
                                      "core.scratchpad_MiB", "core.sfu_ops_per_cycle",
                                      "chip.cores",          "chip.memory.bandwidth_GBps",
                                      "system.chips_x",      "system.link_bandwidth_x_GBps",
                                      "area.other_mm2"};
  uint64_t state = 11 + (uint64_t)_i;
  double previous_mm2 = 0;
  double previous_dollars = 0;
  for (uint64_t value = 1; value < 60; value += 1 + random_below(&state, 4)) {
    char text[32];
    (void)snprintf(text, sizeof text, "%d", (int)value);
    const dsm_override sets[] = {
        {.path = "technology", .value = DSM_SOURCE_DIR "/technologies/n5.json"},
        {.path = paths[_i], .value = text}};
    dsm_system *system = NULL;
    ck_assert_int_eq(dsm_system_load(&system, SYSTEMS "torus64.json", sets, 2, NULL), DSM_OK);
    const dsm_machine_cost cost = cost_of(system);
    ck_assert_double_ge(cost.chip_mm2, previous_mm2);
    ck_assert_double_ge(cost.die_dollars, previous_dollars);
    previous_mm2 = cost.chip_mm2;
    previous_dollars = cost.die_dollars;
    dsm_system_free(system);
  }
}
END_TEST

Suite *suite_machine(void) {
  Suite *const suite = suite_create("machine");
  TCase *const tests = tcase_create("machine");
  tcase_add_test(tests, parts_of_GA100_are_those_of_LLMCompass);
  tcase_add_test(tests, what_a_node_has_no_source_for_is_not_stated);
  tcase_add_test(tests, without_a_technology_it_is_refused);
  tcase_add_loop_test(tests, what_cannot_be_is_refused, 0, 2);
  tcase_add_loop_test(tests, more_of_anything_is_never_smaller, 0, 11);
  suite_add_tcase(suite, tests);
  return suite;
}
