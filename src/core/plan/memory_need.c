/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory_need.c: what exceeds a chip's memory, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "plan/plan_internal.h"

/* One tensor, or one layer's share of a kind, that takes memory. */
typedef struct occupant {
  const char *kind;
  const char *layer; /* NULL: none */
  double bytes;
} occupant;

enum { SHOWN = 3 };

/* Keeps the largest three, largest first; of equals the first seen. */
static void consider(occupant *largest, const char *kind, const char *layer, double bytes) {
  occupant candidate = {kind, layer, bytes};
  for (int i = 0; i < SHOWN; i++) {
    if (candidate.bytes > largest[i].bytes) {
      const occupant displaced = largest[i];
      largest[i] = candidate;
      candidate = displaced;
    }
  }
}

/* A decimal unit for volumes of a size. */
typedef struct unit {
  const char *name;
  double bytes;
} unit;

static unit unit_for(double bytes) {
  static const unit units[] = {{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}};
  for (size_t i = 0; i < DSM__COUNT_OF(units); i++) {
    if (bytes >= units[i].bytes) {
      return units[i];
    }
  }
  return (unit){"B", 1};
}

/* The largest occupants: the first, and those after it that are not far below the need. */
static void describe(const occupant *largest, double need_bytes, char *text, size_t size) {
  static const double smallest_share = 0.01;
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < SHOWN && largest[i].bytes > (i == 0 ? 0 : smallest_share * need_bytes); i++) {
    const char *const separator = i == 0 ? "" : ", ";
    const char *const of = largest[i].layer == NULL ? "" : " of ";
    const char *const layer = largest[i].layer == NULL ? "" : largest[i].layer;
    const unit shown = unit_for(largest[i].bytes);
    const int written =
        snprintf(text + length, size - length, "%s%s%s%.40s (%.2f %s)", separator, largest[i].kind,
                 of, layer, largest[i].bytes / shown.bytes, shown.name);
    if (written < 0 || (size_t)written >= size - length) {
      text[length] = '\0';
      return;
    }
    length += (size_t)written;
  }
}

dsm__memory_need dsm__memory_need_of(const dsm_workload *workload, const dsm_machine *machine,
                                     dsm_mode mode, const dsm_layer_memory *memory) {
  dsm__memory_need need = {.capacity_bytes = dsm_system_usable_bytes(machine->system),
                           .has_reserve = machine->system->chip.memory.reserve_ratio > 0};
  occupant largest[SHOWN] = {{NULL, NULL, 0}};
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const dsm_layer_memory one = memory[i];
    need.total_bytes += dsm__kept_bytes(&one);
    consider(largest, "weights", layer->name, one.weights_bytes);
    consider(largest, "weight gradients", layer->name, one.gradients_bytes);
    consider(largest, "optimizer state", layer->name, one.optimizer_bytes);
    consider(largest, "the network's input", NULL, one.input_bytes);
    consider(largest, "activations", layer->name, one.activations_bytes);
    consider(largest, "keys and values", layer->name, one.cache_bytes);
  }
  const dsm__transient_need transient = dsm__transient_need_of(workload, memory);
  need.total_bytes += transient.own_bytes + transient.recomputed_bytes;
  consider(largest, mode == DSM_MODE_TRAINING ? "activation gradients" : "live tensors",
           workload->layers[transient.own_layer].name, transient.own_bytes);
  consider(largest, "what is recomputed", NULL, transient.recomputed_bytes);
  describe(largest, need.total_bytes, need.dominated_by, sizeof need.dominated_by);
  return need;
}

/* To three decimals: a capacity of what is shown must suffice. */
static double round_up(double value) {
  return ceil(value * 1000) / 1000;
}

void dsm__report_over_capacity(const dsm__memory_need *need, const char *what, dsm__place place,
                               dsm_diags *diags) {
  char hint[200];
  const bool has_hint = need->dominated_by[0] != '\0';
  snprintf(hint, sizeof hint, "largest: %s", need->dominated_by);
  /* One unit and as many decimals for all three, so that they add up. */
  const unit shown = unit_for(need->total_bytes);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, has_hint ? hint : NULL,
                 "memory capacity: %s %.3f %s a chip, %.3f %s more than its %.3f %s%s", what,
                 round_up(need->total_bytes / shown.bytes), shown.name,
                 round_up((need->total_bytes - need->capacity_bytes) / shown.bytes), shown.name,
                 need->capacity_bytes / shown.bytes, shown.name,
                 need->has_reserve ? " beside the reserve" : "");
}
