/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/alike.h"

#include <math.h>
#include <string.h>

#include "base/map.h"
#include "model/layer_words.h"

/* The numbers of a layer, one after the other. */
enum {
  WORDS_OF_LOOPS = DSM__LAYER_WORDS + 1,
  WORDS_OF_DECISIONS = 18,
  WORDS_OF_INVOCATION = 6 + DSM_DIM_COUNT + DSM_TILE_MEMBER_COUNT,
  WORDS_OF_PASS = 16 + DSM_DIM_COUNT + DSM_INVOCATION_KINDS_MAX * WORDS_OF_INVOCATION +
                  2 * DSM_GROUP_COUNT + DSM_BOUND_COUNT,
  WORDS_MAX = WORDS_OF_LOOPS + WORDS_OF_DECISIONS + DSM_PASS_COUNT * WORDS_OF_PASS
};

typedef struct signature {
  uint64_t words[WORDS_MAX];
  size_t count;
} signature;

static void put(signature *made, uint64_t word) {
  made->words[made->count++] = word;
}

static void put_all(signature *made, const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put(made, words[i]);
  }
}

/* As many digits as sums in another order have in common. */
static void put_number(signature *made, double value) {
  enum { BITS = 40 };
  int exponent = 0;
  const double rounded = ldexp(nearbyint(ldexp(frexp(value, &exponent), BITS)), exponent - BITS);
  uint64_t word = 0;
  memcpy(&word, &rounded, sizeof word);
  put(made, fabs(rounded) > 0 ? word : 0);
}

static void put_numbers(signature *made, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put_number(made, values[i]);
  }
}

static void put_loops(signature *made, const dsm_layer *layer) {
  dsm__layer_words(layer, &made->words[made->count]);
  made->count += DSM__LAYER_WORDS;
  put(made, layer->parameters);
}

static void put_decisions(signature *made, const dsm_layer_plan *layer) {
  const dsm_layer_decisions *const decisions = &layer->decisions;
  const char *const group = decisions->pipeline_group == NULL ? "" : decisions->pipeline_group;
  const uint64_t words[] = {
      decisions->dysm_factor,
      decisions->is_output_held,
      decisions->output_layout.features,
      decisions->output_layout.ij,
      decisions->output_layout.mb,
      decisions->is_hoisted,
      (uint64_t)decisions->shard,
      decisions->is_recomputed,
      decisions->is_output_recomputed,
      dsm__hash(0, group, strlen(group)),
      decisions->stage_rows,
      decisions->stage_columns,
      (uint64_t)decisions->error_parallelism,
      (uint64_t)layer->error_parallelism,
  };
  _Static_assert(DSM__COUNT_OF(words) < WORDS_OF_DECISIONS, "room for all of them");
  put_all(made, words, DSM__COUNT_OF(words));
  put_number(made, decisions->weights_on_chip);
}

static void put_invocation(signature *made, const dsm_invocation *invocation) {
  put(made, (uint64_t)invocation->kind);
  put(made, invocation->count);
  put(made, (uint64_t)invocation->computing);
  put_number(made, invocation->times);
  put_all(made, invocation->split.n, DSM_DIM_COUNT);
  put_all(made, invocation->tile.n, DSM_TILE_MEMBER_COUNT);
}

static void put_pass(signature *made, const dsm_pass_plan *pass) {
  const double numbers[] = {
      pass->cycles.primary,        pass->cycles.overlapped,
      pass->cycles.auxiliary,      pass->cycles.overlapped_visible,
      pass->cycles.non_overlapped, pass->cycles.total,
      pass->hidden_cycles,         pass->ideal_cycles,
      pass->utilization,
  };
  put(made, pass->exists);
  if (!pass->exists) {
    return;
  }
  put(made, (uint64_t)pass->decisions.parallelism);
  put(made, (uint64_t)pass->bound);
  put(made, pass->invocation_count);
  put_all(made, pass->decisions.core_split.n, DSM_DIM_COUNT);
  for (size_t i = 0; i < pass->invocation_count; i++) {
    put_invocation(made, &pass->invocations[i]);
  }
  put_numbers(made, numbers, DSM__COUNT_OF(numbers));
  put_numbers(made, pass->group_cycles, DSM_GROUP_COUNT);
  put_numbers(made, pass->group_latency_cycles, DSM_GROUP_COUNT);
  put_numbers(made, pass->resources.cycles, DSM_BOUND_COUNT);
}

/* A baseline has no loops. */
static void sign(signature *made, const dsm_layer_plan *layer, dsm__alikeness alikeness) {
  made->count = 0;
  if (layer->layer != NULL) {
    put_loops(made, layer->layer);
  }
  if (alikeness == DSM__ALIKE_NUMBERS) {
    put_decisions(made, layer);
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      put_pass(made, &layer->passes[p]);
    }
  }
}

/* What is being sorted into classes. */
typedef struct finder {
  const dsm_layer_plan *layers;
  dsm__alikeness alikeness;
  size_t *representative; /* of each class: its first layer */
} finder;

static bool is_of_class(const void *context, size_t index, const void *key) {
  const finder *const f = context;
  const signature *const own = key;
  signature other;
  sign(&other, &f->layers[f->representative[index]], f->alikeness);
  return own->count == other.count &&
         memcmp(own->words, other.words, own->count * sizeof own->words[0]) == 0;
}

bool dsm__alike_find(dsm__alike *alike, const dsm_layer_plan *layers, size_t count,
                     dsm__alikeness alikeness, dsm__arena *arena) {
  size_t *const class_of = dsm__arena_array(arena, count, sizeof *class_of);
  const finder f = {.layers = layers,
                    .alikeness = alikeness,
                    .representative = dsm__arena_array(arena, count, sizeof *f.representative)};
  dsm__map index = {0};
  bool is_ready = class_of != NULL && f.representative != NULL;
  *alike = (dsm__alike){.class_of = class_of};
  for (size_t i = 0; is_ready && i < count; i++) {
    signature own;
    sign(&own, &layers[i], alikeness);
    const uint32_t hash = dsm__map_hash(0, own.words, own.count * sizeof own.words[0]);
    size_t number = dsm__map_find(&index, hash, is_of_class, &f, &own);
    if (number == DSM__MAP_NONE) {
      number = alike->count++;
      f.representative[number] = i;
      is_ready = dsm__map_add(&index, hash, number);
    }
    class_of[i] = number;
  }
  dsm__map_fini(&index);
  return is_ready;
}
