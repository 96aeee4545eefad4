/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_network.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>

#include "given.h"
#include "random_numbers.h"

enum { LAYERS_MAX = 14, TEXT_MAX = 16384, VALUE_MAX = 32, MINIBATCH_MIN = 8 };

/* What a layer delivers. */
typedef struct made_layer {
  uint64_t features;
  uint64_t side;
  uint64_t timesteps;
} made_layer;

typedef struct maker {
  uint64_t state;
  char text[TEXT_MAX];
  size_t length;
  made_layer layers[LAYERS_MAX];
  size_t count;
} maker;

static bool chance(maker *m, uint64_t percent) {
  return random_below(&m->state, 100) < percent;
}

static uint64_t pick(maker *m, const uint64_t *values, size_t count) {
  return values[random_below(&m->state, count)];
}

#define APPEND(m, ...)                                                                             \
  do {                                                                                             \
    (m)->length +=                                                                                 \
        (size_t)snprintf((m)->text + (m)->length, sizeof(m)->text - (m)->length, __VA_ARGS__);     \
    ck_assert_uint_lt((m)->length, sizeof(m)->text);                                               \
  } while (false)

/* One of the first `end` layers, of the same size as the last one, or SIZE_MAX. */
static size_t find_alike(maker *m, size_t end) {
  const uint64_t side = m->layers[m->count - 1].side;
  size_t found = SIZE_MAX;
  uint64_t seen = 0;
  for (size_t i = 0; i < end; i++) {
    if (m->layers[i].side == side && random_below(&m->state, ++seen) == 0) {
      found = i;
    }
  }
  return found;
}

/* The layer before, an earlier one, or a concatenation of both; the features that they deliver. */
static uint64_t put_inputs(maker *m) {
  const made_layer *const last = &m->layers[m->count - 1];
  const size_t other = find_alike(m, m->count - 1);
  const bool is_branch = other != SIZE_MAX && chance(m, 25);
  const bool is_joined = other != SIZE_MAX && !is_branch && chance(m, 15);
  if (is_branch) {
    APPEND(m, ", 'inputs': ['l%zu']", other);
    return m->layers[other].features;
  }
  if (is_joined) {
    APPEND(m, ", 'inputs': ['l%zu', 'l%zu']", other, m->count - 1);
    return last->features + m->layers[other].features;
  }
  return last->features;
}

/* Auxiliary operations of a convolution; its stored side. */
static uint64_t put_aux(maker *m, size_t shortcut, uint64_t side) {
  const char *separator = "";
  uint64_t stored = side;
  APPEND(m, ", 'aux': [");
  if (chance(m, 35)) {
    APPEND(m, "{'op': 'batch_norm'}");
    separator = ", ";
  }
  if (shortcut != SIZE_MAX) {
    APPEND(m, "%s{'op': 'residual', 'from': 'l%zu'}", separator, shortcut);
    separator = ", ";
  }
  if (chance(m, 50)) {
    APPEND(m, "%s{'op': 'relu'}", separator);
    separator = ", ";
  }
  if (side >= 4 && chance(m, 12)) {
    APPEND(m, "%s{'op': 'max_pool', 'window': [2, 2]}", separator);
    stored = side / 2;
  }
  APPEND(m, "]");
  return stored;
}

static void add_conv(maker *m) {
  static const uint64_t outs[] = {4, 8, 8, 16, 16, 32};
  const uint64_t side = m->count == 0 ? 8 : m->layers[m->count - 1].side;
  APPEND(m, "{'name': 'l%zu', 'type': 'conv'", m->count);
  const uint64_t in = m->count == 0 ? 4 : put_inputs(m);
  /* Perhaps the layer's own input. */
  const size_t shortcut = m->count > 1 && chance(m, 40) ? find_alike(m, m->count) : SIZE_MAX;
  const uint64_t out = shortcut != SIZE_MAX ? m->layers[shortcut].features
                                            : pick(m, outs, sizeof outs / sizeof outs[0]);
  const int kernel = chance(m, 50) ? 3 : 1;
  APPEND(m, ", 'in': %u, 'out': %u, 'feature': [%u, %u], 'kernel': [%d, %d]", (unsigned)in,
         (unsigned)out, (unsigned)side, (unsigned)side, kernel, kernel);
  if (in % 2 == 0 && chance(m, 6)) {
    APPEND(m, ", 'groups': 2");
  }
  m->layers[m->count].side = put_aux(m, shortcut, side);
  m->layers[m->count].features = out;
  m->layers[m->count].timesteps = 1;
  APPEND(m, "}");
}

