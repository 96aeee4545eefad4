/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/core_layouts.h"

#include <math.h>

#include "plan/holding.h"
#include "plan/tolerance.h"

/* The layouts of so many cores, or only how many there are (items NULL). */
static size_t list_layouts(uint64_t cores, dsm_core_layout *items) {
  size_t count = 0;
  for (uint64_t a = 1; a <= cores; a++) {
    for (uint64_t b = 1; cores % a == 0 && b <= cores / a; b++) {
      if (cores / a % b != 0) {
        continue;
      }
      if (items != NULL) {
        items[count] = (dsm_core_layout){a, b, cores / a / b};
      }
      count++;
    }
  }
  return count;
}

bool dsm__core_layouts_enumerate(dsm__core_layouts *layouts, uint64_t cores, dsm__arena *arena) {
  layouts->count = list_layouts(cores, NULL);
  layouts->items = dsm__arena_array(arena, layouts->count, sizeof layouts->items[0]);
  if (layouts->items == NULL) {
    return false;
  }
  list_layouts(cores, layouts->items);
  return true;
}

/* ---- the best layouts for given core splits ---- */

/* A core split that touches a held tensor, and what it costs over a step if it does not fit. */
typedef struct use {
  const dsm_loops *split;
  bool is_of_output; /* the layer's own output, or its input */
  double move_cycles;
  size_t next; /* of the same tensor; SIZE_MAX: none */
} use;

typedef struct completing {
  const dsm_workload *workload;
  const dsm_machine *machine;
  dsm_mode mode;
  const dsm__decisions *decisions;
  dsm__holding *holdings;
  size_t *first_use; /* of each layer's output */
  use *uses;
  size_t use_count;
} completing;

static void add_use(completing *c, size_t tensor, use one) {
  if (one.move_cycles > 0) {
    one.next = c->first_use[tensor];
    c->uses[c->use_count] = one;
    c->first_use[tensor] = c->use_count++;
  }
}

/* What one kind of invocation of a pass does with the layer's output and input. */
static void add_uses_of_part(completing *c, size_t index, const dsm_pass_work *work, double count,
                             const dsm_loops *split) {
  const dsm_layer *const layer = &c->workload->layers[index];
  if (work->bytes.output_move > 0) {
    const double cycles = count * dsm_layout_move_cycles(c->machine, work->bytes.output_move);
    add_use(c, index, (use){split, true, cycles, SIZE_MAX});
  }
  if (work->bytes.input_move > 0) {
    const double cycles = count * dsm_layout_move_cycles(c->machine, work->bytes.input_move);
    double all = 0;
    for (size_t i = 0; i < layer->producer_count; i++) {
      all += (double)c->workload->layers[layer->producers[i]].stored_size;
    }
    for (size_t i = 0; i < layer->producer_count; i++) {
      const size_t producer = layer->producers[i];
      const double share = (double)c->workload->layers[producer].stored_size / all;
      add_use(c, producer, (use){split, false, cycles * share, SIZE_MAX});
    }
  }
}

static void add_uses_of_layer(completing *c, size_t index) {
  const dsm__layer_decision *const decision = &c->decisions->layers[index];
  const dsm__layer_setting setting = {
      .layer = &c->workload->layers[index],
      .machine = c->machine,
      .precision = dsm_precision_of(c->workload, c->machine->system),
      .mode = c->mode,
      .minibatch = c->workload->minibatch,
      .dysm_factor = decision->layer.dysm_factor,
      .holding = c->holdings[index],
  };
  if (!setting.holding.is_input_held && !setting.holding.is_output_held) {
    return;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass pass = (dsm_pass)p;
    if (!dsm_pass_exists(setting.layer, c->mode, pass)) {
      continue;
    }
    const dsm__parts parts =
        dsm__pass_parts(&setting, pass, decision->layouts.of[pass], decision->is_kernel_kept[pass]);
    for (unsigned k = 0; k < parts.count; k++) {
      const dsm_pass_work work =
          dsm__part_work(&setting, pass, decision->layouts.of[pass], &parts.items[k]);
      add_uses_of_part(c, index, &work, (double)parts.items[k].count, &decision->splits[pass][k]);
    }
  }
}

/* What a layout of a tensor costs over a step. */
static double cost_of(const completing *c, size_t tensor, const dsm_core_layout *layout) {
  double cycles = 0;
  for (size_t u = c->first_use[tensor]; u != SIZE_MAX; u = c->uses[u].next) {
    const use *const one = &c->uses[u];
    const bool is_fitting = one->is_of_output ? dsm_split_fits_output(one->split, layout)
                                              : dsm_split_fits_input(one->split, layout);
    cycles += is_fitting ? 0 : one->move_cycles;
  }
  return cycles;
}

static dsm_core_layout best_layout(const completing *c, const dsm__core_layouts *layouts,
                                   size_t tensor) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < layouts->count; i++) {
    least = fmin(least, cost_of(c, tensor, &layouts->items[i]));
  }
  size_t first = 0;
  while (cost_of(c, tensor, &layouts->items[first]) > dsm__tie_limit(least)) {
    first++;
  }
  return layouts->items[first];
}

static bool prepare(completing *c, dsm__arena *arena) {
  const size_t count = c->workload->layer_count;
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    most += (1 + c->workload->layers[i].producer_count) * DSM_PASS_COUNT * DSM_INVOCATION_KINDS_MAX;
  }
  c->holdings = dsm__arena_array(arena, count, sizeof c->holdings[0]);
  c->first_use = dsm__arena_array(arena, count, sizeof c->first_use[0]);
  c->uses = dsm__arena_array(arena, most, sizeof c->uses[0]);
  if (c->holdings == NULL || c->first_use == NULL || c->uses == NULL ||
      !dsm__holdings_derive(c->workload, c->machine, c->decisions, c->holdings, arena)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    c->first_use[i] = SIZE_MAX;
  }
  for (size_t i = 0; i < count; i++) {
    add_uses_of_layer(c, i);
  }
  return true;
}

bool dsm__core_layouts_complete(const dsm_workload *workload, const dsm_machine *machine,
                                dsm_mode mode, const dsm__decisions *decisions,
                                dsm__layer_decision *layers, bool is_anew, dsm__arena *arena) {
  completing c = {.workload = workload, .machine = machine, .mode = mode, .decisions = decisions};
  dsm__core_layouts layouts;
  if (!dsm__has_layouts(machine->system)) {
    return true;
  }
  if (!dsm__core_layouts_enumerate(&layouts, machine->system->chip.cores, arena) ||
      !prepare(&c, arena)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (layers[i].layer.is_output_held &&
        (is_anew || !dsm__is_layout(&layers[i].layer.output_layout))) {
      layers[i].layer.output_layout = best_layout(&c, &layouts, i);
    }
  }
  return true;
}
