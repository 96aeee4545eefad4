/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/named_roles.h"

#include <string.h>

#include "model/role_row.h"
#include "plan/plan_internal.h"
#include "plan/role_rules.h"

#define BIT(role) (1U << (unsigned)(role))

dsm_role_set dsm__word_roles(void) {
  return dsm__roles_of(DSM_ROLE_GROUP_WORDS);
}

/* ---- as options have them ---- */

bool dsm_options_allow(dsm_explore_options *options, dsm_parallelism_set words, dsm_role_set any,
                       const dsm_role_set of_axes[DSM_AXES_MAX]) {
  static const dsm_parallelism_set uniform =
      DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) | DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  dsm_role_set named = any;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    named |= of_axes[a];
    options->roles[a] = 0;
  }
  options->parallelisms = named == 0 ? words : DSM_PARALLELISM_ALL;
  if (named == 0 || (words & ~uniform) != 0) {
    return named == 0;
  }
  for (int p = DSM_PARALLELISM_DATA; p <= DSM_PARALLELISM_MODEL; p++) {
    const bool is_word = (words & DSM_PARALLELISM_BIT(p)) != 0;
    any |= is_word ? BIT(dsm_parallelism_role((dsm_parallelism)p, 0)) : 0;
  }
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    options->roles[a] = any | of_axes[a];
  }
  return true;
}

/* The axis whose name is text[0 .. length): by its own, or else by x, y, z. */
static unsigned axis_of(const dsm_system *system, const char *text, size_t length) {
  static const char letters[] = "xyz";
  const unsigned count = system == NULL ? DSM_AXES_MAX : system->system.axis_count;
  for (unsigned a = 0; system != NULL && a < count; a++) {
    const char *const name = system->system.axes[a].name;
    if (name != NULL && strlen(name) == length && memcmp(name, text, length) == 0) {
      return a;
    }
  }
  const char *const letter = length == 1 ? memchr(letters, text[0], count) : NULL;
  return letter == NULL ? DSM_NO_AXIS : (unsigned)(letter - letters);
}

bool dsm_named_role_parse(const dsm_system *system, const char *text, dsm_role_set *any,
                          dsm_role_set of_axes[DSM_AXES_MAX]) {
  const char *const equals = strchr(text, '=');
  dsm_role role;
  if (!dsm_role_parse(equals == NULL ? text : equals + 1, &role)) {
    return false;
  }
  if (equals == NULL) {
    *any |= BIT(role);
    return true;
  }
  const unsigned axis = axis_of(system, text, (size_t)(equals - text));
  if (axis != DSM_NO_AXIS) {
    of_axes[axis] |= BIT(role);
  }
  return axis != DSM_NO_AXIS;
}

/* ---- what they leave ---- */

dsm_role_set dsm__named_roles(const dsm_explore_options *options) {
  dsm_role_set named = 0;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    named |= options->roles[a];
  }
  return named;
}

bool dsm__is_role_named(const dsm_explore_options *options, const dsm_system *system, unsigned axis,
                        dsm_role role) {
  const dsm_role_set named = options->roles[axis];
  return named == 0 || system->system.axes[axis].chips == 1 || (named & BIT(role)) != 0;
}

/* Where only some words are allowed and no roles are named, there are no others. */
static bool is_beside_words(const dsm_explore_options *options, const dsm_system *system,
                            dsm_parallelism parallelism) {
  return dsm_parallelism_has_roles(parallelism) && !dsm__has_named_roles(options) &&
         dsm__parallelisms_on(system, options->parallelisms) !=
             dsm__parallelisms_on(system, DSM_PARALLELISM_ALL);
}

bool dsm__are_roles_named(const dsm_explore_options *options, const dsm_system *system,
                          dsm_parallelism parallelism) {
  bool are = !is_beside_words(options, system, parallelism);
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    are = are && dsm__is_role_named(options, system, a, dsm_parallelism_role(parallelism, a));
  }
  return are;
}

dsm_role dsm__role_without_optimization(const dsm_explore_options *options) {
  const dsm_role_set named = dsm__named_roles(options);
  int role = 0;
  while (role < DSM_ROLE_COUNT &&
         ((named & BIT(role)) == 0 || dsm__may_have_role(options, (dsm_role)role))) {
    role++;
  }
  return (dsm_role)role;
}

bool dsm__can_have_named_roles(const dsm_layer *layer, const dsm_explore_options *options,
                               const dsm_system *system) {
  size_t ways = 1;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    ways *= DSM_ROLE_COUNT;
  }
  for (size_t way = 0; way < ways; way++) {
    dsm_roles roles = {{DSM__ROLE_DEFAULT}};
    bool is_good = true;
    size_t rest = way;
    for (unsigned a = 0; a < system->system.axis_count; a++, rest /= DSM_ROLE_COUNT) {
      roles.of[a] = (dsm_role)(rest % DSM_ROLE_COUNT);
      is_good = is_good && dsm__is_role_named(options, system, a, roles.of[a]) &&
                dsm__may_have_role(options, roles.of[a]);
    }
    const dsm_parallelism parallelism = dsm_parallelism_of(&roles, system->system.axis_count);
    if (is_good && dsm_parallelism_has_roles(parallelism) &&
        dsm__roles_why_not(layer, system, parallelism) == NULL) {
      return true;
    }
  }
  return false;
}
