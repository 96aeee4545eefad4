/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read again as the same system, whatever the description states. */
#include "machine_text.h"
#include "suites.h"

static const dsm_override variants[][3] = {
    {{"name", "other", NULL}, {"source", "a \"book\", page 3\\4", NULL}, {"array.rows", "3", NULL}},
    {{"core.frequency_GHz", "0.1", NULL},
     {"chip.memory.capacity_GB", "1e-9", NULL},
     {"chip.cores", "7", NULL}},
    {{"model.relu_mask_bytes", "0.3333333333333333", NULL},
     {"model.dysm_uniform", "true", NULL},
     {"model.dysm_accumulate_in_memory", "false", NULL}},
    {{"notes", "{\"model.dysm_uniform\": \"why\", \"pe.simd_macs\": \"how\\nmany\"}", NULL},
     {"array.unroll_kernel_on_rows", "true", NULL},
     {"array.startup_cycles", "1e9", NULL}},
};

START_TEST(test_written_and_read_again_it_is_the_same) {
  outcome read = read_minimal(variants[_i], 3);
  ck_assert_int_eq(read.status, DSM_OK);
  dsm_system *const again = written_and_read(read.system);
  expect_same_system(read.system, again);
  dsm_system_free(again);
  outcome_free(&read);
}
END_TEST

Suite *suite_system_json_write(void) {
  Suite *const suite = suite_create("system_json_write");
  TCase *const round_trip = tcase_create("round_trip");
  tcase_add_loop_test(round_trip, test_written_and_read_again_it_is_the_same, 0,
                      COUNT_OF(variants));
  suite_add_tcase(suite, round_trip);
  return suite;
}
