/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/axis_words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "model/engine.h"
#include "model/role_row.h"

/* Words that are being made. */
typedef struct maker {
  const char *const *names; /* of axes */
  unsigned count;
  bool are_named;       /* by the system */
  const dsm_chip *chip; /* NULL: its cores are joined by what the lists say */
  dsm__arena *arena;
  dsm__renaming *made;
} maker;

/* ---- words of roles ---- */

/* What words of roles are read with. */
typedef struct role_names {
  const char *names[DSM_AXES_MAX];
  unsigned count;
  dsm__made_words made;
  dsm__word *items; /* room for each value once noted */
  size_t *values;
  size_t capacity;
} role_names;

static const char *const letters[DSM_AXES_MAX] = {"x", "y", "z"};

const char *dsm__axis_name(const dsm_network *network, unsigned axis) {
  assert(axis < DSM_AXES_MAX);
  return network->topology == DSM_TOPOLOGY_AXES ? network->axes[axis].name : letters[axis];
}

/* The axis whose name begins a text up to "="; count if there is none. */
static unsigned axis_among(const char *const names[], unsigned count, const char *text) {
  const size_t length = strcspn(text, "=");
  unsigned a = 0;
  while (a < count && (text[length] != '=' || strlen(names[a]) != length ||
                       strncmp(text, names[a], length) != 0)) {
    a++;
  }
  return a;
}

/* By its name, or else by x, y and z. */
static unsigned axis_of(const role_names *of, const char *text) {
  const unsigned own = axis_among(of->names, of->count, text);
  return own < of->count ? own : axis_among(letters, of->count, text);
}

/* Writes what is wrong with an axis or a role in a text; false. */
static bool tell_wrong(char *why, size_t size, const char *what, const char *word, size_t length) {
  if (why != NULL) {
    (void)snprintf(why, size, "%s \"%.*s\"", what, (int)length, word);
  }
  return false;
}

/* "gpu=row,node=data": each axis at most once; those that are not there share the samples. */
static bool find_roles(const void *context, const char *key, size_t *value, char *why,
                       size_t why_size) {
  const role_names *const of = context;
  dsm_roles roles = {{DSM__ROLE_DEFAULT}};
  dsm_axis_set seen = 0;
  const char *rest = key;
  while (*rest != '\0') {
    const size_t name_length = strcspn(rest, "=");
    const unsigned axis = axis_of(of, rest);
    if (rest[name_length] != '=') {
      return false;
    }
    if (axis == of->count) {
      return tell_wrong(why, why_size, "there is no axis", rest, name_length);
    }
    if (dsm_axis_set_has(seen, axis)) {
      return tell_wrong(why, why_size, "more than one role along", rest, name_length);
    }
    rest += name_length + 1;
    const size_t length = strcspn(rest, ",");
    char word[32];
    if (length >= sizeof word || (rest[length] == ',' && rest[length + 1] == '\0')) {
      return false;
    }
    memcpy(word, rest, length);
    word[length] = '\0';
    if (!dsm_role_parse(word, &roles.of[axis])) {
      return tell_wrong(why, why_size, "there is no role", word, length);
    }
    seen |= 1U << axis;
    rest += length + (rest[length] == ',' ? 1 : 0);
  }
  *value = (size_t)dsm_parallelism_of(&roles, of->count);
  return seen != 0;
}

/* Roles that the table has, and another than data and model among them. */
static bool are_roles(size_t value) {
  dsm_roles roles = {{DSM__ROLE_DEFAULT}};
  if (value < DSM_PARALLELISM_OF_ROLES || value > (size_t)2 * DSM_PARALLELISM_OF_ROLES) {
    return false;
  }
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    roles.of[a] = dsm_parallelism_role((dsm_parallelism)value, a);
    if (roles.of[a] >= DSM_ROLE_COUNT) {
      return false;
    }
  }
  return (size_t)dsm_parallelism_of(&roles, DSM_AXES_MAX) == value;
}

