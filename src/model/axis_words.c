/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/axis_words.h"

#include <stdio.h>
#include <string.h>

/* Words that are being made. */
typedef struct maker {
  const char *const *names; /* of axes */
  unsigned count;
  dsm__arena *arena;
  dsm__renaming *made;
} maker;

/* A copy of the first words of a list; those of axes are replaced in it. NULL: no memory. */
static dsm__word *begin_list(const maker *of, const dsm__words *words, size_t count) {
  dsm__word *const items = dsm__arena_array(of->arena, count, sizeof *items);
  if (items != NULL) {
    for (size_t i = 0; i < count; i++) {
      items[i] = words->items[i];
    }
    of->made->lists[of->made->count].of = words;
    of->made->lists[of->made->count].are =
        (dsm__words){.what = words->what, .items = items, .count = count, .also = words};
    of->made->count++;
  }
  return items;
}

/* "link_node": of links and of bounds, which both have a run of words for the axes. */
static bool add_links(const maker *of, const dsm__words *words, size_t first) {
  dsm__word *const items = begin_list(of, words, words->count);
  for (unsigned a = 0; items != NULL && a < of->count; a++) {
    items[first + a].key = dsm__arena_printf(of->arena, "link_%s", of->names[a]);
    if (items[first + a].key == NULL) {
      return false;
    }
  }
  return items != NULL;
}

/* "rotate_node". */
static bool add_moves(const maker *of) {
  dsm__word *const items = begin_list(of, &dsm__move_words, DSM__MOVE_COUNT);
  for (size_t m = 0; items != NULL && m < DSM__MOVE_COUNT; m++) {
    const dsm__move *const move = &dsm__moves[m];
    if (move->axis < of->count) {
      items[m].key =
          dsm__arena_printf(of->arena, "%s_%s", dsm__word_key(&dsm__transfer_words, move->transfer),
                            of->names[move->axis]);
      if (items[m].key == NULL) {
        return false;
      }
    }
  }
  return items != NULL;
}

/* "data_gpu_model_node": what each axis shares, if they differ. */
static dsm_axes_word roles_of(const char *const names[], unsigned count,
                              dsm_parallelism parallelism) {
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  dsm_axes_word word = {.text = ""};
  if (parallelism == DSM_PARALLELISM_DATA || parallelism == DSM_PARALLELISM_MODEL) {
    (void)snprintf(word.text, sizeof word.text, "%s", dsm_parallelism_name(parallelism));
    return word;
  }
  size_t used = 0;
  for (unsigned a = 0; a < count && used < sizeof word.text; a++) {
    const int wrote =
        snprintf(word.text + used, sizeof word.text - used, "%s%s_%s", a == 0 ? "" : "_",
                 dsm_axis_set_has(model, a) ? "model" : "data", names[a]);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  return word;
}

/* In brief "DM". */
static bool name_roles(const maker *of, dsm_parallelism parallelism, dsm__word *word) {
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  const dsm_axes_word key = roles_of(of->names, of->count, parallelism);
  char brief[DSM_AXES_MAX + 1] = "";
  for (unsigned a = 0; a < of->count; a++) {
    brief[a] = dsm_axis_set_has(model, a) ? 'M' : 'D';
  }
  *word = (dsm__word){.key = dsm__arena_strdup(of->arena, key.text),
                      .brief = dsm__arena_strdup(of->arena, brief)};
  return word->key != NULL && word->brief != NULL;
}

static bool add_parallelisms(const maker *of) {
  const size_t count = (size_t)1 << of->count;
  dsm__word *const items = begin_list(of, &dsm__parallelism_words, count);
  bool is_made = items != NULL;
  for (size_t p = DSM_PARALLELISM_MODEL + 1; is_made && p < count; p++) {
    is_made = name_roles(of, (dsm_parallelism)p, &items[p]);
  }
  return is_made;
}

const dsm__renaming *dsm__axis_words(const char *const names[DSM_AXES_MAX], unsigned count,
                                     dsm__arena *arena) {
  const maker of = {names, count, arena, dsm__arena_alloc(arena, sizeof(dsm__renaming))};
  if (of.made == NULL) {
    return NULL;
  }
  *of.made = (dsm__renaming){.count = 0};
  const bool is_made = add_parallelisms(&of) && add_links(&of, &dsm__link_words, DSM_LINK_AXIS) &&
                       add_links(&of, &dsm__bound_words, DSM_BOUND_AXIS) && add_moves(&of);
  return is_made ? of.made : NULL;
}

/* False if one has none, as a reader has told. */
static bool names_of(const dsm_network *network, const char *names[DSM_AXES_MAX]) {
  for (unsigned a = 0; a < network->axis_count; a++) {
    names[a] = network->axes[a].name;
    if (names[a] == NULL) {
      return false;
    }
  }
  return true;
}

bool dsm__system_words(const dsm_system *system, dsm__arena *arena,
                       const dsm__renaming **renaming) {
  const dsm_network *const network = &system->system;
  const char *names[DSM_AXES_MAX] = {NULL};
  *renaming = NULL;
  if (network->topology != DSM_TOPOLOGY_AXES || !names_of(network, names)) {
    return true;
  }
  *renaming = dsm__axis_words(names, network->axis_count, arena);
  return *renaming != NULL;
}

dsm_axes_word dsm_system_parallelism_name(const dsm_system *system, dsm_parallelism parallelism) {
  const char *names[DSM_AXES_MAX] = {NULL};
  (void)names_of(&system->system, names);
  return roles_of(names, system->system.axis_count, parallelism);
}

bool dsm_system_parallelism_parse(const dsm_system *system, const char *text,
                                  dsm_parallelism *parallelism) {
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(system->system.axis_count); p++) {
    const dsm_axes_word word = dsm_system_parallelism_name(system, (dsm_parallelism)p);
    if (strcmp(word.text, text) == 0) {
      *parallelism = (dsm_parallelism)p;
      return true;
    }
  }
  return dsm_parallelism_parse(text, parallelism);
}
