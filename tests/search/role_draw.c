/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "role_draw.h"

#include "given.h"
#include "random_numbers.h"
#include "random_protocols.h"
#include "role_twin.h"

/* ---- networks ---- */

/* Convolutions with branches, concatenations and residuals; some with groups or wide kernels. */
static void write_branches(writer *w, uint64_t *state, size_t count) {
  static const unsigned widths[] = {4, 8, 16};
  const unsigned rows = 1 + (unsigned)random_below(state, 5);
  unsigned features[ROLE_TWIN_LAYERS];
  for (size_t i = 0; i < count; i++) {
    char inputs[64] = "";
    unsigned in = 4;
    const size_t other = i == 0 ? 0 : random_below(state, i);
    if (i > 0) {
      const uint64_t kind = random_below(state, 6);
      const size_t from = kind < 2 ? other : i - 1;
      in = features[from];
      snprintf(inputs, sizeof inputs, ", 'inputs': ['l%zu']", from);
      if (kind == 5 && other + 1 < i) {
        snprintf(inputs, sizeof inputs, ", 'inputs': ['l%zu', 'l%zu']", other, i - 1);
        in = features[other] + features[i - 1];
      }
    }
    const bool is_residual = i > 1 && random_below(state, 2) == 0;
    const size_t added = is_residual ? random_below(state, i) : 0;
    features[i] = is_residual ? features[added] : widths[random_below(state, 3)];
    WRITE(w, "%s{'name': 'l%zu', 'type': 'conv', 'in': %u, 'out': %u, 'feature': [%u, 2]",
          i == 0 ? "" : ", ", i, in, features[i], rows);
    const uint64_t shape = random_below(state, 6);
    WRITE(w, ", 'kernel': [%d, %d]%s%s", shape == 0 ? 3 : 1, shape == 0 ? 3 : 1,
          shape == 1 ? ", 'groups': 2" : "", inputs);
    const char *const pools[] = {"", ", 'on': 'input'"};
    const bool has_pool = shape < 4 && rows > 1 && i % 3 == 1;
    if (is_residual) {
      WRITE(w, ", 'aux': [{'op': 'residual', 'from': 'l%zu'}, {'op': 'relu'}]", added);
    } else if (has_pool) { /* as many results as it reads */
      WRITE(w,
            ", 'aux': [{'op': 'max_pool', 'window': [2, 2], 'stride': [1, 1], 'feature': [%u, "
            "2]%s}]",
            rows, pools[shape % 2]);
    }
    WRITE(w, "}");
  }
}

/* A block of a transformer, of as many layers as there is room for. */
static void write_attention(writer *w, uint64_t *state, size_t count) {
  const unsigned heads = random_below(state, 2) == 0 ? 2 : 4;
  const unsigned positions = 2 + (unsigned)random_below(state, 4);
  const bool is_crossed = count > 6;
  const char *const keys = is_crossed ? "b" : "a";
  WRITE(w, "{'name': 'a', 'type': 'fc', 'in': 4, 'out': 8, 'positions': %u}", positions);
  if (is_crossed) {
    WRITE(w, ", {'name': 'b', 'type': 'fc', 'in': 8, 'out': 8}");
  }
  WRITE(w, ", {'name': 'q', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['a']}");
  WRITE(w, ", {'name': 'k', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['%s']}", keys);
  WRITE(w, ", {'name': 'v', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['%s']}", keys);
  WRITE(w,
        ", {'name': 't', 'type': 'attention', 'heads': %u, 'head_features': %u, 'inputs': ['q', "
        "'k', 'v']}",
        heads, 8 / heads);
  WRITE(w, ", {'name': 'p', 'type': 'fc', 'in': 8, 'out': 8, 'aux': [{'op': 'residual', 'from': "
           "'a'}, {'op': 'layer_norm'}]}");
}

