/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_front.c: partitions that are best in several objectives at once: what is proven of them,
 * against the twins, and fronts that are known. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/partition_front.h"
#include "dsm/plot.h"
#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

enum {
  THROUGHPUT = 1 << DSM_OBJECTIVE_THROUGHPUT,
  LATENCY = 1 << DSM_OBJECTIVE_LATENCY,
  ENERGY = 1 << DSM_OBJECTIVE_ENERGY,
  LOOPS = 4
};

static const double close = 3e-6;

static dsm_front_options front_of(unsigned objectives, size_t question_count) {
  dsm_front_options options;
  dsm_front_options_init(&options);
  options.partition.gap = 0;
  options.objectives = objectives;
  options.question_count = question_count;
  return options;
}

static dsm_front *found(const small_instance *s, const dsm_front_options *options) {
  dsm_front *front = NULL;
  ck_assert_int_eq(dsm_front_find(&front, &s->instance, options, NULL), DSM_OK);
  ck_assert_uint_ge(front->point_count, 1);
  return front;
}

/* ---- twins ---- */

/* The most requests per second of what takes no longer; 0: nothing is so quick. */
static double twin_rho(const small_instance *s, dsm_partition_options options, double seconds) {
  options.objective = DSM_OBJECTIVE_THROUGHPUT;
  options.latency_limit_seconds = seconds;
  return enumerate_throughput(&s->instance, &options);
}

/* The least joules at a rate. */
static double twin_joules(const small_instance *s, dsm_partition_options options, double seconds,
                          double rho) {
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.latency_limit_seconds = seconds;
  options.required_rho = rho;
  return enumerate_energy(&s->instance, &options);
}

/* Where a limit is the least there is but for a rounding, the twin's simplex method may lose its
 * way: it finds more than without any limit. */
static bool is_lost(const small_instance *s, const dsm_front_options *options, double seconds,
                    double rho) {
  return twin_rho(s, options->partition, seconds) >
             twin_rho(s, options->partition, 0) * (1 + close) ||
         ((options->objectives & ENERGY) != 0 &&
          twin_joules(s, options->partition, seconds, rho) <
              twin_joules(s, options->partition, 0, rho) * (1 - close));
}

/* Nothing as quick does more, or takes less; nothing that does as many is quicker than is said. */
static void check_point(unsigned long long seed, const small_instance *s,
                        const dsm_front_options *options, const dsm_front_point *point) {
  const bool has_latency = (options->objectives & LATENCY) != 0;
  const double seconds = has_latency ? point->mean_latency_seconds * (1 + 1e-9) : 0;
  const double most = twin_rho(s, options->partition, seconds);
  const bool is_edge =
      has_latency && point->mean_latency_seconds <=
                         enumerate_latency(&s->instance, &options->partition) * (1 + 10 * close);
  ck_assert_int_eq(dsm_partition_validate(point->partition, NULL), DSM_OK);
  ck_assert_double_ge(point->rho_bound, point->rho);
  if (is_edge && is_lost(s, options, seconds, point->rho)) {
    return;
  }
  ck_assert_msg(is_edge || point->status == DSM_SOLUTION_OPTIMAL, "seed %llu: gap %g", seed,
                point->gap);
  if (options->objectives == (THROUGHPUT | LATENCY)) {
    ck_assert_msg(most <= point->rho * (1 + 10 * close), "seed %llu: %.9g beats %.9g", seed, most,
                  point->rho);
    ck_assert_double_le(most, point->rho_bound * (1 + 10 * close));
    ck_assert_double_le(point->latency_bound_seconds, point->mean_latency_seconds);
    if (point->latency_bound_seconds > 0) {
      ck_assert_double_lt(
          twin_rho(s, options->partition, point->latency_bound_seconds * (1 - close)), point->rho);
    }
  }
  if ((options->objectives & ENERGY) == 0) {
    return;
  }
  for (int step = 0; step <= 2 && most >= point->rho; step++) {
    const double rho = point->rho + fmax(0, most * (1 - close) - point->rho) * step / 2;
    const double least = twin_joules(s, options->partition, seconds, rho);
    ck_assert_msg(least >= point->joules_bound * (1 - close),
                  "seed %llu: %.9g J, the bound is %.9g", seed, least, point->joules_bound);
    ck_assert_msg(rho <= point->rho_bound * (1 + close) ||
                      least > point->joules_per_request * (1 - close),
                  "seed %llu: %.9g a second for %.9g J, the bound is %.9g", seed, rho, least,
                  point->rho_bound);
  }
  if (has_latency && point->latency_bound_seconds > 0) { /* nothing quicker is as good in both */
    const double least =
        twin_joules(s, options->partition, point->latency_bound_seconds * (1 - close), point->rho);
    ck_assert_double_ge(least, point->joules_per_request * (1 - close));
  }
}

