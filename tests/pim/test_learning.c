/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The updates whose instructions Equation 1 counts, run: Q-learning and SARSA with floats and with
 * whole numbers of 1/10,000, on transitions of the frozen lake (4 x 4, slippery) that a random
 * policy made. The table of whole numbers is near that of floats, and the operations that ran are
 * those of the equation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subjects.h"
#include "suites.h"

enum {
  SIDE = 4,
  STATES = SIDE * SIDE,
  ACTIONS = 4,
  TRANSITIONS = 4000,
  EPISODES = 10,
  CORES = 4,
  PERIOD = 5,
  SCALE = 10000,
  ALPHA = SCALE / 10,
  GAMMA = 9500
};

/* ---- transitions ---- */

typedef struct transition {
  int32_t state;
  int32_t action;
  int32_t reward;
  int32_t next;
} transition;
_Static_assert(sizeof(transition) == 16, "as record_bytes of the bundled workloads");

static const char lake[] = "SFFFFHFHFFFHHFFG";

static int32_t step_from(int32_t state, uint64_t direction) {
  const int32_t row = state / SIDE;
  const int32_t column = state % SIDE;
  switch (direction) {
  case 0:
    return row * SIDE + (column > 0 ? column - 1 : 0);
  case 1:
    return (row + 1 < SIDE ? row + 1 : row) * SIDE + column;
  case 2:
    return row * SIDE + (column + 1 < SIDE ? column + 1 : column);
  default:
    return (row > 0 ? row - 1 : 0) * SIDE + column;
  }
}

/* A step goes where it should, or to a side, each as often. */
static void make_transitions(transition *made) {
  uint64_t random = 1;
  int32_t state = 0;
  for (int i = 0; i < TRANSITIONS; i++) {
    const uint64_t action = random_below(&random, ACTIONS);
    const uint64_t direction = (action + ACTIONS - 1 + random_below(&random, 3)) % ACTIONS;
    const int32_t next = step_from(state, direction);
    made[i] = (transition){state, (int32_t)action, lake[next] == 'G' ? 1 : 0, next};
    state = lake[next] == 'H' || lake[next] == 'G' ? 0 : next;
  }
}

/* ---- a core that counts ---- */

typedef struct counter {
  double operations[DSM_PIM_OPERATION_COUNT];
  double native;
  double updates;
  double draws; /* next actions that are any */
} counter;

/* What a core runs. */
typedef struct program {
  dsm_rl_algorithm algorithm;
  dsm_rl_element element_type;
  dsm_rl_constants constants;
  dsm_rl_sampling sampling;
} program;

typedef struct core {
  const program *of;
  int32_t whole[STATES][ACTIONS];
  float real[STATES][ACTIONS];
  uint32_t seed;
  counter *count;
} core;

static void tally(core *on, dsm_pim_operation operation) {
  on->count->operations[operation]++;
}

static int32_t whole_mul(core *on, int32_t a, int32_t b) {
  tally(on, DSM_PIM_INT32_MUL);
  return a * b;
}

static int32_t whole_div(core *on, int32_t a, int32_t b) {
  tally(on, DSM_PIM_INT32_DIV);
  return a / b;
}

static int32_t whole_add(core *on, int32_t a, int32_t b) {
  tally(on, DSM_PIM_INT32_ADD);
  return a + b;
}

static double to_double(core *on, float value) {
  tally(on, DSM_PIM_CONVERSION);
  return (double)value;
}

static float to_float(core *on, double value) {
  tally(on, DSM_PIM_CONVERSION);
  return (float)value;
}

/* A linear congruential generator: multiply, add, mask; then the remainder. */
static uint32_t draw(core *on, uint32_t bound) {
  tally(on, DSM_PIM_INT32_MUL);
  tally(on, DSM_PIM_INT32_ADD);
  on->seed = (on->seed * 1103515245U + 12345U) & 0x7fffffffU;
  on->count->native++;
  tally(on, DSM_PIM_INT32_DIV);
  return on->seed / 8 % bound;
}

/* The next action: the best one, or now and then (0.1) any; -1: the best one. */
static int32_t next_action(core *on) {
  if (on->of->algorithm == DSM_RL_Q_LEARNING) {
    return -1;
  }
  const bool is_any = draw(on, 10) < 1;
  on->count->native += 2; /* compare, branch */
  if (!is_any) {
    return -1;
  }
  on->count->draws++;
  return (int32_t)draw(on, ACTIONS);
}

