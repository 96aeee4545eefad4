/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/input_cache.h"

#include <assert.h>
#include <stdio.h>
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
  dsm__text_fini(&cache->key);
}

const char *dsm__finding_text(const dsm__found *found, dsm__arena *arena) {
  const dsm_diag *const first = found->finding;
  const bool has_subject = found->subject != NULL;
  const bool has_path = first->path[0] != '\0';
  const bool has_hint = first->hint[0] != '\0';
  return dsm__arena_printf(arena, "%s%s%s%s%s%s%s%s", has_subject ? found->subject : "",
                           has_subject && has_path ? " " : "", first->path,
                           has_subject || has_path ? ": " : "", first->message,
                           has_hint ? " (" : "", first->hint, has_hint ? ")" : "");
}

/* Makes the key of what is wanted: PATH and VALUE of each override, NUL-terminated. */
static bool make_key(dsm__text_buffer *key, const dsm__point_input *want) {
  dsm__text_clear(key);
  for (size_t i = 0; i < want->override_count; i++) {
    dsm__text_append(key, want->overrides[i].path, strlen(want->overrides[i].path) + 1);
    dsm__text_append(key, want->overrides[i].value, strlen(want->overrides[i].value) + 1);
  }
  return !key->failed;
}

/* Was a place filled with that? */
static bool is_same(const dsm__read_input *place, const dsm_sweep_input *input,
                    const dsm__text_buffer *key) {
  return place->arena != NULL && place->input == input && place->overrides_length == key->length &&
         (key->length == 0 || memcmp(place->overrides, key->text, key->length) == 0);
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
  assert(dsm_diags_count(diags) > 0);
  dsm_diag *const finding = dsm__arena_alloc(place->arena, sizeof *finding);
  if (finding != NULL) {
    *finding = *dsm_diags_get(diags, 0);
  }
  place->finding = finding;
  return finding != NULL;
}

/* The place that has what is wanted, or else an empty one or the one least lately used. */
static dsm__read_input *find_place(dsm__read_input *places, const dsm_sweep_input *input,
                                   const dsm__text_buffer *key) {
  dsm__read_input *oldest = places;
  for (size_t i = 0; i < DSM__INPUT_CACHE_SIZE; i++) {
    if (is_same(&places[i], input, key)) {
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
  if (!make_key(&cache->key, want)) {
    return NULL;
  }
  dsm__read_input *const place = find_place(cache->places[kind], want->input, &cache->key);
  if (!is_same(place, want->input, &cache->key)) {
    empty(place);
    place->arena = dsm__arena_new();
    place->input = want->input;
    place->overrides_length = cache->key.length;
    if (place->arena == NULL || !DSM__RESERVE(place->arena, place->overrides, cache->key.length) ||
        !read_into(place, kind, want, diags)) {
      empty(place);
      return NULL;
    }
    if (cache->key.length > 0) {
      memcpy(place->overrides, cache->key.text, cache->key.length);
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

dsm__found dsm__inputs_read(dsm__input_cache *cache, const dsm__sweep_point *point,
                            const dsm__read_input *read[2], dsm_diags *diags) {
  for (dsm_description kind = DSM_DESCRIPTION_WORKLOAD; kind <= DSM_DESCRIPTION_SYSTEM; kind++) {
    read[kind] = get(cache, point, kind, diags);
    if (read[kind] == NULL) {
      return (dsm__found){.status = DSM_ERROR_OUT_OF_MEMORY};
    }
    if (read[kind]->finding != NULL) {
      return (dsm__found){.status = DSM_ERROR_INVALID,
                          .finding = read[kind]->finding,
                          .subject = dsm_description_name(kind)};
    }
  }
  const char *const mismatch = mismatch_of(read[0]->machine, read[1]->machine);
  if (mismatch == NULL) {
    return (dsm__found){.status = DSM_OK};
  }
  (void)snprintf(cache->mismatch.message, sizeof cache->mismatch.message, "%s", mismatch);
  return (dsm__found){.status = DSM_ERROR_INVALID, .finding = &cache->mismatch};
}
