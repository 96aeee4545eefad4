/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/segments.h"

#include <ctype.h>
#include <string.h>

#include "plan/holding.h"

static size_t later(size_t use, size_t reach) {
  return use != DSM_NEVER_USED && use > reach ? use : reach;
}

dsm__segment_walk dsm__segments_begin(const dsm_workload *workload) {
  return (dsm__segment_walk){.workload = workload, .reach = later(workload->input_last_use, 0)};
}

dsm__segment_walk dsm__segments_begin_at(const dsm_workload *workload, size_t first) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  if (first > 0) { /* of what is made so far only the layer before is read */
    walk.reach = later(dsm__last_use(&workload->layers[first - 1]), 0);
  }
  return walk;
}

bool dsm__segment_ends(dsm__segment_walk *walk, size_t index) {
  const size_t last_use = dsm__last_use(&walk->workload->layers[index]);
  const bool is_all_else_read = walk->reach <= index;
  walk->reach = later(last_use, walk->reach);
  return index + 1 == walk->workload->layer_count ||
         (is_all_else_read && last_use != DSM_NEVER_USED && last_use > index);
}

/* The length of BLOCK.NUMBER. before the name of a layer in it; 0: it is in none. */
static size_t repetition_length(const char *name) {
  const char *const end = strrchr(name, '.');
  const char *number = end;
  while (end != NULL && number > name && isdigit((unsigned char)number[-1])) {
    number--;
  }
  return number < end && number > name && number[-1] == '.' ? (size_t)(end - name) + 1 : 0;
}

bool dsm__segment_may_go_on(const dsm_workload *workload, size_t index) {
  const size_t spec = workload->layers[index].spec_index;
  if (spec + 1 >= workload->spec_count) {
    return false;
  }
  const char *const name = workload->specs[spec].name;
  const char *const next = workload->specs[spec + 1].name;
  const size_t length = repetition_length(name);
  return length > 0 && repetition_length(next) == length && strncmp(name, next, length) == 0;
}

bool dsm__segments_find(const dsm_workload *workload, dsm__arena *arena, bool **is_cut) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  if (!DSM__RESERVE(arena, *is_cut, workload->layer_count)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    (*is_cut)[i] = dsm__segment_ends(&walk, i) && i + 1 < workload->layer_count;
  }
  return true;
}

/* ---- where stages begin ---- */

static const dsm__word words[] = {
    [DSM_STAGES_AT_BEST].key = "best", [DSM_STAGES_AT_BLOCKS].key = "blocks"};
DSM__NAMED_WORDS(dsm__stages_at_words, "place of stages", words, DSM_STAGES_AT_COUNT, dsm_stages_at,
                 dsm_stages_at_name);

bool dsm__begins_block(const dsm_workload *workload, size_t index) {
  const char *const name = workload->specs[workload->layers[index].spec_index].name;
  const size_t length = repetition_length(name);
  if (length == 0 || index == 0) {
    return length > 0;
  }
  const char *const before = workload->specs[workload->layers[index - 1].spec_index].name;
  return repetition_length(before) != length || strncmp(name, before, length) != 0;
}

size_t dsm__block_count(const dsm_workload *workload) {
  size_t count = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    count += dsm__begins_block(workload, i) ? 1 : 0;
  }
  return count;
}

bool dsm__stage_cuts_find(const dsm_workload *workload, dsm_stages_at stages_at, dsm__arena *arena,
                          bool **is_cut) {
  bool is_any_before = false;
  if (!dsm__segments_find(workload, arena, is_cut)) {
    return false;
  }
  for (size_t i = 0; stages_at == DSM_STAGES_AT_BLOCKS && i + 1 < workload->layer_count; i++) {
    is_any_before = is_any_before || dsm__begins_block(workload, i);
    (*is_cut)[i] = (*is_cut)[i] && is_any_before && dsm__begins_block(workload, i + 1);
  }
  return true;
}