/* ---- updates ---- */

static int32_t best_whole(core *on, int32_t state) {
  int32_t best = INT32_MIN;
  for (int a = 0; a < ACTIONS; a++) {
    on->count->native += 4; /* load, compare, branch, next address */
    best = on->whole[state][a] > best ? on->whole[state][a] : best;
  }
  return best;
}

static float best_real(core *on, int32_t state) {
  float best = -HUGE_VALF;
  for (int a = 0; a < ACTIONS; a++) {
    on->count->native += 3; /* load, branch, next address */
    tally(on, DSM_PIM_FLOAT32_COMPARE);
    best = on->real[state][a] > best ? on->real[state][a] : best;
  }
  return best;
}

static void update_whole(core *on, const transition *t, int32_t action) {
  const int32_t best = best_whole(on, t->next);
  const int32_t next = action < 0 ? best : on->whole[t->next][action];
  int32_t *const q = &on->whole[t->state][t->action];
  const int32_t target =
      whole_add(on, t->reward * SCALE, whole_div(on, whole_mul(on, GAMMA, next), SCALE));
  const int32_t error = whole_add(on, target, -*q);
  *q = whole_add(on, *q, whole_div(on, whole_mul(on, ALPHA, error), SCALE));
}

/* In C the constants 0.1 and 0.95 are double, and so is all that they meet. */
static void update_double(core *on, const transition *t, int32_t action) {
  const float best = best_real(on, t->next);
  const float next = action < 0 ? best : on->real[t->next][action];
  float *const q = &on->real[t->state][t->action];
  const double before = to_double(on, *q);
  tally(on, DSM_PIM_FLOAT64_MUL);
  const double discounted = 0.95 * to_double(on, next);
  tally(on, DSM_PIM_FLOAT64_ADD);
  const double target = to_double(on, (float)t->reward) + discounted;
  tally(on, DSM_PIM_FLOAT64_SUB);
  tally(on, DSM_PIM_FLOAT64_MUL);
  tally(on, DSM_PIM_FLOAT64_ADD);
  *q = to_float(on, before + 0.1 * (target - before));
}

static void update_float(core *on, const transition *t, int32_t action) {
  const float best = best_real(on, t->next);
  const float next = action < 0 ? best : on->real[t->next][action];
  float *const q = &on->real[t->state][t->action];
  tally(on, DSM_PIM_FLOAT32_MUL);
  tally(on, DSM_PIM_FLOAT32_ADD);
  const float target = (float)t->reward + 0.95F * next;
  tally(on, DSM_PIM_FLOAT32_SUB);
  tally(on, DSM_PIM_FLOAT32_MUL);
  tally(on, DSM_PIM_FLOAT32_ADD);
  *q = *q + 0.1F * (target - *q);
}

/* The transition that is taken when `i` were taken before. */
static size_t sampled(core *on, size_t i, size_t count) {
  enum { STRIDE = 4 };
  switch (on->of->sampling) {
  case DSM_RL_RANDOM:
    on->count->native += 3; /* its address */
    return draw(on, (uint32_t)count);
  case DSM_RL_STRIDED:
    tally(on, DSM_PIM_INT32_ADD);
    return i * STRIDE % count + i * STRIDE / count;
  case DSM_RL_SEQUENTIAL:
  case DSM_RL_SAMPLING_COUNT:
    break;
  }
  return i;
}

static void episode(core *on, const transition *transitions, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const transition *const t = &transitions[sampled(on, i, count)];
    const int32_t action = next_action(on);
    on->count->native += 3 + 6 + 6 + 2; /* loop, transition, addresses of two rows, Q(s,a) */
    on->count->updates++;
    if (on->of->element_type == DSM_RL_INT32) {
      update_whole(on, t, action);
    } else if (on->of->constants == DSM_RL_DOUBLE) {
      update_double(on, t, action);
    } else {
      update_float(on, t, action);
    }
  }
}

/* ---- training ---- */

