/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The twin of Equation 2: the tasklets of a core, cycle by cycle.
 *
 * In a cycle the core dispatches one instruction, of the tasklet that has been ready longest; its
 * next one is ready `dispatch` cycles later. When the last instruction of an update is done the
 * tasklet waits for the memory, which serves one access after the other.
 */
#include "pim/kernel.h"
#include "random_numbers.h"
#include "suites.h"

enum { TASKLETS_MAX = 24, WARM_UP = 60, UPDATES = 120 };

typedef struct tasklet {
  uint64_t ready; /* for its next instruction */
  uint64_t left;  /* instructions of its update */
} tasklet;

typedef struct core {
  uint64_t instructions; /* of an update */
  uint64_t dma;          /* cycles of its accesses */
  uint64_t dispatch;
  size_t count;
  tasklet tasklets[TASKLETS_MAX];
  uint64_t memory_free;
  uint64_t updates;
} core;

static tasklet *longest_ready(core *of) {
  tasklet *found = &of->tasklets[0];
  for (size_t i = 1; i < of->count; i++) {
    found = of->tasklets[i].ready < found->ready ? &of->tasklets[i] : found;
  }
  return found;
}

/* Its update has no more instructions: its accesses, and the next update. */
static void access_memory(core *of, tasklet *which) {
  const uint64_t begin = which->ready > of->memory_free ? which->ready : of->memory_free;
  of->memory_free = begin + of->dma;
  which->ready = of->memory_free;
  which->left = of->instructions;
  of->updates++;
}

/* Cycles of an update on average, once the tasklets have fallen into step. */
static double simulate(core of) {
  const uint64_t warm = WARM_UP * of.count;
  const uint64_t all = UPDATES * of.count;
  uint64_t cycle = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < of.count; i++) {
    of.tasklets[i].left = of.instructions;
  }
  while (of.updates < all) {
    tasklet *const next = longest_ready(&of);
    cycle = next->ready > cycle ? next->ready : cycle;
    next->ready = cycle + of.dispatch;
    cycle++;
    if (--next->left == 0) {
      access_memory(&of, next);
      begin = of.updates == warm ? next->ready : begin;
      end = next->ready;
    }
  }
  return (double)(end - begin) / (double)(all - warm);
}

static void compare(const core *of, double most) {
  const double equation = dsm__pim_cycles((double)of->instructions, (double)of->dma,
                                          (double)of->dispatch, (double)of->count);
  const double cycles = simulate(*of);
  ck_assert_double_ge(cycles, equation * (1 - 1e-9));
  ck_assert_double_le(cycles, equation * most);
}

START_TEST(test_random_kernels) {
  uint64_t random = 20260724;
  for (int i = 0; i < 600; i++) {
    static const uint64_t dispatches[] = {11, 1, 4};
    static const uint64_t accesses[] = {1, 21, 401};
    const core of = {.instructions = 1 + random_below(&random, 60),
                     .dma = random_below(&random, accesses[random_below(&random, 3)]),
                     .dispatch = dispatches[random_below(&random, 3)],
                     .count = 1 + random_below(&random, TASKLETS_MAX)};
    compare(&of, of.count == 1 ? 1 + 1e-9 : 1.04);
  }
}
END_TEST

/* An update of the frozen lake, with 9 cycles of memory: no number of tasklets is off by 1 %. */
START_TEST(test_frozen_lake) {
  compare(&(core){.instructions = 162, .dma = 9, .dispatch = 11, .count = (size_t)_i}, 1.01);
}
END_TEST

Suite *suite_tasklets(void) {
  Suite *const suite = suite_create("tasklets");
  TCase *const tests = tcase_create("tasklets");
  tcase_add_test(tests, test_random_kernels);
  tcase_add_loop_test(tests, test_frozen_lake, 1, TASKLETS_MAX + 1);
  suite_add_tcase(suite, tests);
  return suite;
}
