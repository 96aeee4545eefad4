/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain_windows.c: which parts of a chain differ, and what can be done with one. */
#include "remat/chain_windows.h"

#include <string.h>

#include "base/map.h"

/* ---- what can be done ---- */

double dsm__remat_keep_need(const dsm_remat_chain *chain, dsm__remat_window window, size_t option) {
  const dsm_remat_stage *const stage = &chain->stages[window.first];
  const dsm_remat_option *const of = &stage->options[option];
  const double forward =
      dsm__remat_error_waiting(chain, window.last) + of->saved_bytes + of->forward_temporary_bytes;
  const double backward = stage->error_bytes + of->saved_bytes +
                          dsm__remat_error_before(chain, window.first) +
                          of->backward_temporary_bytes;
  return forward > backward ? forward : backward;
}

/* Adds the forward pass of stage `drop->middle`. Its input, too, takes memory, but that of the
 * window does not. */
static bool extend(const dsm_remat_chain *chain, dsm__remat_window window, dsm__remat_drop *drop) {
  const size_t at = drop->middle;
  const dsm_remat_stage *const stage = &chain->stages[at];
  if (at >= window.last || !stage->is_recomputable) {
    return false;
  }
  const double input = at == window.first ? 0 : chain->stages[at - 1].output_bytes;
  const double need = dsm__remat_error_waiting(chain, window.last) + input + stage->output_bytes +
                      stage->temporary_bytes;
  drop->need_bytes = need > drop->need_bytes ? need : drop->need_bytes;
  drop->seconds += stage->forward_seconds;
  drop->middle++;
  return true;
}

bool dsm__remat_drop_first(const dsm_remat_chain *chain, dsm__remat_window window,
                           dsm__remat_drop *drop) {
  *drop = (dsm__remat_drop){.middle = window.first};
  return extend(chain, window, drop);
}

bool dsm__remat_drop_next(const dsm_remat_chain *chain, dsm__remat_window window,
                          dsm__remat_drop *drop) {
  return extend(chain, window, drop);
}

/* ---- which differ ---- */

static bool options_agree(const dsm_remat_option *a, const dsm_remat_option *b) {
  return a->forward_seconds == b->forward_seconds && a->backward_seconds == b->backward_seconds &&
         a->saved_bytes == b->saved_bytes &&
         a->forward_temporary_bytes == b->forward_temporary_bytes &&
         a->backward_temporary_bytes == b->backward_temporary_bytes;
}

static bool stages_agree(const dsm_remat_stage *a, const dsm_remat_stage *b) {
  bool agree = a->output_bytes == b->output_bytes && a->error_bytes == b->error_bytes &&
               a->forward_seconds == b->forward_seconds &&
               a->temporary_bytes == b->temporary_bytes &&
               a->is_recomputable == b->is_recomputable && a->option_count == b->option_count;
  for (size_t k = 0; agree && k < a->option_count; k++) {
    agree = options_agree(&a->options[k], &b->options[k]);
  }
  return agree;
}

/* A number for each stage: that of the first one that is equal to it. */
static void number_stages(const dsm_remat_chain *chain, uint32_t *numbers) {
  for (size_t s = 0; s < chain->stage_count; s++) {
    size_t first = 0;
    while (!stages_agree(&chain->stages[first], &chain->stages[s])) {
      first++;
    }
    numbers[s] = (uint32_t)first;
  }
}

/* The first stage that has the same error before it. */
static uint32_t number_of_error(const dsm_remat_chain *chain, size_t stage) {
  size_t first = 0;
  while (dsm__remat_error_before(chain, first) != dsm__remat_error_before(chain, stage)) {
    first++;
  }
  return (uint32_t)first;
}

/* A window is one that is a stage shorter, and the stage behind that. */
typedef struct window_key {
  uint32_t shorter; /* of a single stage: what stands before it */
  uint32_t stage;
  uint32_t kind; /* of a single stage 0, of a longer window 1; 2 more at the end of the chain */
} window_key;

typedef struct numbering {
  dsm__map map;
  window_key *keys;
  size_t count;
} numbering;

/* The number of a key, a new one if it has none yet; false if out of memory. */
static bool number_of(numbering *of, const window_key *key, uint32_t *number) {
  const uint32_t hash = dsm__map_hash(0, key, sizeof *key);
  size_t found = dsm__map_find_in(&of->map, hash, of->keys, sizeof *key, key, sizeof *key);
  if (found == DSM__MAP_NONE) {
    found = of->count++;
    of->keys[found] = *key;
    if (!dsm__map_add(&of->map, hash, found)) {
      return false;
    }
  }
  *number = (uint32_t)found;
  return true;
}

