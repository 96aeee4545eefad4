/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block_options.c: the options of a stage that is a block, as Rockmate has them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"
#include "chain/block.h"

/* Peaks for which ways are found, and ways of each: together DSM_REMAT_OPTIONS_MAX. */
enum { PEAKS_MAX = 20, WAYS_OF_A_PEAK = DSM_REMAT_OPTIONS_MAX / PEAKS_MAX };

/* ---- one subset is dropped ---- */

static dsm__remat_way way_that_saves(const dsm__remat_block *block, dsm__tensors saved) {
  dsm__remat_way way = {.saved = saved, .saved_bytes = dsm__remat_tensor_bytes(block, saved)};
  dsm__remat_run_plainly(block, &way);
  dsm__remat_recompute_once(block, &way);
  return way;
}

/* Drops each run of neighbours among the tensors that are needed. */
static bool add_dropped(const dsm__remat_block *block, dsm__remat_ways *ways, dsm__arena *arena) {
  const dsm__tensors needed = dsm__remat_needed(block);
  for (size_t first = 0; first + 1 < block->count; first++) {
    dsm__tensors saved = needed;
    for (size_t last = first; last + 1 < block->count; last++) {
      const bool is_needed = (needed & dsm__tensor(last)) != 0;
      saved &= ~dsm__tensor(last);
      if (is_needed && (needed & dsm__tensor(first)) != 0) {
        if (!DSM__LIST_PUSH_IN(ways, arena, way_that_saves(block, saved))) {
          return false;
        }
      }
    }
  }
  return true;
}

/* ---- all sets ---- */

/* No way has a lower peak: a backward pass, or an operation, with what it needs. */
static double least_peak(const dsm__remat_block *block) {
  double least = 0;
  for (size_t i = 0; i < block->count; i++) {
    const dsm__remat_operation *const operation = &block->operations[i];
    const double backward =
        dsm__remat_errors_during(block, i) + dsm__remat_tensor_bytes(block, operation->needs);
    const double forward = dsm__remat_tensor_bytes(block, operation->inputs | dsm__tensor(i));
    const double most = (backward > forward ? backward : forward) + operation->temporary_bytes;
    least = most > least ? most : least;
  }
  return least;
}

/* Peaks for which all sets can be looked at: larger blocks have fewer; 0: less than two. */
static size_t affordable_peaks(const dsm__remat_block *block, double work) {
  const double peaks = floor(work / ldexp((double)block->count, (int)block->count + 1));
  const bool is_small = block->count <= DSM_REMAT_EXACT_OPERATIONS_MAX;
  return !is_small || peaks < 2 ? 0 : peaks >= PEAKS_MAX ? PEAKS_MAX : (size_t)peaks;
}

static bool add_exact(const dsm__remat_block *block, const dsm__remat_way *all, size_t peaks,
                      dsm__remat_ways *ways, dsm__arena *arena) {
  const double highest =
      all->forward_peak > all->backward_peak ? all->forward_peak : all->backward_peak;
  const double lowest = least_peak(block);
  bool is_done = true;
  for (size_t p = 0; is_done && p < peaks; p++) {
    const double part = (double)(peaks - 1 - p) / (double)(peaks - 1);
    is_done = dsm__remat_ways_within(block, highest - part * (highest - lowest), WAYS_OF_A_PEAK,
                                     ways, arena);
  }
  return is_done;
}

/* ---- the best ---- */

static bool is_as_good(const dsm__remat_way *one, const dsm__remat_way *other) {
  return one->forward_seconds + one->backward_seconds <=
             other->forward_seconds + other->backward_seconds &&
         one->saved_bytes <= other->saved_bytes && one->forward_peak <= other->forward_peak &&
         one->backward_peak <= other->backward_peak;
}

/* Leaves out the ways than which another is as good in all; of equals the first stays. The first
 * of all stays too. */
static void keep_best(dsm__remat_ways *ways) {
  size_t kept = 1;
  for (size_t i = 1; i < ways->count; i++) {
    bool is_beaten = false;
    for (size_t j = 0; !is_beaten && j < ways->count; j++) {
      const bool both = is_as_good(&ways->items[j], &ways->items[i]);
      is_beaten = j != i && both && (j < i || !is_as_good(&ways->items[i], &ways->items[j]));
    }
    if (!is_beaten) {
      ways->items[kept++] = ways->items[i];
    }
  }
  ways->count = kept;
}

