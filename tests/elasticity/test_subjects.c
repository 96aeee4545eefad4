/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values a parameter is varied to. */
#include "sweep/subjects.h"

#include <string.h>

#include "small.h"
#include "suites.h"

static dsm__elasticity_subject subject_of(const char *path) {
  dsm__elasticity_subject subject;
  ck_assert_msg(dsm__subject_find(path, &subject), "%s", path);
  return subject;
}

START_TEST(test_every_parameter_is_a_subject) {
  ck_assert_uint_eq(dsm__subject_count(), dsm__parameter_count + 4);
  for (size_t i = 0; i < dsm__subject_count(); i++) {
    const dsm__elasticity_subject subject = dsm__subject_at(i);
    ck_assert((subject.of_workloads == NULL) == (i < dsm__parameter_count));
  }
}
END_TEST

START_TEST(test_a_path_is_exact) {
  static const char *const none[] = {"",
                                     "array",
                                     "array.row",
                                     "rows",
                                     "workload",
                                     "workload.",
                                     "array.rows ",
                                     "element_bytes",
                                     "workload.minibatch",
                                     "system.array.rows"};
  dsm__elasticity_subject subject;
  for (int i = 0; i < COUNT_OF(none); i++) {
    ck_assert_msg(!dsm__subject_find(none[i], &subject), "%s", none[i]);
  }
  ck_assert_str_eq(subject_of("system.chips_x").parameter.path, "system.chips_x");
  ck_assert_str_eq(subject_of("workload.gradient_bytes").of_workloads->key, "gradient_bytes");
}
END_TEST

typedef struct change_case {
  const char *path;
  double number;
  dsm_variation_choice choice;
  unsigned index;
  dsm_variation_kind kind;
  double changed;
  double factor;
  const char *why_not;
} change_case;

static const char zero[] = "0 has neither half nor double";
static const char zero_more[] = "10 % more than 0 is 0";
static const char zero_less[] = "10 % less than 0 is 0";
static const char one[] = "1 is the smallest whole number";

#define TWICE DSM_VARIATIONS_TWICE
#define LESS DSM_VARIATIONS_TENTH_BETTER, 0, DSM_VARIATION_LOWERED
#define MORE DSM_VARIATIONS_TENTH_BETTER, 0, DSM_VARIATION_RAISED