/* The ends are the answers to the questions of one objective. */
static void check_ends(const small_instance *s, const dsm_front_options *options,
                       const dsm_front *front) {
  const dsm_front_point *const first = &front->points[0];
  const dsm_front_point *const last = &front->points[front->point_count - 1];
  const double most = twin_rho(s, options->partition, 0);
  ck_assert_double_eq_tol(first->rho, most, 10 * close * most);
  if (options->objectives == (THROUGHPUT | LATENCY)) {
    const double least = enumerate_latency(&s->instance, &options->partition);
    ck_assert_double_eq_tol(last->mean_latency_seconds, least, 10 * close * least);
  }
}

static bool is_no_worse(const dsm_front *front, const dsm_front_point *q,
                        const dsm_front_point *p) {
  return q->rho >= p->rho &&
         ((front->objectives & LATENCY) == 0 ||
          q->mean_latency_seconds <= p->mean_latency_seconds) &&
         ((front->objectives & ENERGY) == 0 || q->joules_per_request <= p->joules_per_request);
}

static void check_order(const dsm_front *front) {
  for (size_t p = 0; p < front->point_count; p++) {
    for (size_t q = 0; q < front->point_count; q++) {
      ck_assert(q == p || !is_no_worse(front, &front->points[q], &front->points[p]));
    }
    ck_assert(p == 0 || front->points[p].rho <= front->points[p - 1].rho);
  }
}

static void draw(small_instance *s, dsm_front_options *options, uint64_t seed) {
  static const unsigned objectives[] = {THROUGHPUT | LATENCY, THROUGHPUT | ENERGY,
                                        THROUGHPUT | LATENCY | ENERGY};
  small_random(s, seed, seed / 3 % 3 == 1 ? 4 : 3, 3);
  for (size_t j = 0; j < s->instance.device_count; j++) {
    s->devices[j].has_power = true;
  }
  *options = front_of(objectives[seed % 3], seed % 3 == 2 ? 16 : 8);
  options->partition.does_keep_results = seed % 5 == 0;
  options->partition.copies_max = seed / 3 % 3;
  options->partition.is_staged = options->partition.copies_max == 1 && seed % 2 == 0;
  options->partition.is_unused_off = seed / 2 % 2 == 0;
}

START_TEST(nothing_beats_what_is_proven) {
  const uint64_t count = HOW_MANY(300, 10, 4);
  for (uint64_t seed = (uint64_t)_i * count; seed < ((uint64_t)_i + 1) * count; seed++) {
    small_instance s;
    dsm_front_options options;
    draw(&s, &options, seed);
    if (!(twin_rho(&s, options.partition, 0) > 0)) {
      dsm_front *none = NULL;
      ck_assert_int_eq(dsm_front_find(&none, &s.instance, &options, NULL), DSM_ERROR_INFEASIBLE);
      ck_assert_ptr_null(none);
      continue;
    }
    dsm_front *const front = found(&s, &options);
    ck_assert_uint_le(front->question_count, options.question_count);
    ck_assert_uint_eq(front->unanswered_count, 0);
    check_order(front);
    check_ends(&s, &options, front);
    for (size_t k = 0; k < front->point_count; k++) {
      check_point((unsigned long long)seed, &s, &options, &front->points[k]);
    }
    dsm_front_free(front);
  }
}
END_TEST

