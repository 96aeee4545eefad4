/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_residents.c: runs of layers that are scored once cost to the last bit what each would. */
#include <math.h>
#include <string.h>

#include "bundled.h"
#include "random_numbers.h"
#include "search/preload/residents.h"
#include "search/problem.h"
#include "suites.h"

enum { DRAWS = 400, BUDGETS = 5 };

/* A network on a system, with random layers run with random rooms. */
typedef struct drawing {
  dsm_workload *workload;
  dsm_system *system;
  dsm_explore_options options;
  dsm__problem problem;
  dsm__layer_table table; /* whose inputs have a random part set aside */
  dsm__search_inputs inputs;
  uint64_t state;
} drawing;

static void begin(drawing *d, const char *workload, const char *system) {
  d->workload = bundled_workload(workload, "64");
  d->system = bundled_system(system);
  d->options = bundled_options(DSM_MODE_INFERENCE);
  ck_assert_int_eq(dsm__problem_init(&d->problem, d->workload, d->system, &d->options, NULL),
                   DSM_OK);
  d->table = d->problem.table;
  d->inputs = d->problem.inputs;
  d->table.inputs = &d->inputs;
  d->state = 7;
}

static void end(drawing *d) {
  dsm__problem_fini(&d->problem);
  dsm_workload_free(d->workload);
  dsm_system_free(d->system);
}

static dsm__resident_query draw(drawing *d, dsm__holding *holding) {
  const size_t class_index = random_below(&d->state, d->table.distinct.count);
  const dsm_layer *const layer = dsm__class_layer(&d->table, class_index);
  const bool is_data_only = dsm_layer_parallelisms(layer) != DSM_PARALLELISM_ALL;
  const bool is_holding = random_below(&d->state, 4) != 0;
  const double room = dsm_preload_room_bytes(&d->problem.machine);
  d->inputs.preloaded_bytes = room / DSM__PRELOAD_STEPS * (double)random_below(&d->state, 33);
  *holding = (dsm__holding){
      .is_input_held = is_holding && random_below(&d->state, 2) == 0,
      .is_output_held = is_holding && random_below(&d->state, 2) == 0,
      .held_elements = is_holding ? random_below(&d->state, 1000000) : 0,
  };
  return (dsm__resident_query){
      .table = &d->table,
      .class_index = class_index,
      .parallelism = (dsm_parallelism)(is_data_only ? 0 : random_below(&d->state, 4)),
      .factor_index =
          layer->timesteps == 1 ? (unsigned)random_below(&d->state, d->table.factor_count) : 0,
      .holding = holding,
  };
}

static bool are_bits_same(double a, double b) {
  uint64_t one = 0;
  uint64_t other = 0;
  memcpy(&one, &a, sizeof one);
  memcpy(&other, &b, sizeof other);
  return one == other;
}

static bool is_same(const dsm__resident *a, const dsm__resident *b) {
  return are_bits_same(a->bytes, b->bytes) && are_bits_same(a->cycles, b->cycles) &&
         are_bits_same(a->fraction, b->fraction) && a->split == b->split &&
         a->is_kernel_kept == b->is_kernel_kept;
}

static void compare(drawing *d, const dsm__resident_run *shared, const dsm__resident_run *own) {
  ck_assert_uint_eq(shared->end_count, own->end_count);
  ck_assert_uint_eq(shared->hull_count, own->hull_count);
  for (size_t i = 0; i < own->end_count; i++) {
    ck_assert(is_same(&shared->ends[i], &own->ends[i]));
  }
  for (size_t i = 0; i < own->hull_count; i++) {
    ck_assert(is_same(&shared->hull[i], &own->hull[i]));
  }
  for (int i = 0; i < BUDGETS; i++) {
    uint64_t unused = 0;
    const double bytes = (double)random_below(&d->state, 1 << 20);
    const dsm__resident one = dsm__resident_within(shared, &d->table.splits, bytes, &unused);
    const dsm__resident other = dsm__resident_within(own, &d->table.splits, bytes, &unused);
    ck_assert(is_same(&one, &other));
  }
}

static const struct {
  const char *workload;
  const char *system;
} pairs[] = {{"googlenet", "chip1"},
             {"vgg16", "torus16"},
             {"gnmt", "torus64"},
             {"mobilenet_v2", "torus64_refined"}};
enum { PAIR_COUNT = sizeof pairs / sizeof pairs[0] };

START_TEST(test_shared_run_costs_what_its_own_does) {
  drawing d;
  dsm__residents shared;
  begin(&d, pairs[_i].workload, pairs[_i].system);
  ck_assert(dsm__residents_init(&shared, &d.problem.table));
  for (int i = 0; i < DRAWS; i++) {
    dsm__holding holding;
    dsm__residents own;
    dsm__resident_place unused;
    const dsm__resident_query query = draw(&d, &holding);
    ck_assert(dsm__residents_init(&own, &d.table));
    const size_t number = dsm__residents_add(&shared, &query, &unused);
    ck_assert_uint_eq(dsm__residents_add(&own, &query, &unused), 0);
    ck_assert_uint_eq(dsm__residents_add(&shared, &query, &unused), number);
    ck_assert(dsm__residents_score(&shared) && dsm__residents_score(&own));
    compare(&d, shared.runs.items[number], own.runs.items[0]);
    dsm__residents_fini(&own);
  }
  ck_assert_uint_lt(shared.runs.count, DRAWS - DRAWS / 20); /* some are shared */
  dsm__residents_fini(&shared);
  end(&d);
}
END_TEST

/* ---- parts of the weights ---- */

