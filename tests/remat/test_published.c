/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What papers say of GPT-2 in a third of its memory, with the bundled chains (docs/remat.md). */
#include "dsm/remat.h"
#include "suites.h"

typedef struct published {
  const char *file;
  double saved_MiB;     /* of a block */
  double whole_percent; /* more time where stages keep all or nothing */
  double percent;       /* with options */
} published;

static const published networks[] = {
    {DSM_SOURCE_DIR "/stages/gpt2_medium_blocks.json", 840, 24.79, 6.43},
    {DSM_SOURCE_DIR "/stages/gpt2_large_blocks.json", 1050, 24.12, 5.41},
};

static double overhead(const dsm_remat_chain *chain, double part, bool is_whole) {
  dsm_remat_options options;
  dsm_remat_result *full = NULL;
  dsm_remat_result *result = NULL;
  dsm_remat_options_init(&options);
  ck_assert_int_eq(dsm_remat(&full, chain, &options, NULL), DSM_OK);
  options.is_whole = is_whole;
  options.budget_bytes = part * full->full.peak_bytes;
  ck_assert_int_eq(dsm_remat(&result, chain, &options, NULL), DSM_OK);
  const double percent = 100 * (result->run.seconds / full->full.seconds - 1);
  ck_assert_double_le(result->run.peak_bytes, options.budget_bytes);
  dsm_remat_result_free(result);
  dsm_remat_result_free(full);
  return percent;
}

/* Rotor 15 to 30 % more, Rockmate at most 12, and at most 0.6 of Rotor: what Figure 2.4 of the
 * TEXTAROSSA deliverable D4.8 shows. */
START_TEST(test_a_third_of_the_memory) {
  static const double third = 0.3333;
  static const double MiB = 1048576;
  dsm_remat_chain *chain = NULL;
  ck_assert_int_eq(dsm_remat_chain_load(&chain, networks[_i].file, NULL, 0, NULL), DSM_OK);
  ck_assert_double_eq(chain->stages[0].options[0].saved_bytes, networks[_i].saved_MiB * MiB);
  const double whole = overhead(chain, third, true);
  const double options = overhead(chain, third, false);
  ck_assert_double_eq_tol(whole, networks[_i].whole_percent, 0.01);
  ck_assert_double_eq_tol(options, networks[_i].percent, 0.01);
  ck_assert_double_ge(whole, 15);
  ck_assert_double_le(whole, 30);
  ck_assert_double_le(options, 12);
  ck_assert_double_le(options, 0.6 * whole);
  dsm_remat_chain_free(chain);
}
END_TEST

Suite *suite_published(void) {
  Suite *const suite = suite_create("published");
  TCase *const tests = tcase_create("published");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_a_third_of_the_memory, 0, COUNT_OF(networks));
  suite_add_tcase(suite, tests);
  return suite;
}