/* After the first: those that save most come first. */
static int by_saved(const void *a, const void *b) {
  const dsm__remat_way *const one = a;
  const dsm__remat_way *const other = b;
  if (one->saved_bytes != other->saved_bytes) {
    return one->saved_bytes > other->saved_bytes ? -1 : 1;
  }
  const double difference = one->forward_seconds + one->backward_seconds - other->forward_seconds -
                            other->backward_seconds;
  return difference != 0 ? (difference > 0) - (difference < 0)
                         : (one->backward_peak > other->backward_peak) -
                               (one->backward_peak < other->backward_peak);
}

static void thin(dsm__remat_ways *ways) {
  const size_t most = DSM_REMAT_OPTIONS_MAX;
  if (ways->count > 2) {
    qsort(ways->items + 1, ways->count - 1, sizeof *ways->items, by_saved);
  }
  for (size_t i = 1; ways->count > most && i < most; i++) {
    ways->items[i] = ways->items[1 + (i - 1) * (ways->count - 2) / (most - 2)];
  }
  ways->count = ways->count > most ? most : ways->count;
}

/* ---- options ---- */

/* "all", or "without softmax, dropout"; cut where it is long. */
static const char *name_of(const dsm__remat_block *block, dsm__tensors saved, dsm__arena *arena) {
  const dsm__tensors dropped = dsm__remat_needed(block) & ~saved;
  char text[DSM_NAME_BYTES_MAX + 1] = "all";
  size_t length = 0;
  for (size_t i = 0; i < block->count; i++) {
    if ((dropped & dsm__tensor(i)) == 0) {
      continue;
    }
    const char *const before = length == 0 ? "without " : ", ";
    const char *const name = block->operations[i].name;
    const size_t room = sizeof text - length;
    if (strlen(before) + strlen(name) + sizeof ", ..." > room) {
      (void)snprintf(text + length, room, "%s...", before);
      break;
    }
    length += (size_t)snprintf(text + length, room, "%s%s", before, name);
  }
  return dsm__arena_strdup(arena, text);
}

static double above(double bytes, double base) {
  return bytes > base ? bytes - base : 0;
}

static bool make_option(const dsm__remat_block *block, const dsm__remat_way *way,
                        dsm_remat_option *option, dsm__arena *arena) {
  const double errors = block->operations[block->count - 1].error_bytes + block->input_error_bytes;
  *option = (dsm_remat_option){
      .name = name_of(block, way->saved, arena),
      .forward_seconds = way->forward_seconds,
      .backward_seconds = way->backward_seconds,
      .saved_bytes = way->saved_bytes,
      .forward_temporary_bytes = above(way->forward_peak, way->saved_bytes),
      .backward_temporary_bytes = above(way->backward_peak, way->saved_bytes + errors)};
  return option->name != NULL;
}

static bool make_options(const dsm__remat_block *block, const dsm__remat_ways *ways,
                         dsm_remat_stage *stage, dsm__arena *arena) {
  dsm_remat_option *options = NULL;
  bool is_made = DSM__RESERVE(arena, options, ways->count);
  for (size_t k = 0; is_made && k < ways->count; k++) {
    is_made = make_option(block, &ways->items[k], &options[k], arena);
  }
  stage->options = options;
  stage->option_count = ways->count;
  return is_made;
}

bool dsm__remat_block_options(const dsm__remat_block *block, double work, dsm_remat_stage *stage,
                              dsm__arena *arena) {
  const size_t peaks = affordable_peaks(block, work);
  const dsm__remat_operation *const output = &block->operations[block->count - 1];
  dsm__remat_way plain = {.saved = dsm__tensor(block->count - 1)};
  dsm__arena *const shortly = dsm__arena_new();
  dsm__remat_ways ways = {0};
  if (!DSM__LIST_RESERVE_IN(&ways, 1, shortly)) {
    dsm__arena_free(shortly);
    return false;
  }
  dsm__remat_run_plainly(block, &plain);
  stage->output_bytes = output->bytes;
  stage->error_bytes = output->error_bytes;
  stage->forward_seconds = plain.forward_seconds;
  stage->temporary_bytes = above(plain.forward_peak, output->bytes);
  const dsm__remat_way all = way_that_saves(block, dsm__remat_needed(block));
  ways.items[ways.count++] = all;
  bool is_made = peaks > 0 ? add_exact(block, &all, peaks, &ways, shortly)
                           : add_dropped(block, &ways, shortly);
  if (is_made) {
    keep_best(&ways);
    thin(&ways);
    is_made = make_options(block, &ways, stage, arena);
  }
  dsm__arena_free(shortly);
  return is_made;
}
