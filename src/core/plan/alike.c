/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/alike.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "model/layer_words.h"
#include "plan/plan_record.h"

/* The numbers of a layer, one after the other: those of its records, and some beside them. */
enum {
  WORDS_OF_LOOPS = DSM__LAYER_WORDS + 1,
  WORDS_OF_DECISIONS = 24,
  WORDS_OF_INVOCATION = 8 + 3 * DSM_DIM_COUNT + DSM_TILE_MEMBER_COUNT,
  WORDS_OF_PASS = 24 + 4 * DSM_DIM_COUNT + DSM_INVOCATION_KINDS_MAX * WORDS_OF_INVOCATION +
                  2 * DSM_GROUP_COUNT + DSM_BOUND_COUNT,
  WORDS_MAX = WORDS_OF_LOOPS + WORDS_OF_DECISIONS + DSM_PASS_COUNT * WORDS_OF_PASS
};

typedef struct signature {
  uint64_t words[WORDS_MAX];
  size_t count;
} signature;

static void put(signature *made, uint64_t word) {
  const bool has_room = made->count < WORDS_MAX;
  assert(has_room);
  if (has_room) {
    made->words[made->count++] = word;
  }
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

/* Of a record all but lists. */
static bool put_field(void *context, const dsm__field *field, const void *record) {
  signature *const made = context;
  const void *const value = dsm__field_in(field, record);
  const char *text = "";
  size_t count = 0;
  if (field->kind == DSM__FIELD_COUNTS) {
    put_all(made, value, field->words->count);
  } else if (field->kind == DSM__FIELD_REALS) {
    put_numbers(made, value, field->words->count);
  } else if (field->kind == DSM__FIELD_RECORD) {
    (void)dsm__record_each(field->type, value, put_field, made);
  } else if (field->kind == DSM__FIELD_ITEMS) {
    memcpy(&count, (const unsigned char *)record + field->count_offset, sizeof count);
    put(made, count);
    for (size_t i = 0; i < count; i++) {
      (void)dsm__record_each(field->type, (const unsigned char *)value + i * field->type->size,
                             put_field, made);
    }
  } else if (field->kind == DSM__FIELD_TEXT && dsm__field_is_stated(field, record)) {
    memcpy(&text, value, sizeof text);
    put(made, dsm__hash(0, text, strlen(text)));
  } else if (field->kind != DSM__FIELD_LIST && field->kind != DSM__FIELD_OWN) {
    put_number(made, dsm__field_number(field, record));
  }
  return true;
}

static void put_pass(signature *made, const dsm_pass_plan *pass) {
  put(made, pass->exists);
  if (!pass->exists) {
    return;
  }
  (void)dsm__record_each(&dsm__pass_record, pass, put_field, made);
  put_numbers(made, pass->group_latency_cycles, DSM_GROUP_COUNT);
  for (size_t i = 0; i < pass->invocation_count; i++) {
    put_number(made, pass->invocations[i].times);
  }
}

/* A baseline has no loops. */
static void sign(signature *made, const dsm_layer_plan *layer, dsm__alikeness alikeness) {
  made->count = 0;
  if (layer->layer != NULL) {
    put_loops(made, layer->layer);
  }
  if (alikeness == DSM__ALIKE_NUMBERS) {
    (void)dsm__record_each(&dsm__decisions_record, &layer->decisions, put_field, made);
    put(made, layer->decisions.stage_rows);
    put(made, layer->decisions.stage_columns);
    put(made, (uint64_t)layer->error_parallelism);
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
