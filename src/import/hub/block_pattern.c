/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block_pattern.c: which blocks of a decoder have a window, and which experts, and how that
 * repeats.
 *
 * Neighbours that are alike are a run. Runs that repeat in turn are a group: five blocks with a
 * window and one without it, ten times.
 */
#include <stdio.h>
#include <string.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

/* What a block may have that others have not; a kind is a set of these. */
enum { SEES_ALL = 1, IS_SPARSE = 2, IS_LAST = 4, KIND_COUNT = 8 };
enum { RUNS_OF_GROUP_MAX = 8 }; /* assumption: known families repeat 2 */

typedef struct pattern {
  unsigned char kinds[DSM_LAYERS_MAX];
  size_t count;
  unsigned varied; /* what not all of them are */
} pattern;

static bool has_windows(const dsm__hub *hub) {
  const dsm__hub_window *const window = &hub->family->window;
  return dsm__hub_has(hub, window->key) &&
         (window->flag == NULL || dsm__hub_flag(hub, window->flag, false));
}

static unsigned usual_kind(const dsm__hub *hub, uint64_t block) {
  const dsm__hub_window *const window = &hub->family->window;
  const uint64_t period =
      dsm__hub_count_or(hub, window->period, DSM_LAYERS_MAX, window->usual_period);
  const uint64_t step = dsm__hub_count_or(hub, "decoder_sparse_step", DSM_LAYERS_MAX, 1);
  const bool sees_all = block < dsm__hub_place_or(hub, window->first, window->usual_first) ||
                        (period > 0 && (block + 1) % period == 0);
  const bool is_sparse = hub->family->experts.key != NULL && (block + 1) % step == 0 &&
                         block >= dsm__hub_place_or(hub, "first_k_dense_replace", 0);
  return (has_windows(hub) && sees_all ? SEES_ALL : 0) | (is_sparse ? IS_SPARSE : 0);
}

/* Lists, where a configuration has them, say it of each block. */
static void read_lists(const dsm__hub *hub, pattern *all) {
  const dsm__json_node types = dsm__hub_member(hub, "layer_types");
  const dsm__json_node plain = dsm__hub_member(hub, "mlp_only_layers");
  dsm__json_node each = dsm__json_item(&types, 0);
  for (size_t i = 0; i < all->count && dsm__json_is_present(&each); i++) {
    const char *const text = dsm__json_text(&each);
    const bool has_window = text != NULL && strcmp(text, "sliding_attention") == 0;
    if (has_windows(hub)) {
      all->kinds[i] = (unsigned char)((all->kinds[i] & ~SEES_ALL) | (has_window ? 0 : SEES_ALL));
    }
    each = dsm__json_next(&each);
  }
  for (each = dsm__json_item(&plain, 0); dsm__json_is_present(&each);
       each = dsm__json_next(&each)) {
    uint64_t place = 0;
    if (dsm__json_u64(&each, 0, DSM_LAYERS_MAX, &place) && place < all->count) {
      all->kinds[place] &= (unsigned char)~IS_SPARSE;
    }
  }
}

/* Of a base model, which has no head that could normalise what it reads, the last block stands
 * apart: it ends with the norm. */
static void read_pattern(const dsm__hub *hub, uint64_t count, pattern *all) {
  all->count = (size_t)count;
  all->varied = 0;
  for (size_t i = 0; i < all->count; i++) {
    all->kinds[i] = (unsigned char)usual_kind(hub, i);
  }
  read_lists(hub, all);
  for (size_t i = 1; i < all->count; i++) {
    all->varied |= all->kinds[i] ^ all->kinds[0];
  }
  if (hub->end == DSM__HUB_BASE) {
    all->kinds[all->count - 1] |= IS_LAST;
  }
}

dsm__hub_kinds dsm__hub_blocks_kinds(const dsm__hub *hub, uint64_t count) {
  pattern all = {.count = 0};
  read_pattern(hub, count, &all);
  const unsigned first = all.kinds[0];
  const bool differ_in_parts = (all.varied & IS_SPARSE) != 0;
  const bool differ_in_windows = (all.varied & SEES_ALL) != 0;
  return (dsm__hub_kinds){.are_alike = all.varied == 0,
                          .has_experts = differ_in_parts || (first & IS_SPARSE) != 0,
                          .has_plain_part = differ_in_parts || (first & IS_SPARSE) == 0,
                          .has_window =
                              has_windows(hub) && (differ_in_windows || (first & SEES_ALL) == 0)};
}

/* ---- runs and groups ---- */

