/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memo.c: what passes of layers cost, kept between explorations.
 *
 * The key of an answer is everything that it depends on, by value: no pointer and no number that
 * another exploration could give to something else. What a pass does not read is left out on
 * purpose, by the list below of parameters with the passes that read them, so that explorations
 * which differ in those only share. A parameter that is not listed counts for all passes:
 * forgetting one costs time and never truth.
 */
#include "search/memo.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "system/system_internal.h"

#define PASS_BIT(pass) (1U << (unsigned)(pass))

/*
 * Parameters of a system that not all passes depend on, and the passes that do. All others are part
 * of the context of every pass: a parameter that is not listed here can only cost sharing, never
 * exactness.
 */
static const struct {
  const char *path;
  unsigned passes;
} restricted[] = {
    {"core.streaming_buffer_KiB", 0},    /* decides what can be held, not what that costs */
    {"chip.memory.capacity_GB", 0},      /* limits mappings, not their speed */
    {"chip.memory.reserve_ratio", 0},    /* likewise */
    {"system.chips_x", 0},               /* in the key, of the machine that the pass runs on */
    {"system.chips_y", 0},               /* likewise */
    {"system.link_bandwidth_x_GBps", 0}, /* in the key, where the pass uses the links */
    {"system.link_bandwidth_y_GBps", 0}, /* likewise */
    {"model.bptt_resident_copies", PASS_BIT(DSM_PASS_BACKWARD) | PASS_BIT(DSM_PASS_UPDATE)},
    {"model.relu_mask_bytes", PASS_BIT(DSM_PASS_BACKWARD)},
    {"model.batch_norm_saved_bytes", PASS_BIT(DSM_PASS_UPDATE)},
    {"model.reduce_memory_bytes", 0},        /* once a step */
    {"model.broadcast_memory_bytes", 0},     /* once a step */
    {"model.reduce_ring_crossings", 0},      /* once a step */
    {"model.relayout_memory_bytes", 0},      /* between layers and passes */
    {"model.two_way_relayout", 0},           /* likewise */
    {"model.weight_update_memory_bytes", 0}, /* once a step */
    {"model.accumulate_memory_bytes", PASS_BIT(DSM_PASS_UPDATE)},
    {"model.dysm_uniform", 0}, /* says which factors, not what they cost */
    {"model.dysm_accumulate_in_memory", PASS_BIT(DSM_PASS_UPDATE)},
    {"model.overlapped_hand_over", 0}, /* between stages */
    {"model.pipeline_columns", 0},     /* says which stages, not what they cost */
    {"model.lstm_gate_errors", PASS_BIT(DSM_PASS_UPDATE)},
    {"model.prefer_holding", 0},       /* decides between equals */
    {"model.fused_reductions", 0},     /* once a step */
    {"model.overlapped_reduction", 0}, /* likewise */
};

/* ---- tables ---- */

/* Keys with values, all of the same size. */
typedef struct table {
  size_t key_size; /* a multiple of 8 */
  size_t value_size;
  unsigned char *entries; /* key, value; key, value; ... */
  size_t count;
  size_t capacity;
  dsm__map index; /* of the keys */
} table;

/* A move, and what it takes. */
typedef struct kept_move {
  dsm__memo_move_key key;
  double cycles;
} kept_move;

/* Moves that are kept at once: each has one place. */
enum { MOVES_MAX = 1 << 15 };

struct dsm__memo {
  table contexts; /* parameters of a pass, precision, mode and pass */
  table shapes;
  table passes;
  table scores;
  table roles;
  kept_move *moves; /* NULL: none was asked for */
  double unkept;    /* cycles of a move for which there is no room */
  size_t bytes;     /* of all that is kept */
  size_t bytes_max;
  atomic_size_t *counted; /* where bytes are counted too; NULL: nowhere */
  bool is_full;           /* something could not be kept */
};

enum { FIRST_CAPACITY = 256 };