/* ---- fronts that are known ---- */

/* A task of a second on the one device and three on the other: with y a second on the slow one 1 +
 * y requests take (1 + 3 y) / (1 + y) on average, at most at y = 1/3. */
START_TEST(a_slow_device_makes_a_curve) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  const dsm_front_options options = front_of(THROUGHPUT | LATENCY, 9);
  dsm_front *const front = found(&s, &options);
  ck_assert_uint_eq(front->point_count, 8); /* a question is the least time's */
  ck_assert_double_eq_tol(front->points[0].rho, 4. / 3, close);
  ck_assert_double_eq_tol(front->points[0].mean_latency_seconds, 1.5, close);
  ck_assert_double_eq_tol(front->points[7].rho, 1, close);
  ck_assert_double_eq_tol(front->points[7].mean_latency_seconds, 1, close);
  for (size_t k = 0; k < front->point_count; k++) {
    const double y = front->points[k].rho - 1;
    ck_assert_double_eq_tol(front->points[k].mean_latency_seconds, (1 + 3 * y) / (1 + y), close);
    ck_assert_double_eq_tol(front->points[k].rho_bound, front->points[k].rho, close);
  }
  dsm_front_free(front);
}
END_TEST

/* Two tasks in one place each, on two devices, of which the second takes twice as long: both on the
 * first take 2 s at 1/2 a second, and one on each 3 s at 1/2; the other way 1 + 2. Nothing is
 * gained by the second device, and the front is a point. With 1.5 s there it is 2/3 a second in 2.5
 * s: two points, however many questions may be asked. */
START_TEST(a_staircase_has_its_steps) {
  for (int is_faster = 0; is_faster < 2; is_faster++) {
    small_instance s;
    small_chain(&s, 2, 2);
    s.seconds[1] = s.seconds[3] = is_faster ? 1.5 : 2;
    dsm_front_options options = front_of(THROUGHPUT | LATENCY, 100);
    options.partition.copies_max = 1;
    dsm_front *const front = found(&s, &options);
    ck_assert_uint_eq(front->point_count, is_faster ? 2 : 1);
    ck_assert_uint_lt(front->question_count, 40);
    const dsm_front_point *const last = &front->points[front->point_count - 1];
    ck_assert_double_eq_tol(last->mean_latency_seconds, 2, close);
    ck_assert_double_eq_tol(last->rho, 0.5, close);
    if (is_faster) {
      ck_assert_double_eq_tol(front->points[0].rho, 2. / 3, close);
      ck_assert_double_eq_tol(front->points[0].mean_latency_seconds, 2.5, close);
      ck_assert_double_eq_tol(front->points[0].latency_bound_seconds, 2.5, 10 * close);
    }
    dsm_front_free(front);
  }
}
END_TEST

/* A second at 10 W on the one device, three at 5 W on the other, no idle power: up to a request a
 * second each takes 10 J, then r - 1 of r take 15, up to 4/3 a second. */
START_TEST(energy_rises_where_the_lean_device_is_full) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  for (size_t j = 0; j < 2; j++) {
    s.devices[j].has_power = true;
    s.devices[j].busy_watts = j == 0 ? 10 : 5;
  }
  const dsm_front_options options = front_of(THROUGHPUT | ENERGY, 8);
  dsm_front *const front = found(&s, &options);
  const dsm_front_point *const last = &front->points[front->point_count - 1];
  ck_assert_double_eq_tol(front->points[0].joules_per_request, 15 / (4. / 3), 10 * close * 15);
  ck_assert_double_eq_tol(last->rho, 1, close);
  for (size_t k = 0; k < front->point_count; k++) {
    const double r = front->points[k].rho;
    const double joules = (10 + 15 * (r - 1)) / r;
    ck_assert_double_eq_tol(front->points[k].joules_per_request, joules, 10 * close * joules);
    ck_assert_double_eq_tol(front->points[k].joules_bound, joules, 10 * close * joules);
  }
  ck_assert_uint_ge(front->point_count, 6);
  dsm_front_free(front);
}
END_TEST