/* The host averages the tables of all cores. */
static void average(core *cores) {
  for (int s = 0; s < STATES; s++) {
    for (int a = 0; a < ACTIONS; a++) {
      int32_t whole = 0;
      float real = 0;
      for (int c = 0; c < CORES; c++) {
        whole += cores[c].whole[s][a];
        real += cores[c].real[s][a];
      }
      for (int c = 0; c < CORES; c++) {
        cores[c].whole[s][a] = whole / CORES;
        cores[c].real[s][a] = real / CORES;
      }
    }
  }
}

typedef struct table {
  double values[STATES][ACTIONS];
} table;

static table train(const program *of, counter *count) {
  static transition transitions[TRANSITIONS];
  static core cores[CORES];
  const size_t share = TRANSITIONS / CORES;
  table made;
  make_transitions(transitions);
  *count = (counter){.native = 0};
  for (int c = 0; c < CORES; c++) {
    cores[c] = (core){.of = of, .seed = 7U + (uint32_t)c, .count = count};
  }
  for (int e = 1; e <= EPISODES; e++) {
    for (int c = 0; c < CORES; c++) {
      episode(&cores[c], transitions + (size_t)c * share, share);
    }
    if (e % PERIOD == 0) {
      average(cores);
    }
  }
  for (int s = 0; s < STATES; s++) {
    for (int a = 0; a < ACTIONS; a++) {
      made.values[s][a] = of->element_type == DSM_RL_INT32 ? cores[0].whole[s][a] / (double)SCALE
                                                           : (double)cores[0].real[s][a];
    }
  }
  return made;
}

static program numbered(int index) {
  return (program){.algorithm = (dsm_rl_algorithm)(index % DSM_RL_ALGORITHM_COUNT),
                   .sampling = (dsm_rl_sampling)(index / DSM_RL_ALGORITHM_COUNT)};
}

enum { PROGRAMS = DSM_RL_ALGORITHM_COUNT * DSM_RL_SAMPLING_COUNT };

START_TEST(test_tables_agree) {
  counter count;
  program of = numbered(_i);
  const table whole = train(&of, &count);
  of.element_type = DSM_RL_FLOAT32;
  const table real = train(&of, &count);
  of.constants = DSM_RL_FLOAT;
  const table single = train(&of, &count);
  double most = 0;
  for (int s = 0; s < STATES; s++) {
    for (int a = 0; a < ACTIONS; a++) {
      ck_assert_double_eq_tol(whole.values[s][a], real.values[s][a], 1e-2);
      ck_assert_double_eq_tol(single.values[s][a], real.values[s][a], 1e-4);
      most = fmax(most, real.values[s][a]);
    }
  }
  ck_assert_double_gt(most, 0.1); /* it has learnt where the goal is */
  ck_assert_double_lt(most, 1);
}
END_TEST

/* The part of next actions that are any is that which was drawn. */
static void check_counts(const program *of) {
  counter count;
  dsm_pim_update update;
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  (void)train(of, &count);
  dsm_rl_workload changed = *workload;
  changed.algorithm = of->algorithm;
  changed.element_type = of->element_type;
  changed.constants = of->constants;
  changed.sampling = of->sampling;
  changed.epsilon = count.draws / count.updates;
  ck_assert_double_eq(count.updates, (double)TRANSITIONS * EPISODES);
  ck_assert(of->algorithm == DSM_RL_Q_LEARNING || fabs(changed.epsilon - 0.1) < 0.01);
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq_tol(update.native, count.native / count.updates, 1e-9);
  for (int o = 0; o < DSM_PIM_OPERATION_COUNT; o++) {
    ck_assert_double_eq_tol(update.operations[o], count.operations[o] / count.updates, 1e-9);
  }
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}

START_TEST(test_operations_are_counted) {
  program of = numbered(_i);
  check_counts(&of);
  of.element_type = DSM_RL_FLOAT32;
  check_counts(&of);
  of.constants = DSM_RL_FLOAT;
  check_counts(&of);
}
END_TEST

Suite *suite_learning(void) {
  Suite *const suite = suite_create("learning");
  TCase *const tests = tcase_create("learning");
  tcase_add_loop_test(tests, test_tables_agree, 0, PROGRAMS);
  tcase_add_loop_test(tests, test_operations_are_counted, 0, PROGRAMS);
  suite_add_tcase(suite, tests);
  return suite;
}
