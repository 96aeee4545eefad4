/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "layout_twin.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "given.h"
#include "plan/core_layouts.h"
#include "random_numbers.h"
#include "search/layer_search.h"
#include "suites.h"

enum { LAYERS_MAX = 5, INPUTS_MAX = 2, LAYOUTS_MAX = 18, FACTORS_MAX = 3, TEXT_MAX = 4096 };

dsm_workload *layout_network(uint64_t *state) {
  static const unsigned outs[] = {3, 8, 16, 40};
  const unsigned side = 1 + (unsigned)random_below(state, 6);
  char text[TEXT_MAX] = "";
  unsigned features[LAYERS_MAX];
  const size_t count = 3 + random_below(state, LAYERS_MAX - 2);
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    char inputs[64] = "";
    unsigned in = 4;
    if (i > 0) {
      const size_t other = random_below(state, i);
      const uint64_t kind = random_below(state, 5);
      const size_t from = kind == 0 ? other : i - 1;
      in = features[from];
      snprintf(inputs, sizeof inputs, ", 'inputs': ['l%zu']", from);
      if (kind >= 3 && other + 1 < i) {
        snprintf(inputs, sizeof inputs, ", 'inputs': ['l%zu', 'l%zu']", other, i - 1);
        in = features[other] + features[i - 1];
      }
    }
    const bool is_residual = i > 1 && random_below(state, 3) == 0;
    const size_t shortcut = is_residual ? random_below(state, i) : 0;
    features[i] = is_residual ? features[shortcut] : outs[random_below(state, 4)];
    char aux[64] = "";
    if (is_residual) {
      snprintf(aux, sizeof aux, ", 'aux': [{'op': 'residual', 'from': 'l%zu'}]", shortcut);
    }
    const int kernel = random_below(state, 2) == 0 ? 1 : 3;
    length += (size_t)snprintf(
        text + length, sizeof text - length,
        "%s{'name': 'l%zu', 'type': 'conv', 'in': %u, 'out': %u, 'feature': [%u, %u], "
        "'kernel': [%d, %d]%s%s}",
        i == 0 ? "" : ", ", i, in, features[i], side, side, kernel, kernel, inputs, aux);
    ck_assert_uint_lt(length, sizeof text);
  }
  static const char *const minibatches[] = {"4", "8", "16"};
  return given_network(minibatches[random_below(state, 3)], text);
}

dsm_system *layout_system(uint64_t *state, bool is_preferring) {
  static const char *const cores[] = {"1", "4", "6", "8", "12"};
  static const char *const scratchpads[] = {"0.004", "0.02", "0.0625"};
  static const char *const memories[] = {"2", "8", "32", "128"};
  static const char *const rings[] = {"8", "64", "256", "1024"};
  const dsm_override values[] = {
      {"chip.cores", cores[random_below(state, 5)], NULL},
      {"core.scratchpad_MiB", scratchpads[random_below(state, 3)], NULL},
      {"core.streaming_buffer_KiB", "2", NULL},
      {"chip.memory.bandwidth_GBps", memories[random_below(state, 4)], NULL},
      {"chip.core_link_bandwidth_GBps", rings[random_below(state, 4)], NULL},
      {"array.startup_cycles", "4", NULL},
      {"model.layout_move", "exact", NULL},
      {"model.prefer_holding", is_preferring ? "true" : "false", NULL},
  };
  return given_system(values, sizeof values / sizeof values[0]);
}

/* ---- brute force ---- */

/* A held set with factors, and what layers cost with layouts. */
typedef struct force {
  dsm__problem *problem;
  dsm_parallelism parallelism;
  size_t count;
  dsm__layer_decision layers[LAYERS_MAX];
  dsm__holding holdings[LAYERS_MAX];
  size_t choice[LAYERS_MAX]; /* layout of each held output */
  /* Of each layer, by the layouts of its output and of what it reads; negative: not known. */
  double known[LAYERS_MAX][LAYOUTS_MAX][LAYOUTS_MAX][LAYOUTS_MAX];
  layout_optimum best;
} force;

static double price_layer(force *f, size_t index) {
  const dsm__search_inputs *const inputs = &f->problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[index];
  const dsm_pass_layouts uniform = dsm_pass_layouts_uniform(f->parallelism);
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, f->layers[index].layer.dysm_factor);
  dsm_held_tensor read[INPUTS_MAX];
  dsm_held_layouts layouts = {.inputs = read};
  setting.holding = f->holdings[index];
  layouts.input_count = setting.holding.is_input_held ? layer->producer_count : 0;
  for (size_t i = 0; i < layouts.input_count; i++) {
    const size_t producer = layer->producers[i];
    read[i] = (dsm_held_tensor){f->problem->layouts.items[f->choice[producer]],
                                inputs->workload->layers[producer].stored_elements};
  }
  layouts.output = f->problem->layouts.items[f->choice[index]];
  setting.holding.layouts = &layouts;
  double cycles = dsm__once_cycles(&setting, &uniform);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p)) {
      cycles += dsm__best_pass_find(&setting, (dsm_pass)p, f->parallelism, false,
                                    &f->problem->table.splits)
                    .cycles;
    }
  }
  return cycles;
}