/* Elements a sample. */
static uint64_t delivered_by(const maker *m, uint64_t layer) {
  const made_layer *const made = &m->layers[layer];
  return made->features * made->side * made->side * made->timesteps;
}

/* A layer that flattens: fc, lstm or matmul; mostly without timesteps. */
static void add_flat(maker *m) {
  static const uint64_t outs[] = {4, 8, 16, 64};
  const made_layer *const last = &m->layers[m->count - 1];
  const uint64_t in = last->features * last->side * last->side;
  const uint64_t out = pick(m, outs, sizeof outs / sizeof outs[0]);
  const uint64_t kind = random_below(&m->state, 8);
  const char *const type = kind == 0 ? "lstm" : kind == 1 ? "matmul" : "fc";
  APPEND(m, "{'name': 'l%zu', 'type': '%s', 'in': %u, 'out': %u", m->count, type, (unsigned)in,
         (unsigned)out);
  if (kind == 1) {
    const uint64_t operand = random_below(&m->state, m->count);
    APPEND(m, ", 'operand': 'l%u', 'operand_elements': %u", (unsigned)operand,
           (unsigned)largest_divisor(in * out, MINIBATCH_MIN * delivered_by(m, operand)));
  }
  const uint64_t timesteps = chance(m, 12) ? 6 : 1;
  APPEND(m, ", 'timesteps': %u}", (unsigned)timesteps);
  m->layers[m->count] = (made_layer){out, 1, timesteps};
}

static void make_layers(maker *m) {
  const size_t count = 5 + random_below(&m->state, LAYERS_MAX - 4);
  const size_t conv_count = chance(m, 15) ? 1 : count - random_below(&m->state, 3);
  while (m->count < count) {
    APPEND(m, "%s", m->count == 0 ? "" : ", ");
    if (m->count < conv_count) {
      add_conv(m);
    } else {
      add_flat(m);
    }
    m->count++;
  }
}

static dsm_system *make_system(maker *m, double capacity_bytes) {
  static const char *const sides[] = {"1", "2", "2", "4"};
  static const char *const scratchpads[] = {"0.006", "0.01", "0.02", "0.0625", "0.25"};
  static const char *const bandwidths[] = {"2", "8", "20", "200"};
  static const char *const flags[] = {"false", "false", "false", "true"};
  char capacity_GB[VALUE_MAX];
  snprintf(capacity_GB, sizeof capacity_GB, "%.17g", capacity_bytes / 1e9);
  const dsm_override values[] = {
      {"chip.memory.capacity_GB", capacity_GB, NULL},
      {"system.chips_x", sides[random_below(&m->state, 4)], NULL},
      {"system.chips_y", sides[random_below(&m->state, 4)], NULL},
      {"core.scratchpad_MiB", scratchpads[random_below(&m->state, 5)], NULL},
      {"core.streaming_buffer_KiB", "2", NULL},
      {"chip.memory.bandwidth_GBps", bandwidths[random_below(&m->state, 4)], NULL},
      {"model.dysm_uniform", flags[random_below(&m->state, 4)], NULL},
      {"model.dysm_accumulate_in_memory", chance(m, 80) ? "true" : "false", NULL},
  };
  return given_system(values, sizeof values / sizeof values[0]);
}

random_case random_case_make(uint64_t seed) {
  static const double ample_bytes = 8e9;
  return random_case_make_with(seed, ample_bytes);
}

random_case random_case_make_with(uint64_t seed, double capacity_bytes) {
  static const char *const minibatches[] = {"8", "16", "16", "32", "12"};
  maker m = {.state = seed};
  make_layers(&m);
  const char *const minibatch = minibatches[random_below(&m.state, 5)];
  return (random_case){.workload = given_network(minibatch, m.text),
                       .system = make_system(&m, capacity_bytes)};
}

void random_case_refine(random_case *made, uint64_t seed) {
  uint64_t state = seed;
  dsm_assumptions *const model = &made->system->model;
  model->layout_move = DSM_LAYOUT_MOVE_ALWAYS;
  model->exact_rotation = random_below(&state, 2) == 0;
  model->exact_forks = random_below(&state, 2) == 0;
  model->lstm_gate_errors = random_below(&state, 2) == 0;
  model->statistics_sums = random_below(&state, 2) == 0;
  model->two_way_relayout = random_below(&state, 2) == 0;
  model->charge_held_masks = random_below(&state, 2) == 0;
  model->resident_operands = random_below(&state, 2) == 0;
  model->partial_sum_bytes = random_below(&state, 2) == 0 ? 4 : 0;
}

void random_case_free(random_case *made) {
  dsm_workload_free(made->workload);
  dsm_system_free(made->system);
}