/* What the passes of an exploration have in common, as numbers. */
typedef struct context {
  double parameters[DSM__PARAMETERS_MAX];
  double precision[8];
  double mode;
  double pass;
} context;
_Static_assert(sizeof(dsm_precision) == 8 * sizeof(double), "all of the precision is in a context");

static size_t entry_size(const table *t) {
  return t->key_size + t->value_size;
}

/* The number of a key; DSM__MAP_NONE if there is none. */
static size_t find_number(const table *t, const void *key) {
  return dsm__map_find_in(&t->index, dsm__map_hash(0, key, t->key_size), t->entries, entry_size(t),
                          key, t->key_size);
}

/* The value of a key; NULL if there is none. */
static const void *find(const table *t, const void *key) {
  const size_t number = find_number(t, key);
  return number == DSM__MAP_NONE ? NULL : t->entries + number * entry_size(t) + t->key_size;
}

static void set_bytes(dsm__memo *memo, size_t bytes) {
  if (memo->counted != NULL) {
    atomic_fetch_add(memo->counted, bytes - memo->bytes); /* wraps where there are fewer */
  }
  memo->bytes = bytes;
}

/*
 * Doubles the room of a table; false if that cannot be.
 *
 * Memory is counted before it is taken, so that an explorer never has more than its limit, however
 * long a sweep is. What cannot be kept is computed again; the next exploration begins with an empty
 * memo, as what was kept first need not be what is asked for most.
 */
static bool grow(dsm__memo *memo, table *t) {
  const size_t capacity = t->capacity == 0 ? FIRST_CAPACITY : 2 * t->capacity;
  const size_t unit = entry_size(t) + 2 * sizeof(dsm__map_slot); /* the most of a map */
  const size_t bytes = memo->bytes + (capacity - t->capacity) * unit;
  unsigned char *const entries =
      bytes > memo->bytes_max ? NULL : realloc(t->entries, capacity * entry_size(t));
  if (entries == NULL) {
    return false;
  }
  t->entries = entries;
  t->capacity = capacity;
  set_bytes(memo, bytes);
  return true;
}

/* Adds a key that is not there; false if there is no room. */
static bool put(dsm__memo *memo, table *t, const void *key, const void *value) {
  if ((t->count == t->capacity && !grow(memo, t)) ||
      !dsm__map_add(&t->index, dsm__map_hash(0, key, t->key_size), t->count)) {
    memo->is_full = true;
    return false;
  }
  unsigned char *const entry = t->entries + t->count++ * entry_size(t);
  memcpy(entry, key, t->key_size);
  if (value != NULL) {
    memcpy(entry + t->key_size, value, t->value_size);
  }
  return true;
}

/* The number of a key of a table without values; false if there is no room. */
static bool number_of(dsm__memo *memo, table *t, const void *key, uint32_t *number) {
  const size_t known = find_number(t, key);
  *number = (uint32_t)(known == DSM__MAP_NONE ? t->count : known);
  return known != DSM__MAP_NONE || put(memo, t, key, NULL);
}

static void empty(table *t) {
  free(t->entries);
  dsm__map_fini(&t->index);
  *t = (table){.key_size = t->key_size, .value_size = t->value_size};
}

static void empty_all(dsm__memo *memo) {
  empty(&memo->contexts);
  empty(&memo->shapes);
  empty(&memo->passes);
  empty(&memo->scores);
  empty(&memo->roles);
  free(memo->moves);
  memo->moves = NULL;
  set_bytes(memo, 0);
  memo->is_full = false;
}

/* ---- the memo ---- */

dsm__memo *dsm__memo_new(size_t bytes_max, atomic_size_t *counted) {
  dsm__memo *const memo = calloc(1, sizeof *memo);
  if (memo != NULL) {
    memo->bytes_max = bytes_max;
    memo->counted = counted;
    memo->contexts.key_size = sizeof(context);
    memo->shapes.key_size = sizeof(dsm__layer_shape);
    memo->passes.key_size = sizeof(dsm__memo_key);
    memo->passes.value_size = sizeof(dsm__best_pass);
    memo->scores.key_size = sizeof(dsm__memo_key);
    memo->scores.value_size = sizeof(dsm__memo_score);
    memo->roles.key_size = sizeof(dsm__memo_role_key);
    memo->roles.value_size = sizeof(dsm__memo_score);
  }
  return memo;
}