/* Numbers all windows of a first stage, short ones first. */
static bool number_windows_from(const dsm__remat_windows *of, numbering *numbers,
                                const uint32_t *stages, size_t first) {
  const size_t count = of->chain->stage_count;
  uint32_t *const row = &of->numbers[first * count];
  uint32_t shorter = number_of_error(of->chain, first);
  bool is_made = true;
  for (size_t last = first; is_made && last < count; last++) {
    const uint32_t end = last + 1 == count ? 2 : 0;
    const window_key key = {shorter, stages[last], (last == first ? 0U : 1U) + end};
    is_made = number_of(numbers, &key, &row[last]);
    shorter = row[last];
  }
  return is_made;
}

/* ---- which are needed ---- */

/* Marks what a window leads to: windows that are shorter. */
static void mark_children(const dsm__remat_windows *of, dsm__remat_window window, bool *is_needed) {
  const size_t count = of->chain->stage_count;
  dsm__remat_drop drop;
  if (window.first < window.last) {
    is_needed[of->numbers[(window.first + 1) * count + window.last]] = true;
  }
  for (bool is_there = dsm__remat_drop_first(of->chain, window, &drop); is_there;
       is_there = dsm__remat_drop_next(of->chain, window, &drop)) {
    is_needed[of->numbers[drop.middle * count + window.last]] = true;
    is_needed[of->numbers[window.first * count + drop.middle - 1]] = true;
  }
}

/* Long windows come before those that they lead to: the list is made from its end. */
static void list_needed(dsm__remat_windows *of, size_t number_count, bool *is_needed,
                        uint32_t *places) {
  const size_t count = of->chain->stage_count;
  size_t free_end = number_count;
  is_needed[of->numbers[count - 1]] = true;
  for (size_t length = count; length >= 1; length--) {
    for (size_t first = 0; first + length <= count; first++) {
      const dsm__remat_window window = {first, first + length - 1};
      const uint32_t number = of->numbers[first * count + window.last];
      if (is_needed[number] && places[number] == UINT32_MAX) {
        places[number] = (uint32_t)--free_end;
        of->windows[free_end] = window;
        mark_children(of, window, is_needed);
      }
    }
  }
  of->count = number_count - free_end;
  memmove(of->windows, of->windows + free_end, of->count * sizeof *of->windows);
  for (size_t i = 0; i < count * count; i++) {
    const uint32_t place = i % count < i / count ? UINT32_MAX : places[of->numbers[i]];
    of->numbers[i] = place == UINT32_MAX ? place : place - (uint32_t)free_end;
  }
}

/* What is needed only while windows are numbered. */
typedef struct scratch {
  uint32_t *stages;
  bool *is_needed;
  uint32_t *places;
  numbering numbers;
} scratch;

static bool make(dsm__remat_windows *of, scratch *with) {
  const size_t count = of->chain->stage_count;
  number_stages(of->chain, with->stages);
  for (size_t first = 0; first < count; first++) {
    if (!number_windows_from(of, &with->numbers, with->stages, first)) {
      return false;
    }
  }
  memset(with->places, 0xff, with->numbers.count * sizeof *with->places);
  list_needed(of, with->numbers.count, with->is_needed, with->places);
  return true;
}

dsm__remat_windows *dsm__remat_windows_new(const dsm_remat_chain *chain, dsm__arena *arena) {
  const size_t count = chain->stage_count;
  const size_t most = count * (count + 1) / 2;
  dsm__remat_windows *const of = dsm__arena_alloc(arena, sizeof *of);
  dsm__arena *const shortly = dsm__arena_new();
  scratch with = {0};
  bool is_made =
      of != NULL && DSM__RESERVE(shortly, with.stages, count) &&
      DSM__RESERVE(shortly, with.is_needed, most) && DSM__RESERVE(shortly, with.places, most) &&
      DSM__RESERVE(shortly, with.numbers.keys, most) &&
      DSM__RESERVE(arena, of->numbers, count * count) && DSM__RESERVE(arena, of->windows, most);
  if (is_made) {
    of->chain = chain;
    is_made = make(of, &with);
  }
  dsm__arena_free(shortly);
  dsm__map_fini(&with.numbers.map);
  return is_made ? of : NULL;
}