/* Layers that read the same, what they make read in any order. */
static void write_fan(writer *w, uint64_t *state, size_t count) {
  const unsigned rows = 1 + (unsigned)random_below(state, 4);
  WRITE(w, "{'name': 'a', 'type': 'conv', 'in': 4, 'out': 8, 'feature': [%u, 1], 'kernel': [1, 1]}",
        rows);
  const size_t wide = count - 2;
  for (size_t i = 0; i < wide; i++) {
    WRITE(
        w,
        ", {'name': 'f%zu', 'type': 'conv', 'in': 8, 'out': 8, 'feature': [%u, 1], 'kernel': [%d, "
        "1], 'inputs': ['a']}",
        i, rows, random_below(state, 5) == 0 ? 3 : 1);
  }
  WRITE(w,
        ", {'name': 's', 'type': 'conv', 'in': 16, 'out': 8, 'feature': [%u, 1], 'kernel': [1, 1], "
        "'inputs': ['f0', 'f%zu']",
        rows, wide - 1);
  WRITE(w, "%s}", wide > 2 ? ", 'aux': [{'op': 'residual', 'from': 'f1'}]" : "");
}

/* A layer of experts: its parts read one another, or what is beside them. */
static void write_experts(writer *w, uint64_t *state, size_t count) {
  const unsigned positions = 2 + (unsigned)random_below(state, 4);
  const unsigned experts = random_below(state, 3) == 0 ? 6 : 4;
  const unsigned others = random_below(state, 4) == 0 ? 2 : experts;
  WRITE(w, "{'name': 'a', 'type': 'fc', 'in': 4, 'out': 8, 'positions': %u}", positions);
  size_t added = 0; /* a layer of as many features and positions as the one behind it, 0: none */
  for (size_t i = 1; i < count; i++) {
    const bool is_plain = random_below(state, i == 1 ? 8 : 4) == 0;
    const size_t from = random_below(state, 3) == 0 ? random_below(state, i) : i - 1;
    WRITE(w, ", {'name': 'e%zu', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['%s%.0zu']", i,
          from == 0 ? "a" : "e", from);
    if (!is_plain) {
      WRITE(w, ", 'experts': %u, 'active_experts': 2", i % 3 == 2 ? others : experts);
    }
    if (added > 0 && random_below(state, 2) == 0) {
      WRITE(w, ", 'aux': [{'op': '%s', 'from': 'e%zu'}]",
            random_below(state, 2) == 0 ? "multiply" : "residual", added);
    }
    WRITE(w, "}");
    added = i;
  }
}

/* Words, which the last layer shares, and perhaps the weights of a layer between. */
static void write_tied(writer *w, uint64_t *state, size_t count) {
  const unsigned positions = 1 + (unsigned)random_below(state, 4);
  const unsigned words = 4 * (1 + (unsigned)random_below(state, 8));
  const char *const type = random_below(state, 2) == 0 ? "fc', 'in" : "embedding', 'vocabulary";
  WRITE(w, "{'name': 'a', 'type': '%s': %u, 'out': 8, 'positions': %u}", type, words, positions);
  const size_t layers = count > 4 ? 4 : count; /* what they exchange is in no bound of the twin */
  for (size_t i = 1; i + 1 < layers; i++) {
    WRITE(w, ", {'name': 'f%zu', 'type': 'fc', 'in': 8, 'out': 8%s}", i,
          i > 1 && random_below(state, 3) == 0 ? ", 'tied_to': 'f1'" : "");
  }
  WRITE(w, ", {'name': 'o', 'type': 'fc', 'in': 8, 'out': %u, 'tied_to': 'a'}", words);
}

dsm_workload *role_draw_network(uint64_t *state, size_t count, special has) {
  static const char *const minibatches[] = {"2", "4", "6", "12"};
  writer w = {.length = 0};
  if (has == EXPERTS) {
    write_experts(&w, state, count);
  } else if (has == TIED) {
    write_tied(&w, state, count);
  } else if (has == ATTENTION) {
    write_attention(&w, state, count);
  } else if (count >= 4 && random_below(state, 3) == 0) {
    write_fan(&w, state, count);
  } else {
    write_branches(&w, state, count);
  }
  return given_network(minibatches[random_below(state, 4)], w.text);
}

/* ---- systems ---- */