static const change_case changes[] = {
    {"array.startup_cycles", 1000, TWICE, 0, DSM_VARIATION_HALVED, 500, 0.5, NULL},
    {"array.startup_cycles", 1000, TWICE, 1, DSM_VARIATION_DOUBLED, 2000, 2, NULL},
    {"array.startup_cycles", 0, TWICE, 0, DSM_VARIATION_HALVED, 0, 0.5, zero},
    {"array.startup_cycles", 0, TWICE, 1, DSM_VARIATION_DOUBLED, 0, 2, zero},
    {"core.resident_weight_fraction", 0.75, TWICE, 1, DSM_VARIATION_DOUBLED, 1.5, 2,
     NULL}, /* refused later */
    /* counts: to the nearest, a half upward */
    {"array.rows", 16, TWICE, 0, DSM_VARIATION_HALVED, 8, 0.5, NULL},
    {"array.rows", 5, TWICE, 0, DSM_VARIATION_HALVED, 3, 0.6, NULL},
    {"array.rows", 3, TWICE, 0, DSM_VARIATION_HALVED, 2, 2.0 / 3, NULL},
    {"array.rows", 2, TWICE, 0, DSM_VARIATION_HALVED, 1, 0.5, NULL},
    {"array.rows", 1, TWICE, 0, DSM_VARIATION_HALVED, 1, 0.5, one},
    {"array.rows", 1, TWICE, 1, DSM_VARIATION_DOUBLED, 2, 2, NULL},
    /* flags and words */
    {"model.exact_rotation", 0, TWICE, 0, DSM_VARIATION_OTHER, 1, 0, NULL},
    {"model.exact_rotation", 1, TWICE, 0, DSM_VARIATION_OTHER, 0, 0, NULL},
    {"model.layout_move", 0, TWICE, 0, DSM_VARIATION_OTHER, 1, 0, NULL},
    {"model.layout_move", 0, TWICE, 1, DSM_VARIATION_OTHER, 2, 0, NULL},
    {"model.layout_move", 1, TWICE, 0, DSM_VARIATION_OTHER, 0, 0, NULL},
    {"model.layout_move", 1, TWICE, 1, DSM_VARIATION_OTHER, 2, 0, NULL},
    {"model.layout_move", 2, TWICE, 1, DSM_VARIATION_OTHER, 1, 0, NULL},
    /* of workloads */
    {"workload.element_bytes", 2, TWICE, 0, DSM_VARIATION_HALVED, 1, 0.5, NULL},
    {"workload.optimizer_bytes_per_weight", 0, TWICE, 1, DSM_VARIATION_DOUBLED, 0, 2, zero},
    /* a tenth more; of 0 there is none */
    {"chip.memory.bandwidth_GBps", 256, MORE, 256 * 1.1, 256 * 1.1 / 256, NULL},
    {"core.resident_weight_fraction", 0, MORE, 0, 1.1, zero_more},
    {"core.resident_weight_fraction", 1, MORE, 1.1, 1.1, NULL}, /* refused later */
    /* a tenth less where less is better: of time, room or bytes */
    {"array.startup_cycles", 1000, LESS, 900, 0.9, NULL},
    {"array.startup_cycles", 0, LESS, 0, 0.9, zero_less},
    {"core.transcendental_passes", 10, LESS, 9, 0.9, NULL},
    {"core.streaming_buffer_KiB", 200, LESS, 180, 0.9, NULL},
    {"model.reduce_ring_crossings", 2, LESS, 1.8, 0.9, NULL},
    {"workload.element_bytes", 2, LESS, 1.8, 0.9, NULL},
    /* counts: to the nearest, at least one more */
    {"chip.cores", 32, MORE, 35, 35.0 / 32, NULL}, /* 35.2 */
    {"chip.cores", 16, MORE, 18, 18.0 / 16, NULL}, /* 17.6 */
    {"chip.cores", 15, MORE, 17, 17.0 / 15, NULL}, /* 16.5 */
    {"chip.cores", 14, MORE, 15, 15.0 / 14, NULL}, /* 15.4 */
    {"system.chips_x", 5, MORE, 6, 1.2, NULL},     /* 5.5 */
    {"system.chips_x", 4, MORE, 5, 1.25, NULL},    /* 4.4 */
    {"system.chips_x", 1, MORE, 2, 2, NULL},       /* 1.1 */
};

START_TEST(test_values_are_those_by_hand) {
  const change_case *const each = &changes[_i];
  const dsm__elasticity_subject subject = subject_of(each->path);
  ck_assert_uint_lt(each->index, dsm__subject_variation_count(&subject, each->choice));
  const dsm__change change = dsm__subject_change(&subject, each->number, each->choice, each->index);
  ck_assert_int_eq(change.kind, each->kind);
  ck_assert_double_eq(change.number, each->changed);
  ck_assert_double_eq(change.factor, each->factor);
  if (each->why_not == NULL) {
    ck_assert_ptr_null(change.why_not);
  } else {
    ck_assert_str_eq(change.why_not, each->why_not);
  }
}
END_TEST

START_TEST(test_a_single_word_cannot_be_varied) {
  const dsm__elasticity_subject interconnect = subject_of("chip.interconnect");
  const dsm__elasticity_subject topology = subject_of("system.topology");
  const dsm__elasticity_subject flag = subject_of("model.exact_rotation");
  const dsm__elasticity_subject word = subject_of("model.layout_move");
  ck_assert_uint_eq(dsm__subject_variation_count(&interconnect, TWICE), 0);
  ck_assert_uint_eq(dsm__subject_variation_count(&topology, TWICE), 0);
  ck_assert_uint_eq(dsm__subject_variation_count(&flag, TWICE), 1);
  ck_assert_uint_eq(dsm__subject_variation_count(&word, TWICE), 2);
}
END_TEST