/* ---- questions ---- */

START_TEST(what_cannot_be_asked_of_a_front) {
  static const struct {
    unsigned objectives;
    size_t questions;
    bool has_power;
    double limit;
  } wrong[] = {{THROUGHPUT, 0, true, 0},
               {LATENCY | ENERGY, 0, true, 0},
               {THROUGHPUT | 1 << DSM_OBJECTIVE_KIND_COUNT, 0, true, 0},
               {THROUGHPUT | LATENCY, 2, true, 0},
               {THROUGHPUT | LATENCY | ENERGY, 4, true, 0},
               {THROUGHPUT | LATENCY, DSM_FRONT_QUESTIONS_MAX + 1, true, 0},
               {THROUGHPUT | ENERGY, 0, false, 0},
               {THROUGHPUT | LATENCY, 0, true, -1}};
  ck_assert_int_eq(COUNT_OF(wrong), 8);
  small_instance s;
  small_chain(&s, 2, 2);
  s.devices[0].has_power = s.devices[1].has_power = wrong[_i].has_power;
  s.devices[0].busy_watts = s.devices[1].busy_watts = 1;
  dsm_front_options options = front_of(wrong[_i].objectives, wrong[_i].questions);
  options.partition.latency_limit_seconds = wrong[_i].limit;
  dsm_front *front = NULL;
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(dsm_front_find(&front, &s.instance, &options, diags), DSM_ERROR_USAGE);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  ck_assert_ptr_null(front);
  dsm_diags_free(diags);
}
END_TEST

/* A limit of the user is that of all points. */
START_TEST(a_limit_of_latency_holds_for_all) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  dsm_front_options options = front_of(THROUGHPUT | LATENCY, 6);
  options.partition.latency_limit_seconds = 1.25;
  dsm_front *const front = found(&s, &options);
  ck_assert_double_eq_tol(front->points[0].rho, 8. / 7, close);
  ck_assert_double_eq_tol(front->points[0].mean_latency_seconds, 1.25, close);
  dsm_front_free(front);
}
END_TEST

/* ---- where it ends early, and again ---- */

typedef struct counted {
  size_t begun;
  size_t most; /* questions that are answered before it is stopped */
} counted;

static void count_question(void *context, size_t question, size_t question_count,
                           dsm_objective_kind objective) {
  counted *const so_far = context;
  ck_assert_uint_eq(question, so_far->begun);
  ck_assert_uint_gt(question_count, question);
  ck_assert_int_lt(objective, DSM_OBJECTIVE_KIND_COUNT);
  so_far->begun++;
}

static bool is_enough(void *context) {
  const counted *const so_far = context;
  return so_far->begun > so_far->most;
}

START_TEST(what_was_found_is_kept) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  counted so_far = {0, (size_t)_i};
  dsm_front_options options = front_of(THROUGHPUT | LATENCY, 9);
  options.begin_question = count_question;
  options.partition.is_stopped = is_enough;
  options.partition.context = &so_far;
  dsm_front *const front = found(&s, &options);
  ck_assert(front->was_stopped);
  ck_assert_uint_eq(front->question_count, (size_t)_i + 1);
  ck_assert_double_eq_tol(front->points[0].rho, 4. / 3, close);
  check_order(front);
  dsm_front_free(front);
}
END_TEST