dsm_system *role_draw_system(uint64_t *state, unsigned axis_count) {
  static const char *const cores[] = {"1", "1", "2"};
  static const char *const memories[] = {"2", "8", "64"};
  static const double rates[] = {0.5, 2, 12, 60};
  const dsm_override values[] = {
      {"chip.cores", cores[random_below(state, 3)], NULL},
      {"chip.memory.bandwidth_GBps", memories[random_below(state, 3)], NULL},
      {"array.startup_cycles", random_below(state, 2) == 0 ? "4" : "40", NULL},
      {"core.frequency_GHz", "1", NULL},
  };
  dsm_system *const system = given_system(values, sizeof values / sizeof values[0]);
  static const char *const names[] = {"x", "y", "z"};
  dsm_network *const network = &system->system;
  network->topology = DSM_TOPOLOGY_AXES;
  network->axis_count = axis_count;
  for (unsigned a = 0; a < axis_count; a++) {
    uint64_t of_groups = *state; /* so that all else is drawn as without groups of chips */
    network->axes[a] = (dsm_network_axis){
        .name = names[a],
        .chips = 1 + random_below(state, 10) / 3 % 3,
        .bandwidth_GBps = rates[random_below(state, 4)],
        .efficiency_ratio = 1,
        .latency_us = random_below(state, 2) == 0 ? 0 : 0.05,
        .link = (dsm_link_kind)random_below(state, DSM_LINK_KIND_SWITCH + 1),
        .chips_per_port = 1,
        .group_chips = 1 + random_below(&of_groups, 2),
        .oversubscription = (double)(1 + random_below(&of_groups, 3)),
        .global_links = 0.5 * (double)(1 + random_below(&of_groups, 3)),
    };
    if (network->axes[a].link == DSM_LINK_KIND_SWITCH) { /* or what has groups behind one */
      network->axes[a].link =
          (dsm_link_kind)(DSM_LINK_KIND_SWITCH +
                          random_below(&of_groups, DSM_LINK_KIND_COUNT - DSM_LINK_KIND_SWITCH));
    }
    network->axes[a].both_ways =
        network->axes[a].link == DSM_LINK_KIND_RING && random_below(state, 2) == 0;
    network->axes[a].chips += network->axes[a].chips == 1 && random_below(state, 3) > 0 ? 1 : 0;
  }
  network->collective_base_us = random_below(state, 2) == 0 ? 0 : 0.1;
  network->in_network_reduction = *state % 3 == 0;
  random_protocols(network, *state);
  dsm_assumptions *const model = &system->model;
  model->two_way_relayout = random_below(state, 2) == 0;
  model->exact_rotation = random_below(state, 2) == 0;
  model->exact_forks = random_below(state, 2) == 0;
  model->partial_sum_bytes = random_below(state, 2) == 0 ? 4 : 0;
  model->collective_memory_bytes = random_below(state, 2) == 0 ? 1 : 0;
  model->feature_statistics = random_below(state, 2) == 0;
  model->expert_imbalance = random_below(state, 2) == 0 ? 1 : 1.25;
  static const double shares[] = {0, 0.6, 0.25, 1};
  model->overlapped_collectives = shares[*state / 3 % 4]; /* all else is drawn as without */
  model->overlapped_dispatch = shares[*state / 5 % 4];
  return system;
}

/* ---- both ---- */

role_drawn role_draw(uint64_t seed) {
  uint64_t state = seed;
  const unsigned axis_count = 1 + (unsigned)random_below(&state, 3);
  const bool has_attention = axis_count < 3 && random_below(&state, 3) == 0;
  const size_t most = axis_count == 1 ? 7 : axis_count == 2 ? 4 : 3;
  const size_t count = has_attention ? most : 3 + random_below(&state, most - 2);
  role_drawn d = {.mode = random_below(&state, 4) == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING};
  const special usual = has_attention ? ATTENTION : NOTHING;
  d.workload = role_draw_network(&state, count,
                                 seed % 4 == 3   ? EXPERTS
                                 : seed % 4 == 1 ? TIED
                                                 : usual);
  d.system = role_draw_system(&state, axis_count);
  return d;
}

void role_drawn_free(role_drawn *d) {
  dsm_workload_free(d->workload);
  dsm_system_free(d->system);
}