static size_t run_length(const pattern *all, size_t at) {
  size_t length = 1;
  while (at + length < all->count && all->kinds[at + length] == all->kinds[at]) {
    length++;
  }
  return length;
}

/* Runs from a place on, which together repeat. */
typedef struct group {
  size_t length; /* blocks of all of them once; 0: no runs repeat */
  size_t repeats;
} group;

static group find_group(const pattern *all, size_t at) {
  group best = {0, 0};
  size_t length = run_length(all, at);
  for (size_t runs = 2; runs <= RUNS_OF_GROUP_MAX && at + length < all->count; runs++) {
    size_t repeats = 1;
    length += run_length(all, at + length);
    while (at + (repeats + 1) * length <= all->count &&
           memcmp(&all->kinds[at], &all->kinds[at + repeats * length], length) == 0) {
      repeats++;
    }
    if (repeats > 1 && repeats * length > best.repeats * best.length) {
      best = (group){length, repeats};
    }
  }
  return best;
}

/* ---- what is written ---- */

/* Blocks on one level, whose names differ. */
typedef struct level {
  size_t uses[KIND_COUNT]; /* of a name */
  size_t groups;
} level;

/* Its name says what differs among blocks, "decoder" where nothing does, and from the second of a
 * name on a number. */
static void write_run(const dsm__hub *hub, const dsm__hub_block *block, const pattern *all,
                      size_t at, const char *repeat, level *names) {
  const unsigned kind = all->kinds[at];
  const char *const part = (all->varied & IS_SPARSE) == 0 ? ""
                           : (kind & IS_SPARSE) != 0      ? "sparse"
                                                          : "dense";
  const char *const sight = (all->varied & SEES_ALL) == 0 ? ""
                            : (kind & SEES_ALL) != 0      ? "global"
                                                          : "local";
  const bool has_both = part[0] != '\0' && sight[0] != '\0';
  const size_t uses = ++names->uses[kind];
  char name[64];
  char number[24] = "";
  dsm__hub_block own = *block;
  own.has_window = block->has_window && (kind & SEES_ALL) == 0;
  own.has_experts = (kind & IS_SPARSE) != 0;
  if (uses > 1) {
    (void)snprintf(number, sizeof number, "_%zu", uses);
  }
  (void)snprintf(name, sizeof name, "%s%s%s%s%s%s", part, has_both ? "_" : "", sight,
                 part[0] == '\0' && sight[0] == '\0' ? "decoder" : "",
                 (kind & IS_LAST) != 0 ? "_end" : "", number);
  dsm__hub_block_write(hub, &own, name, repeat, (kind & IS_LAST) != 0 ? block->norm : NULL);
}

static void write_runs(const dsm__hub *hub, const dsm__hub_block *block, const pattern *all,
                       size_t begin, size_t end, level *names) {
  for (size_t at = begin; at < end;) {
    const size_t length = run_length(all, at);
    char repeat[32];
    (void)snprintf(repeat, sizeof repeat, "=%zu", length);
    write_run(hub, block, all, at, length == 1 ? NULL : repeat, names);
    at += length;
  }
}

static void write_groups(const dsm__hub *hub, const dsm__hub_block *block, const pattern *all) {
  level names = {.groups = 0};
  for (size_t at = 0, length = 0; at < all->count; at += length) {
    const group found = find_group(all, at);
    level own = {.groups = 0};
    char name[32];
    char repeat[32];
    length = found.length > 0 ? found.length * found.repeats : run_length(all, at);
    if (found.length == 0) {
      write_runs(hub, block, all, at, at + length, &names);
      continue;
    }
    (void)snprintf(name, sizeof name, names.groups > 0 ? "group_%zu" : "group", names.groups + 1);
    names.groups++;
    (void)snprintf(repeat, sizeof repeat, "=%zu", found.repeats);
    dsm__hub_begin_block(hub, name, repeat);
    write_runs(hub, block, all, at, at + found.length, &own);
    dsm__hub_end_block(hub);
  }
}

void dsm__hub_blocks_write(const dsm__hub *hub, const dsm__hub_block *block, uint64_t count) {
  const bool is_base = hub->end == DSM__HUB_BASE;
  level names = {.groups = 0};
  pattern all = {.count = 0};
  read_pattern(hub, count, &all);
  if (all.varied != 0) {
    write_groups(hub, block, &all);
    return;
  }
  if (!is_base || count > 1) {
    write_run(hub, block, &all, 0, is_base ? "=blocks-1" : "=blocks", &names);
  }
  if (is_base) {
    write_run(hub, block, &all, all.count - 1, NULL, &names);
  }
}