static double layer_cycles(force *f, size_t index) {
  const dsm_layer *const layer = &f->problem->inputs.workload->layers[index];
  size_t read[INPUTS_MAX] = {0};
  for (size_t i = 0; f->holdings[index].is_input_held && i < layer->producer_count; i++) {
    read[i] = f->choice[layer->producers[i]];
  }
  double *const known =
      &f->known[index][f->layers[index].layer.is_output_held ? f->choice[index] : 0][read[0]]
               [read[1]];
  if (*known < 0) {
    *known = price_layer(f, index);
  }
  return *known;
}

static void try_layouts(force *f, size_t index, double cycles) {
  if (index == f->count) {
    size_t held = 0;
    for (size_t i = 0; i < f->count; i++) {
      held += f->layers[i].layer.is_output_held ? 1 : 0;
    }
    f->best.mappings++;
    if (cycles < f->best.cycles * (1 - 1e-10)) {
      f->best.cycles = cycles;
      f->best.held = held;
    } else if (cycles <= f->best.cycles * (1 + 1e-10)) {
      f->best.held = held > f->best.held ? held : f->best.held;
    }
    return;
  }
  const size_t most = f->layers[index].layer.is_output_held ? f->problem->layouts.count : 1;
  for (f->choice[index] = 0; f->choice[index] < most; f->choice[index]++) {
    const double sum = cycles + layer_cycles(f, index);
    if (sum <= f->best.cycles * (1 + 1e-10)) {
      try_layouts(f, index + 1, sum);
    }
  }
  f->choice[index] = 0;
}

/* Does every held output keep its factor, and find room? */
static bool is_legal(const force *f) {
  const dsm_workload *const workload = f->problem->inputs.workload;
  for (size_t i = 0; i < f->count; i++) {
    const size_t last = dsm__last_use(&workload->layers[i]);
    if (f->layers[i].layer.is_output_held && last == DSM_NEVER_USED) {
      return false;
    }
    for (size_t k = i; f->layers[i].layer.is_output_held && k <= last; k++) {
      if (f->layers[k].layer.dysm_factor != f->layers[i].layer.dysm_factor) {
        return false;
      }
    }
    dsm__layer_setting setting = dsm__open_setting(&f->problem->inputs, &workload->layers[i],
                                                   f->layers[i].layer.dysm_factor);
    setting.holding = f->holdings[i];
    if (dsm__is_holding(&setting.holding) && !dsm__holding_fits(&setting, f->parallelism)) {
      return false;
    }
  }
  return true;
}

static void try_held_sets(force *f) {
  for (size_t set = 0; set < (size_t)1 << f->count; set++) {
    for (size_t i = 0; i < f->count; i++) {
      f->layers[i].layer.is_output_held = (set >> i & 1U) != 0;
    }
    const dsm__decisions decisions = {.layers = f->layers};
    ck_assert(dsm__holdings_derive(f->problem->inputs.workload, &f->problem->machine, &decisions,
                                   f->holdings, f->problem->arena));
    if (!is_legal(f)) {
      continue;
    }
    for (size_t i = 0; i < sizeof f->known / sizeof(double); i++) {
      (&f->known[0][0][0][0])[i] = -1;
    }
    try_layouts(f, 0, 0);
  }
}

static void try_factors(force *f, size_t index) {
  if (index == f->count) {
    try_held_sets(f);
    return;
  }
  for (unsigned k = 0; k < f->problem->factors.count && k < FACTORS_MAX; k++) {
    f->layers[index].layer.dysm_factor = dsm__factor_of(k);
    try_factors(f, index + 1);
  }
}

layout_optimum layout_twin_optimum(dsm__problem *problem, dsm_parallelism parallelism) {
  static force f;
  f = (force){.problem = problem,
              .parallelism = parallelism,
              .count = problem->inputs.workload->layer_count,
              .best = {.cycles = HUGE_VAL}};
  for (size_t i = 0; i < f.count; i++) {
    f.layers[i].layouts = dsm_pass_layouts_uniform(parallelism);
    f.layers[i].layer.dysm_factor = 1;
  }
  try_factors(&f, 0);
  return f.best;
}