/* Cycles of a run's invocations with one core split and a fraction of the weights on chip. */
static double cycles_with(const dsm__resident_run *run, const dsm_loops *split, double fraction,
                          dsm_pass_work *work) {
  dsm__layer_setting setting = run->setting;
  setting.resident_fraction = fraction;
  const dsm__parts parts = dsm__pass_parts(&setting, DSM_PASS_FORWARD, run->parallelism, false);
  *work = dsm__part_work(&setting, DSM_PASS_FORWARD, run->parallelism, &parts.items[0]);
  const double total = dsm_invocation_score(work, split).total;
  const double count = (double)parts.items[0].count;
  const double first = count / (double)setting.layer->timesteps;
  const double kept = run->can_keep_kernel ? first * total + run->steady_cycles : HUGE_VAL;
  return fmin(count * total, kept);
}

/* The least over all core splits, each with as much of the weights as helps and fits. */
static double least_of_all_splits(const dsm__resident_run *run, const dsm__core_splits *splits,
                                  double bytes) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    const dsm_loops *const split = &splits->items[i];
    if (!dsm__is_within_parts(&run->candidates, split)) {
      continue;
    }
    dsm_pass_work work;
    least = fmin(least, cycles_with(run, split, 0, &work));
    const double kernel = dsm_core_kernel_bytes(&work, split);
    const double needed = kernel > 0 ? dsm_resident_fraction_needed(&work, split) : 0;
    if (needed > 0) {
      const bool is_part = needed * kernel > bytes;
      least = fmin(least, cycles_with(run, split, is_part ? bytes / kernel : 1, &work));
    }
  }
  return least;
}

START_TEST(test_part_of_the_weights_helps_as_much_as_with_any_split) {
  drawing d;
  dsm__residents residents;
  begin(&d, pairs[_i].workload, pairs[_i].system);
  ck_assert(dsm__residents_init(&residents, &d.problem.table));
  for (int i = 0; i < DRAWS / 4; i++) {
    dsm__holding holding;
    dsm__resident_place unused;
    uint64_t evaluations = 0;
    const dsm__resident_query query = draw(&d, &holding);
    const size_t number = dsm__residents_add(&residents, &query, &unused);
    ck_assert(dsm__residents_score(&residents));
    const dsm__resident_run *const run = residents.runs.items[number];
    const double most = run->ends[run->end_count - 1].bytes;
    for (int k = 1; k <= BUDGETS; k++) {
      const double bytes = most * (double)k / BUDGETS * 0.999;
      const dsm__resident one = dsm__resident_within(run, &d.table.splits, bytes, &evaluations);
      const double least = least_of_all_splits(run, &d.table.splits, bytes);
      ck_assert_double_le(one.bytes, bytes);
      ck_assert_double_eq_tol(one.cycles, least, 1e-11 * least);
      ck_assert_double_le(dsm__resident_least(run, bytes), one.cycles * (1 + 1e-12));
      ck_assert_double_ge(dsm__resident_least(run, bytes),
                          dsm__resident_promise(run, bytes) * (1 - 1e-12));
    }
  }
  dsm__residents_fini(&residents);
  end(&d);
}
END_TEST

/* An fc layer 64 -> 64 of 2-byte weights on two cores, minibatch 64: each core has 4096 bytes of
 * its kernel (in or out is split) and 8192 or 4096 of its features. With 9000 and with 16000 bytes
 * of scratchpad they are one tile of 4500 or 8000 bytes, or two or one; one tile of the kernel is
 * all that counts. With 8000 the kernel is two tiles. */
START_TEST(test_rooms_are_alike_until_a_tile_more_is_needed) {
  static const char text[] =
      "{\"format\":\"dsm-workload/1\",\"name\":\"one\",\"minibatch\":64,\"element_bytes\":2,"
      "\"layers\":[{\"name\":\"fc\",\"type\":\"fc\",\"in\":64,\"out\":64}]}";
  static const double rooms[] = {16000, 9000, 8000};
  static const size_t numbers[] = {0, 0, 1};
  const dsm_override overrides[] = {{"chip.cores", "2", NULL},
                                    {"core.scratchpad_MiB", "0.0152587890625", NULL},
                                    {"core.streaming_buffer_KiB", "0.75", NULL}};
  drawing d = {.system = bundled_system_with("chip1", overrides, 3)};
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, text, sizeof text - 1, NULL, NULL, 0, NULL),
                   DSM_OK);
  d.options = bundled_options(DSM_MODE_INFERENCE);
  ck_assert_int_eq(dsm__problem_init(&d.problem, workload, d.system, &d.options, NULL), DSM_OK);
  d.table = d.problem.table;
  d.inputs = d.problem.inputs;
  d.table.inputs = &d.inputs;
  dsm__residents residents;
  ck_assert(dsm__residents_init(&residents, &d.problem.table));
  const dsm__holding nothing = {0};
  dsm__resident_place unused;
  const dsm__resident_query query = {
      .table = &d.table, .parallelism = DSM_PARALLELISM_DATA, .holding = &nothing};
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
    d.inputs.preloaded_bytes = 16000 - rooms[i];
    ck_assert_uint_eq(dsm__residents_add(&residents, &query, &unused), numbers[i]);
  }
  dsm__residents_fini(&residents);
  dsm__problem_fini(&d.problem);
  dsm_workload_free(workload);
  dsm_system_free(d.system);
}
END_TEST

Suite *suite_residents(void) {
  Suite *const suite = suite_create("residents");
  TCase *const tests = tcase_create("shared");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_shared_run_costs_what_its_own_does, 0, PAIR_COUNT);
  tcase_add_loop_test(tests, test_part_of_the_weights_helps_as_much_as_with_any_split, 0,
                      PAIR_COUNT);
  tcase_add_test(tests, test_rooms_are_alike_until_a_tile_more_is_needed);
  suite_add_tcase(suite, tests);
  return suite;
}
