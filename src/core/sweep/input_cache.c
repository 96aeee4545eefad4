/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/input_cache.h"

#include <assert.h>
#include <string.h>

static void empty(dsm__read_input *place) {
  if (place->row != NULL) {
    place->row->discard(place->of);
  }
  dsm__arena_free(place->arena);
  *place = (dsm__read_input){0};
}

void dsm__input_cache_fini(dsm__input_cache *cache) {
  for (size_t i = 0; i < DSM__INPUT_CACHE_SIZE; i++) {
    empty(&cache->places[DSM_DESCRIPTION_WORKLOAD][i]);
    empty(&cache->places[DSM_DESCRIPTION_SYSTEM][i]);
  }
}

const char *dsm__first_finding(const dsm_diags *diags, const char *subject, dsm__arena *arena) {
  assert(dsm_diags_count(diags) > 0);
  const dsm_diag *const first = dsm_diags_get(diags, 0);
  const bool has_subject = subject != NULL;
  const bool has_path = first->path[0] != '\0';
  const bool has_hint = first->hint[0] != '\0';
  return dsm__arena_printf(arena, "%s%s%s%s%s%s%s%s", has_subject ? subject : "",
                           has_subject && has_path ? " " : "", first->path,
                           has_subject || has_path ? ": " : "", first->message,
                           has_hint ? " (" : "", first->hint, has_hint ? ")" : "");
}

/* Was a place filled with what is wanted? */
static bool is_same(const dsm__read_input *place, const dsm__point_input *want) {
  if (place->arena == NULL || place->input != want->input) {
    return false;
  }
  const char *at = place->overrides;
  const char *const end = place->overrides + place->overrides_length;
  for (size_t i = 0; i < want->override_count; i++) {
    const char *const texts[] = {want->overrides[i].path, want->overrides[i].value};
    for (size_t t = 0; t < DSM__COUNT_OF(texts); t++) {
      if (at == end || strcmp(at, texts[t]) != 0) {
        return false;
      }
      at += strlen(at) + 1;
    }
  }
  return at == end;
}

/* Notes what a place is filled with; false if out of memory. */
static bool note_key(dsm__read_input *place, const dsm__point_input *want) {
  size_t length = 0;
  for (size_t i = 0; i < want->override_count; i++) {
    length += strlen(want->overrides[i].path) + strlen(want->overrides[i].value) + 2;
  }
  char *const texts = dsm__arena_alloc(place->arena, length);
  if (texts == NULL) {
    return false;
  }
  char *at = texts;
  for (size_t i = 0; i < want->override_count; i++) {
    const char *const parts[] = {want->overrides[i].path, want->overrides[i].value};
    for (size_t t = 0; t < DSM__COUNT_OF(parts); t++) {
      const size_t size = strlen(parts[t]) + 1;
      memcpy(at, parts[t], size);
      at += size;
    }
  }
  place->input = want->input;
  place->overrides = texts;
  place->overrides_length = length;
  return true;
}

/* Reads what is wanted; false if out of memory. */
static bool read_into(dsm__read_input *place, dsm_description kind, const dsm__point_input *want,
                      dsm_diags *diags) {
  const dsm_sweep_input *const input = want->input;
  const dsm__json_input text = {input->text, input->length, input->name, want->overrides,
                                want->override_count};
  dsm_diags_clear(diags);
  place->machine = dsm__machine_of_text(input->text);
  place->row = place->machine->inputs[kind];
  const dsm_status status = dsm__description_parse(&place->of, place->row, &text, diags);
  if (status == DSM_OK) {
    return true;
  }
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    return false;
  }
  place->reason = dsm__first_finding(diags, dsm_description_name(kind), place->arena);
  return place->reason != NULL;
}

/* The place that has what is wanted, or else an empty one or the one least lately used. */
static dsm__read_input *find_place(dsm__read_input *places, const dsm__point_input *want) {
  dsm__read_input *oldest = places;
  for (size_t i = 0; i < DSM__INPUT_CACHE_SIZE; i++) {
    if (is_same(&places[i], want)) {
      return &places[i];
    }
    oldest = places[i].last_use < oldest->last_use ? &places[i] : oldest;
  }
  return oldest;
}

/* NULL if out of memory. */
static const dsm__read_input *get(dsm__input_cache *cache, const dsm__sweep_point *point,
                                  dsm_description kind, dsm_diags *diags) {
  const dsm__point_input *const want = &point->inputs[kind];
  dsm__read_input *const place = find_place(cache->places[kind], want);
  if (!is_same(place, want)) {
    empty(place);
    place->arena = dsm__arena_new();
    if (place->arena == NULL || !note_key(place, want) || !read_into(place, kind, want, diags)) {
      empty(place);
      return NULL;
    }
  }
  place->last_use = ++cache->use_count;
  return place;
}

/* Why a workload and a system, both valid, do not go together; NULL: they do. */
static const char *mismatch_of(const dsm__machine *workload, const dsm__machine *system) {
  const char *const of_workload = workload->mismatches[DSM_DESCRIPTION_WORKLOAD];
  return workload == system    ? NULL
         : of_workload != NULL ? of_workload
                               : system->mismatches[DSM_DESCRIPTION_SYSTEM];
}

bool dsm__inputs_read(dsm__input_cache *cache, const dsm__sweep_point *point,
                      const dsm__read_input *read[2], const char **reason, dsm_diags *diags) {
  *reason = NULL;
  for (dsm_description kind = DSM_DESCRIPTION_WORKLOAD;
       kind <= DSM_DESCRIPTION_SYSTEM && *reason == NULL; kind++) {
    read[kind] = get(cache, point, kind, diags);
    if (read[kind] == NULL) {
      return false;
    }
    *reason = read[kind]->reason;
  }
  if (*reason == NULL) {
    *reason = mismatch_of(read[0]->machine, read[1]->machine);
  }
  return true;
}
