/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains read from JSON and written back. What is refused is in tests/invalid/stages.txt. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/remat.h"
#include "suites.h"

static const char small[] =
    "{ \"format\": \"dsm-stages/1\", \"name\": \"small\", \"minibatch\": 8, \"input_bytes\": 3,\n"
    "  \"budget_bytes\": 50, \"link_bytes_per_second\": 7, \"source\": \"nobody\", \"stages\": [\n"
    "  { \"name\": \"stem\", \"output_bytes\": 4, \"recomputable\": false, \"options\": [\n"
    "    { \"name\": \"all\", \"forward_seconds\": 1, \"backward_seconds\": 2, \"saved_bytes\": "
    "9,\n"
    "      \"backward_temporary_bytes\": 1 } ] },\n"
    "  { \"name\": \"block\", \"count\": 2, \"operations\": [\n"
    "    { \"name\": \"product\", \"forward_seconds\": 3, \"backward_seconds\": 6, \"bytes\": 16,\n"
    "      \"backward_needs\": [\"input\"] },\n"
    "    { \"name\": \"sum\", \"forward_seconds\": 1, \"backward_seconds\": 2, \"bytes\": 4,\n"
    "      \"inputs\": [\"product\", \"input\"] } ] } ] }\n";

static dsm_remat_chain *parsed(const char *text, const dsm_override *overrides, size_t count) {
  dsm_remat_chain *chain = NULL;
  ck_assert_int_eq(
      dsm_remat_chain_parse(&chain, text, strlen(text), "small.json", overrides, count, NULL),
      DSM_OK);
  return chain;
}

START_TEST(test_read) {
  dsm_remat_chain *const chain = parsed(small, NULL, 0);
  ck_assert_str_eq(chain->name, "small");
  ck_assert_str_eq(chain->source, "nobody");
  ck_assert_uint_eq(chain->minibatch, 8);
  ck_assert_double_eq(chain->input_bytes, 3);
  ck_assert_double_eq(chain->input_error_bytes, 0);
  ck_assert_double_eq(chain->budget_bytes, 50);
  ck_assert_double_eq(chain->link_bytes_per_second, 7);
  ck_assert_uint_eq(chain->stage_count, 3);
  const dsm_remat_stage *const stem = &chain->stages[0];
  ck_assert_str_eq(stem->name, "stem");
  ck_assert(!stem->is_recomputable);
  ck_assert_double_eq(stem->error_bytes, 4);     /* as the output */
  ck_assert_double_eq(stem->forward_seconds, 1); /* as the first option */
  ck_assert_double_eq(stem->options[0].backward_temporary_bytes, 1);
  const dsm_remat_stage *const block = &chain->stages[1];
  ck_assert_str_eq(block->name, "block_1");
  ck_assert_str_eq(chain->stages[2].name, "block_2");
  ck_assert(block->is_recomputable);
  ck_assert_double_eq(block->output_bytes, 4);
  ck_assert_double_eq(block->forward_seconds, 4);
  ck_assert_double_eq(block->options[0].saved_bytes, 20); /* sum needs its inputs */
  ck_assert_ptr_eq(block->options, chain->stages[2].options);
  dsm_remat_chain_free(chain);
}
END_TEST

START_TEST(test_overrides) {
  const dsm_override overrides[] = {{.path = "stages.stem.output_bytes", .value = "5"},
                                    {.path = "stages.block.count", .value = "1"},
                                    {.path = "minibatch", .value = "2"}};
  dsm_remat_chain *const chain = parsed(small, overrides, COUNT_OF(overrides));
  ck_assert_uint_eq(chain->minibatch, 2);
  ck_assert_double_eq(chain->stages[0].output_bytes, 5);
  ck_assert_str_eq(chain->stages[1].name, "block");
  dsm_remat_chain_free(chain);
}
END_TEST

START_TEST(test_defaults) {
  static const char bare[] =
      "{ \"format\": \"dsm-stages/1\", \"name\": \"bare\", \"stages\": [ { \"name\": \"s\",\n"
      "  \"output_bytes\": 1, \"options\": [ { \"name\": \"o\", \"forward_seconds\": 0,\n"
      "  \"backward_seconds\": 0, \"saved_bytes\": 1 } ] } ] }";
  dsm_remat_chain *const chain = parsed(bare, NULL, 0);
  ck_assert_uint_eq(chain->minibatch, 1);
  ck_assert_double_eq(chain->budget_bytes, 0);
  ck_assert(isinf(chain->link_bytes_per_second));
  ck_assert_ptr_null(chain->source);
  dsm_remat_chain_free(chain);
}
END_TEST

/* What is written is read as the same chain: stages have their options. */
START_TEST(test_written) {
  dsm_remat_chain *const chain = parsed(small, NULL, 0);
  char *const text = dsm_remat_chain_print(chain);
  ck_assert_ptr_nonnull(text);
  dsm_remat_chain *const again = parsed(text, NULL, 0);
  ck_assert_uint_eq(again->stage_count, chain->stage_count);
  ck_assert_double_eq(again->budget_bytes, chain->budget_bytes);
  for (size_t s = 0; s < chain->stage_count; s++) {
    ck_assert_str_eq(again->stages[s].name, chain->stages[s].name);
    ck_assert_uint_eq(again->stages[s].option_count, chain->stages[s].option_count);
    ck_assert_double_eq(again->stages[s].temporary_bytes, chain->stages[s].temporary_bytes);
    ck_assert(again->stages[s].is_recomputable == chain->stages[s].is_recomputable);
  }
  char *const twice = dsm_remat_chain_print(again);
  ck_assert_str_eq(text, twice);
  free(text);
  free(twice);
  dsm_remat_chain_free(chain);
  dsm_remat_chain_free(again);
}
END_TEST

/* Equal stages have a number behind their name, for which there is room. */
START_TEST(test_long_name_is_written) {
  char name[316] = "";
  memset(name, 'n', sizeof name - 1);
  const dsm_override longest = {.path = "stages.block.name", .value = name};
  dsm_remat_chain *const chain = parsed(small, &longest, 1);
  char *const text = dsm_remat_chain_print(chain);
  dsm_remat_chain *const again = parsed(text, NULL, 0);
  ck_assert_uint_eq(strlen(again->stages[2].name), 317);
  ck_assert_str_eq(again->stages[2].name, chain->stages[2].name);
  free(text);
  dsm_remat_chain_free(chain);
  dsm_remat_chain_free(again);
}
END_TEST

START_TEST(test_missing_file) {
  dsm_remat_chain *chain = NULL;
  ck_assert_int_eq(dsm_remat_chain_load(&chain, "/nowhere/stages.json", NULL, 0, NULL),
                   DSM_ERROR_IO);
  ck_assert_ptr_null(chain);
}
END_TEST

Suite *suite_stages_json(void) {
  Suite *const suite = suite_create("stages_json");
  TCase *const tests = tcase_create("stages_json");
  tcase_add_test(tests, test_read);
  tcase_add_test(tests, test_overrides);
  tcase_add_test(tests, test_defaults);
  tcase_add_test(tests, test_written);
  tcase_add_test(tests, test_long_name_is_written);
  tcase_add_test(tests, test_missing_file);
  suite_add_tcase(suite, tests);
  return suite;
}