static const role_names default_names = {.names = {"x", "y", "z"}, .count = DSM_AXES_MAX};
const dsm__made_words dsm__role_made_words = {
    .find = find_roles, .is_value = are_roles, .of = &default_names, .example = "x=column,y=data"};

static dsm_axes_word roles_word(const char *const names[], unsigned count,
                                dsm_parallelism parallelism) {
  dsm_axes_word word = {.text = ""};
  size_t used = 0;
  for (unsigned a = 0; a < count && used < sizeof word.text; a++) {
    const int wrote =
        snprintf(word.text + used, sizeof word.text - used, "%s%s=%s", a == 0 ? "" : ",", names[a],
                 dsm_role_name(dsm_parallelism_role(parallelism, a)));
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  return word;
}

/* Twice the room; what was there stays in the arena. */
static bool grow(role_names *of, dsm__arena *arena) {
  const size_t capacity = of->capacity == 0 ? 8 : 2 * of->capacity;
  dsm__word *const items = dsm__arena_array(arena, capacity, sizeof *items);
  size_t *const values = dsm__arena_array(arena, capacity, sizeof *values);
  if (items == NULL || values == NULL) {
    return false;
  }
  for (size_t i = 0; i < of->made.count; i++) {
    items[i] = of->items[i];
    values[i] = of->values[i];
  }
  of->items = items;
  of->values = values;
  of->capacity = capacity;
  return true;
}

bool dsm__note_parallelism(dsm__renaming *renaming, dsm_parallelism parallelism,
                           dsm__arena *arena) {
  role_names *const of = renaming->roles;
  for (size_t i = 0; i < of->made.count; i++) {
    if (of->made.values[i] == (size_t)parallelism) {
      return true;
    }
  }
  if (of->made.count == of->capacity && !grow(of, arena)) {
    return false;
  }
  const dsm_axes_word key = roles_word(of->names, of->count, parallelism);
  char brief[DSM_AXES_MAX + 1] = "";
  for (unsigned a = 0; a < of->count; a++) {
    brief[a] = dsm__word_brief(&dsm__role_words, dsm_parallelism_role(parallelism, a))[0];
  }
  dsm__word *const word = &of->items[of->made.count];
  *word = (dsm__word){.key = dsm__arena_strdup(arena, key.text),
                      .brief = dsm__arena_strdup(arena, brief)};
  of->values[of->made.count] = (size_t)parallelism;
  of->made.items = of->items;
  of->made.values = of->values;
  of->made.count++;
  return word->key != NULL && word->brief != NULL;
}

/* ---- words with names of axes ---- */

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

/* What the link of the cores is called in place of its kind; NULL: nothing. */
static const char *label_of(const dsm_chip *chip) {
#define LABEL(name, word) [DSM_INTERCONNECT_LABEL_##name] = (word),
  static const char *const labels[DSM_INTERCONNECT_LABEL_COUNT] = {DSM_INTERCONNECT_LABELS(LABEL)};
  return chip == NULL ? NULL : labels[chip->interconnect_label];
}

/* "link_node": of links and of bounds, which both have a run of words for the axes and for what
 * joins the cores. */
static bool add_links(const maker *of, const dsm__words *words, size_t first) {
  dsm__word *const items = begin_list(of, words, words->count);
  const char *const label = label_of(of->chip);
  if (items != NULL && label != NULL) {
    items[first + dsm__core_links_derive(of->chip).link].key = label;
  }
  for (unsigned a = 0; items != NULL && of->are_named && a < of->count; a++) {
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

/* Lists for axes with names, and for cores that something with a label joins. */
static bool add_lists(const maker *of) {
  const bool has_links = of->are_named || label_of(of->chip) != NULL;
  return (!of->are_named || (add_parallelisms(of) && add_moves(of))) &&
         (!has_links || (add_links(of, &dsm__link_words, DSM_LINK_AXIS) &&
                         add_links(of, &dsm__bound_words, DSM_BOUND_AXIS)));
}

/* The list of parallelisms has words of roles too, whether axes have names or are x, y and z. */
static bool add_roles(const maker *of) {
  role_names *const roles = dsm__arena_alloc(of->arena, sizeof *roles);
  dsm__renaming *const made = of->made;
  if (roles == NULL) {
    return false;
  }
  const dsm_roles roles_of_example = {{DSM__ROLE_EXAMPLE}};
  const dsm_axes_word example =
      roles_word(of->names, of->count, dsm_parallelism_of(&roles_of_example, of->count));
  const char *const kept = dsm__arena_strdup(of->arena, example.text);
  *roles = (role_names){.count = of->count};
  for (unsigned a = 0; a < of->count; a++) {
    roles->names[a] = of->names[a];
  }
  roles->made =
      (dsm__made_words){.find = find_roles, .is_value = are_roles, .of = roles, .example = kept};
  made->roles = roles;
  for (size_t i = 0; i < made->count; i++) {
    if (made->lists[i].of == &dsm__parallelism_words) {
      made->lists[i].are.made = &roles->made;
      return kept != NULL;
    }
  }
  made->lists[made->count].of = &dsm__parallelism_words;
  made->lists[made->count].are = dsm__parallelism_words;
  made->lists[made->count].are.made = &roles->made;
  made->count++;
  return kept != NULL;
}

dsm__renaming *dsm__axis_words(const char *const names[DSM_AXES_MAX], unsigned count,
                               bool are_named, const dsm_chip *chip, dsm__arena *arena) {
  const maker of = {names, count, are_named,
                    chip,  arena, dsm__arena_alloc(arena, sizeof(dsm__renaming))};
  if (of.made == NULL) {
    return NULL;
  }
  *of.made = (dsm__renaming){.has_names = are_named};
  return add_lists(&of) && add_roles(&of) ? of.made : NULL;
}

dsm__renaming *dsm__axis_words_copy(const dsm__renaming *of, dsm__arena *arena) {
  if (of == NULL) {
    return dsm__axis_words(letters, DSM_AXES_MAX, false, NULL, arena);
  }
  dsm__renaming *const copy = dsm__arena_alloc(arena, sizeof *copy);
  role_names *const roles = dsm__arena_alloc(arena, sizeof *roles);
  if (copy == NULL || roles == NULL) {
    return NULL;
  }
  *copy = *of;
  *roles = *(const role_names *)of->roles;
  roles->capacity = roles->made.count; /* what follows goes to room of its own */
  roles->made.of = roles;
  copy->roles = roles;
  for (size_t i = 0; i < copy->count; i++) {
    if (copy->lists[i].of == &dsm__parallelism_words) {
      copy->lists[i].are.made = &roles->made;
    }
  }
  return copy;
}

/* False if one has none, as a reader has told. */
static bool names_of(const dsm_network *network, const char *names[DSM_AXES_MAX]) {
  for (unsigned a = 0; a < network->axis_count; a++) {
    names[a] = dsm__axis_name(network, a);
    if (names[a] == NULL) {
      return false;
    }
  }
  return true;
}

bool dsm__system_words(const dsm_system *system, dsm__arena *arena, dsm__renaming **renaming) {
  const dsm_network *const network = &system->system;
  const char *names[DSM_AXES_MAX] = {NULL};
  *renaming = NULL;
  if (!names_of(network, names)) {
    return true;
  }
  *renaming = dsm__axis_words(names, network->axis_count, network->topology == DSM_TOPOLOGY_AXES,
                              &system->chip, arena);
  return *renaming != NULL;
}

dsm_axes_word dsm_system_parallelism_name(const dsm_system *system, dsm_parallelism parallelism) {
  const char *names[DSM_AXES_MAX] = {NULL};
  (void)names_of(&system->system, names);
  if (dsm_parallelism_has_roles(parallelism)) {
    return roles_word(names, system->system.axis_count, parallelism);
  }
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
  role_names roles = {.count = system->system.axis_count};
  size_t value = 0;
  if (names_of(&system->system, roles.names) && find_roles(&roles, text, &value, NULL, 0)) {
    *parallelism = (dsm_parallelism)value;
    return true;
  }
  return dsm_parallelism_parse(text, parallelism);
}