START_TEST(the_same_question_has_the_same_front) {
  for (uint64_t seed = 0; seed < 9; seed++) {
    small_instance s;
    dsm_front_options options;
    draw(&s, &options, seed);
    if (!(twin_rho(&s, options.partition, 0) > 0)) {
      continue;
    }
    dsm_front *const front = found(&s, &options);
    dsm_front *const again = found(&s, &options);
    ck_assert_uint_eq(front->point_count, again->point_count);
    for (size_t k = 0; k < front->point_count; k++) {
      const dsm_front_point *const p = &front->points[k];
      const dsm_front_point *const q = &again->points[k];
      ck_assert(p->rho == q->rho && p->mean_latency_seconds == q->mean_latency_seconds &&
                p->joules_per_request == q->joules_per_request && p->bound == q->bound &&
                p->rho_bound == q->rho_bound && p->joules_bound == q->joules_bound &&
                p->latency_bound_seconds == q->latency_bound_seconds);
    }
    dsm_front_free(front);
    dsm_front_free(again);
  }
}
END_TEST

/* ---- read back ---- */

/* All that is drawn of a front is in its document. */
START_TEST(what_is_written_is_read_back) {
  static const unsigned objectives[] = {THROUGHPUT | LATENCY, THROUGHPUT | ENERGY,
                                        THROUGHPUT | LATENCY | ENERGY};
  small_instance s;
  small_random(&s, 4, 4, 3);
  const dsm_front_options options = front_of(objectives[_i], 8);
  dsm_front *const front = found(&s, &options);
  char *const text = as_json(DSM_ANSWER(front, front));
  dsm_front *again = NULL;
  dsm_plot *plot = NULL;
  dsm_plot *drawn = NULL;
  ck_assert_ptr_eq(dsm_answer_kind_of(text, strlen(text)), &dsm_answer_front);
  ck_assert_int_eq(parsed_as(&dsm_answer_front, &again, text, strlen(text), "f.json", NULL),
                   DSM_OK);
  ck_assert_uint_eq(again->objectives, front->objectives);
  ck_assert_uint_eq(again->question_count, front->question_count);
  ck_assert_uint_eq(again->point_count, front->point_count);
  for (size_t k = 0; k < front->point_count; k++) {
    ck_assert_ptr_null(again->points[k].partition);
    ck_assert_mem_eq(&again->points[k].rho, &front->points[k].rho,
                     offsetof(dsm_front_point, is_rho_bound) - offsetof(dsm_front_point, rho));
    ck_assert_int_eq(again->points[k].status, front->points[k].status);
  }
  ck_assert_int_eq(dsm_plot_answer(&plot, DSM_ANSWER(front, front), 0, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plot_answer(&drawn, DSM_ANSWER(front, again), 0, NULL), DSM_OK);
  ck_assert_str_eq(plot->body, drawn->body);
  ck_assert_str_eq(plot->marks, drawn->marks);
  dsm_plot_free(plot);
  dsm_plot_free(drawn);
  dsm_front_free(again);
  dsm_front_free(front);
  free(text);
}
END_TEST

Suite *suite_front(void) {
  Suite *const suite = suite_create("front");
  TCase *const twins = tcase_create("twins");
  tcase_set_timeout(twins, 600);
  tcase_add_loop_test(twins, nothing_beats_what_is_proven, 0, LOOPS);
  tcase_add_test(twins, the_same_question_has_the_same_front);
  suite_add_tcase(suite, twins);
  TCase *const plain = tcase_create("plain");
  tcase_add_test(plain, a_slow_device_makes_a_curve);
  tcase_add_test(plain, a_staircase_has_its_steps);
  tcase_add_test(plain, energy_rises_where_the_lean_device_is_full);
  tcase_add_loop_test(plain, what_cannot_be_asked_of_a_front, 0, 8);
  tcase_add_test(plain, a_limit_of_latency_holds_for_all);
  tcase_add_loop_test(plain, what_is_written_is_read_back, 0, 3);
  tcase_add_loop_test(plain, what_was_found_is_kept, 1, 5);
  suite_add_tcase(suite, plain);
  return suite;
}