void dsm__memo_free(dsm__memo *memo) {
  if (memo != NULL) {
    empty_all(memo);
    free(memo);
  }
}

static unsigned passes_that_read(const dsm__parameter *parameter) {
  for (size_t i = 0; i < DSM__COUNT_OF(restricted); i++) {
    if (strcmp(restricted[i].path, parameter->path) == 0) {
      return restricted[i].passes;
    }
  }
  return dsm__parameter_is_of_cost(parameter) ? 0 : ~0U;
}

bool dsm__memo_begin(dsm__memo *memo, const dsm_system *system, dsm_precision precision,
                     dsm_mode mode, uint32_t contexts[DSM_PASS_COUNT]) {
  if (memo->is_full) {
    empty_all(memo);
  }
  context each[DSM_PASS_COUNT] = {{{0}, {0}, 0, 0}};
  for (size_t i = 0; i < dsm__parameter_count; i++) {
    const dsm__parameter *const parameter = &dsm__parameters[i];
    const unsigned passes = passes_that_read(parameter);
    const double number = dsm__parameter_number(parameter, system);
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      each[p].parameters[i] = (passes & PASS_BIT(p)) != 0 ? number : 0;
    }
  }
  bool has_room = true;
  for (int p = 0; has_room && p < DSM_PASS_COUNT; p++) {
    memcpy(each[p].precision, &precision, sizeof precision);
    each[p].mode = (double)mode;
    each[p].pass = (double)p;
    has_room = number_of(memo, &memo->contexts, &each[p], &contexts[p]);
  }
  return has_room;
}

bool dsm__memo_shape(dsm__memo *memo, const dsm_layer *layer, bool are_forks_counted,
                     uint32_t *shape) {
  const dsm__layer_shape own = dsm__layer_shape_of(layer, are_forks_counted);
  return number_of(memo, &memo->shapes, &own, shape);
}

const dsm__best_pass *dsm__memo_best_pass(const dsm__memo *memo, const dsm__memo_key *key) {
  return find(&memo->passes, key);
}

const dsm__memo_score *dsm__memo_score_of(const dsm__memo *memo, const dsm__memo_key *key) {
  return find(&memo->scores, key);
}

const dsm__memo_score *dsm__memo_role(const dsm__memo *memo, const dsm__memo_role_key *key) {
  return find(&memo->roles, key);
}

/* A place without a move has a key without elements, which no move has. */
double *dsm__memo_move(dsm__memo *memo, const dsm__memo_move_key *key) {
  const size_t bytes = memo->bytes + MOVES_MAX * sizeof *memo->moves;
  if (memo->moves == NULL && bytes <= memo->bytes_max) {
    memo->moves = calloc(MOVES_MAX, sizeof *memo->moves);
    set_bytes(memo, memo->moves == NULL ? memo->bytes : bytes);
  }
  memo->unkept = (double)NAN;
  if (memo->moves == NULL) {
    return &memo->unkept;
  }
  kept_move *const place = &memo->moves[dsm__map_hash(0, key, sizeof *key) % MOVES_MAX];
  if (memcmp(&place->key, key, sizeof *key) != 0) {
    *place = (kept_move){*key, (double)NAN};
  }
  return &place->cycles;
}

void dsm__memo_put_best_pass(dsm__memo *memo, const dsm__memo_key *key,
                             const dsm__best_pass *best) {
  (void)put(memo, &memo->passes, key, best);
}

void dsm__memo_put_score(dsm__memo *memo, const dsm__memo_key *key, dsm__memo_score score) {
  (void)put(memo, &memo->scores, key, &score);
}

void dsm__memo_put_role(dsm__memo *memo, const dsm__memo_role_key *key, dsm__memo_score score) {
  (void)put(memo, &memo->roles, key, &score);
}
