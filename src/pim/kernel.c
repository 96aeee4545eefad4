/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel.c: what an update of a table takes on a core (docs/pim.md, Equations 1 and 2).
 *
 * Counts are those of SwiftRL's kernels, read off their source line by line;
 * tests/pim/test_learning runs the same updates and counts.
 */
#include "pim/kernel.h"

#include <math.h>

#include "base/units.h"

/* ---- Equation 1 ---- */

/* A row of the table of what kernels are made of. */
typedef struct counted {
  dsm_pim_operation operation;
  double count;
} counted;

enum { COUNTED_MAX = 5 };

/* A part of a kernel: instructions of the core's own, once and for each action, and operations, of
 * which the compare is for each action. */
typedef struct kernel_part {
  double native;
  double native_each_action;
  double compares_each_action;
  counted operations[COUNTED_MAX]; /* up to the first count of 0 */
} kernel_part;

/* The loop 3, loads of a transition 6, addresses of two rows 6, load and store of Q(s,a) 2. */
static const kernel_part base = {.native = 17};

/* max Q(s',a'): load, compare, branch and next address of each action. Then with whole numbers of
 * 1/10,000 the target r + gamma * max / 10,000, and Q + alpha * (target - Q) / 10,000. */
static const kernel_part int32_update = {
    .native_each_action = 4,
    .operations = {{DSM_PIM_INT32_MUL, 2}, {DSM_PIM_INT32_DIV, 2}, {DSM_PIM_INT32_ADD, 3}}};

/* The same in C with the constants 0.1 and 0.95, which are double: max, r and Q(s,a) become double,
 * and the new Q(s,a) float again. */
static const kernel_part double_update = {.native_each_action = 3,
                                          .compares_each_action = 1,
                                          .operations = {{DSM_PIM_FLOAT64_MUL, 2},
                                                         {DSM_PIM_FLOAT64_ADD, 2},
                                                         {DSM_PIM_FLOAT64_SUB, 1},
                                                         {DSM_PIM_CONVERSION, 4}}};

/* The same with 0.1f and 0.95f. */
static const kernel_part float_update = {
    .native_each_action = 3,
    .compares_each_action = 1,
    .operations = {{DSM_PIM_FLOAT32_MUL, 2}, {DSM_PIM_FLOAT32_ADD, 2}, {DSM_PIM_FLOAT32_SUB, 1}}};

/* A number of a linear congruential generator: multiply, add, mask; and its remainder. */
static const kernel_part draw = {
    .native = 1,
    .operations = {{DSM_PIM_INT32_MUL, 1}, {DSM_PIM_INT32_ADD, 1}, {DSM_PIM_INT32_DIV, 1}}};

/* Compare with epsilon, branch. */
static const kernel_part decide = {.native = 2};

/* The address of the transition that was drawn. */
static const kernel_part random_address = {.native = 3};

static const kernel_part stride_step = {.operations = {{DSM_PIM_INT32_ADD, 1}}};

static void add(dsm_pim_update *update, const kernel_part *part, double actions, double times) {
  update->native += times * (part->native + actions * part->native_each_action);
  update->operations[DSM_PIM_FLOAT32_COMPARE] += times * actions * part->compares_each_action;
  for (size_t i = 0; i < COUNTED_MAX && part->operations[i].count > 0; i++) {
    update->operations[part->operations[i].operation] += times * part->operations[i].count;
  }
}

void dsm__pim_instructions(dsm_pim_update *update, const dsm_rl_workload *workload,
                           const dsm_pim_system *system) {
  const double actions = (double)workload->actions;
  add(update, &base, actions, 1);
  add(update,
      workload->element_type == DSM_RL_INT32 ? &int32_update
      : workload->constants == DSM_RL_DOUBLE ? &double_update
                                             : &float_update,
      actions, 1);
  if (workload->algorithm == DSM_RL_SARSA) {
    add(update, &draw, actions, 1);
    add(update, &decide, actions, 1);
    add(update, &draw, actions, workload->epsilon);
  }
  if (workload->sampling == DSM_RL_RANDOM) {
    add(update, &draw, actions, 1);
    add(update, &random_address, actions, 1);
  } else if (workload->sampling == DSM_RL_STRIDED) {
    add(update, &stride_step, actions, 1);
  }
  update->instructions = update->native;
  for (int o = 0; o < DSM_PIM_OPERATION_COUNT; o++) {
    const double call = o == DSM_PIM_INT32_ADD ? 0 : system->call_instructions;
    update->instructions += update->operations[o] * (system->instructions[o] + call);
  }
}

/* ---- Equation 2 ---- */

bool dsm__pim_is_table_in_memory(const dsm_rl_workload *workload, const dsm_pim_system *system) {
  return dsm_pim_table_bytes(workload) > system->wram.capacity_KiB * DSM__BYTES_PER_KIB;
}

/* Cycles of one access of so many bytes, which may have to be several. */
static double access_cycles(const dsm_pim_mram *mram, double bytes, double access) {
  return access * ceil(bytes / (double)mram->dma_bytes) + mram->cycles_per_byte * bytes;
}

void dsm__pim_dma(dsm_pim_update *update, const dsm_rl_workload *workload,
                  const dsm_pim_system *system) {
  const dsm_pim_mram *const mram = &system->mram;
  const double record = (double)workload->record_bytes;
  const double dma = (double)mram->dma_bytes;
  update->bytes = record;
  /* Transitions that follow each other come together, as many as an access moves. */
  update->dma_cycles = workload->sampling == DSM_RL_RANDOM
                           ? access_cycles(mram, record, mram->access_cycles)
                           : record * (mram->cycles_per_byte + mram->access_cycles / dma);
  if (dsm__pim_is_table_in_memory(workload, system)) {
    /* The row of the next state, Q(s,a), and Q(s,a) again; an instruction starts each access. */
    const double element = DSM_PIM_ELEMENT_BYTES;
    const double row = element * (double)workload->actions;
    const double access = mram->access_cycles + 1;
    update->bytes += row + 2 * element;
    update->dma_cycles +=
        access_cycles(mram, row, access) + 2 * access_cycles(mram, element, access);
  }
}

double dsm__pim_cycles(double instructions, double dma_cycles, double dispatch, double tasklets) {
  const double alone = dispatch * instructions + dma_cycles;
  const double compute = instructions * fmax(dispatch / tasklets, 1);
  return tasklets > 1 ? fmax(fmax(compute, dma_cycles), alone / tasklets) : alone;
}

void dsm_pim_update_cost(dsm_pim_update *update, const dsm_rl_workload *workload,
                         const dsm_pim_system *system, uint64_t tasklets) {
  const double dispatch = (double)system->dispatch_cycles;
  *update = (dsm_pim_update){.native = 0};
  dsm__pim_instructions(update, workload, system);
  dsm__pim_dma(update, workload, system);
  update->compute_cycles = update->instructions * fmax(dispatch / (double)tasklets, 1);
  update->cycles =
      dsm__pim_cycles(update->instructions, update->dma_cycles, dispatch, (double)tasklets);
}