START_TEST(test_a_tenth_better_is_of_the_numbers_of_the_system) {
  size_t count = 0;
  dsm_workload *const workload = small_network(NULL, 0);
  dsm_system *const system = small_system(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request twice = small_request(system, workloads, 1);
  dsm_elasticity_request tenth = twice;
  twice.choice = TWICE;
  tenth.choice = DSM_VARIATIONS_TENTH_BETTER;
  for (size_t i = 0; i < dsm__subject_count(); i++) {
    const dsm__elasticity_subject subject = dsm__subject_at(i);
    if (subject.of_workloads == NULL && !dsm__parameter_is_stated(&subject.parameter, system)) {
      ck_assert(!dsm__subject_is_usual(&subject, &twice));
      continue;
    }
    const bool is_number = subject.parameter.kind == DSM__PARAMETER_COUNT ||
                           subject.parameter.kind == DSM__PARAMETER_REAL;
    ck_assert(dsm__subject_is_usual(&subject, &twice));
    ck_assert_int_eq(dsm__subject_is_usual(&subject, &tenth),
                     is_number && subject.of_workloads == NULL);
    ck_assert_uint_eq(dsm__subject_variation_count(&subject, DSM_VARIATIONS_TENTH_BETTER),
                      is_number ? 1 : 0);
    count += dsm__subject_is_usual(&subject, &tenth) ? 1 : 0;
  }
  dsm_workload_free(workload);
  dsm_system_free(system);
  ck_assert_uint_eq(count, 30); /* of the table in docs/model.md, section 2 */
}
END_TEST

/* What the small system and network say of a parameter. */
typedef struct said_case {
  const char *path;
  bool is_free;
  dsm_setting_kind kind;
  double number;
  const char *word;
  dsm_setting_kind fallback;
  const char *source;
} said_case;

static const said_case said[] = {
    {"core.frequency_GHz", false, DSM_SETTING_NUMBER, 1, NULL, DSM_SETTING_NONE, "data sheet"},
    {"array.rows", true, DSM_SETTING_NUMBER, 4, NULL, DSM_SETTING_NUMBER,
     "assumption: as wide as high"},
    {"array.columns", true, DSM_SETTING_NUMBER, 4, NULL, DSM_SETTING_NUMBER,
     "derived: from the rows"},
    {"pe.simd_macs", false, DSM_SETTING_NUMBER, 1, NULL, DSM_SETTING_NUMBER, "given"},
    {"chip.memory.efficiency_ratio", true, DSM_SETTING_NUMBER, 1, NULL, DSM_SETTING_NUMBER,
     "(default) assumption: all of the bandwidth is usable"},
    {"system.topology", false, DSM_SETTING_WORD, 0, "torus_2d", DSM_SETTING_NONE, "given"},
    {"model.layout_move", true, DSM_SETTING_WORD, 0, "none", DSM_SETTING_WORD,
     "(default) assumption: any core split finds a held tensor where it is"},
    {"model.resident_operands", true, DSM_SETTING_FLAG, 1, "true", DSM_SETTING_FLAG,
     "(default) assumption: a matmul's second operand is kept over timesteps as weights are"},
    {"workload.element_bytes", false, DSM_SETTING_NUMBER, 2, NULL, DSM_SETTING_NUMBER,
     "(default) DeepSpatialMatrix paper, section IV: half precision"},
    {"workload.optimizer_bytes_per_weight", true, DSM_SETTING_NUMBER, 0, NULL, DSM_SETTING_NUMBER,
     "(default) assumption: plain gradient descent, which keeps no state"},
};

START_TEST(test_a_parameter_says_what_it_is) {
  const said_case *const each = &said[_i];
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  const dsm_elasticity_request request = small_request(system, workloads, 1);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__elasticity_subject subject = subject_of(each->path);
  dsm_varied_parameter parameter;
  ck_assert(dsm__subject_describe(&parameter, &subject, &request, arena));
  ck_assert_str_eq(parameter.path, each->path);
  ck_assert_int_eq(parameter.is_free, each->is_free);
  ck_assert_int_eq(parameter.setting.kind, each->kind);
  ck_assert_double_eq(parameter.setting.number, each->number);
  ck_assert_pstr_eq(parameter.setting.word, each->word);
  ck_assert_int_eq(parameter.fallback.kind, each->fallback);
  ck_assert_str_eq(parameter.source, each->source);
  dsm__arena_free(arena);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* The default too is given where one of the networks states it. */
START_TEST(test_a_stated_default_of_a_network_is_given) {
  const dsm_override stated = {"gradient_bytes", "2", NULL};
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const silent = small_network(NULL, 0);
  dsm_workload *const stating = small_network(&stated, 1);
  const dsm_workload *const workloads[] = {silent, stating};
  dsm__arena *const arena = dsm__arena_new();
  const dsm__elasticity_subject subject = subject_of("workload.gradient_bytes");
  dsm_varied_parameter parameter;
  dsm_elasticity_request request = small_request(system, workloads, 1);
  ck_assert(dsm__subject_describe(&parameter, &subject, &request, arena));
  ck_assert_str_eq(parameter.source, "(default) assumption: gradients travel in half precision");
  ck_assert(parameter.is_free);
  request = small_request(system, workloads, 2);
  ck_assert(dsm__subject_describe(&parameter, &subject, &request, arena));
  ck_assert_str_eq(parameter.source, "given");
  ck_assert(!parameter.is_free);
  dsm__arena_free(arena);
  dsm_workload_free(stating);
  dsm_workload_free(silent);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_networks_that_differ_have_no_common_value) {
  const dsm_override four = {"element_bytes", "4", NULL};
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const two_bytes = small_network(NULL, 0);
  dsm_workload *const four_bytes = small_network(&four, 1);
  const dsm_workload *const workloads[] = {two_bytes, four_bytes};
  const dsm_elasticity_request request = small_request(system, workloads, 2);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__elasticity_subject subject = subject_of("workload.element_bytes");
  dsm_varied_parameter parameter;
  ck_assert(dsm__subject_describe(&parameter, &subject, &request, arena));
  ck_assert_int_eq(parameter.setting.kind, DSM_SETTING_NONE);
  ck_assert_str_eq(parameter.source, "given");
  ck_assert_double_eq(dsm__subject_number(&subject, &request, 0), 2);
  ck_assert_double_eq(dsm__subject_number(&subject, &request, 1), 4);
  dsm__arena_free(arena);
  dsm_workload_free(four_bytes);
  dsm_workload_free(two_bytes);
  dsm_system_free(system);
}
END_TEST

Suite *suite_subjects(void) {
  Suite *const suite = suite_create("subjects");
  TCase *const core = tcase_create("core");
  tcase_add_test(core, test_every_parameter_is_a_subject);
  tcase_add_test(core, test_a_path_is_exact);
  tcase_add_loop_test(core, test_values_are_those_by_hand, 0, COUNT_OF(changes));
  tcase_add_test(core, test_a_single_word_cannot_be_varied);
  tcase_add_test(core, test_a_tenth_better_is_of_the_numbers_of_the_system);
  tcase_add_loop_test(core, test_a_parameter_says_what_it_is, 0, COUNT_OF(said));
  tcase_add_test(core, test_a_stated_default_of_a_network_is_given);
  tcase_add_test(core, test_networks_that_differ_have_no_common_value);
  suite_add_tcase(suite, core);
  return suite;
}
