/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/option_words.h"

#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number_text.h"
#include "model/names.h"
#include "plan/frameworks.h"
#include "plan/interleave.h"
#include "plan/keeping.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/recomputation.h"
#include "plan/segments.h"
#include "plan/step_energy.h"

const dsm__sweep_option dsm__sweep_options[] = {
    [DSM__OPTION_MODE] = {.key = "mode",
                          .words = &dsm__mode_words,
                          .offset = offsetof(dsm_explore_options, mode)},
    [DSM__OPTION_OPTIMIZE] = {.key = "optimize",
                              .words = &dsm__optimization_words,
                              .is_set = true,
                              .all = DSM_OPTIMIZATION_ALL,
                              .everything = DSM_OPTIMIZATION_EVERYTHING,
                              .may_be_none = true,
                              .offset = offsetof(dsm_explore_options, optimizations)},
    [DSM__OPTION_PARALLELISM] = {.key = "parallelism",
                                 .words = &dsm__parallelism_words,
                                 .is_set = true,
                                 .all = DSM_PARALLELISM_ALL,
                                 .has_roles = true,
                                 .offset = offsetof(dsm_explore_options, parallelisms)},
    [DSM__OPTION_AS_RUN_BY] = {.key = "as_run_by",
                               .words = &dsm__as_run_by_words,
                               .offset = offsetof(dsm_explore_options, as_run_by)},
    [DSM__OPTION_STAGES_AT] = {.key = "stages_at",
                               .words = &dsm__stages_at_words,
                               .offset = offsetof(dsm_explore_options, stages_at)},
    [DSM__OPTION_SCHEDULE] = {.key = "schedule",
                              .words = &dsm__schedule_words,
                              .offset = offsetof(dsm_explore_options, schedule)},
    [DSM__OPTION_RECOMPUTATION] = {.key = "recomputation",
                                   .words = &dsm__recomputation_words,
                                   .offset = offsetof(dsm_explore_options, recomputation)},
    [DSM__OPTION_SHARD_LEVEL] = {.key = "shard_level",
                                 .words = &dsm__shard_level_words,
                                 .offset = offsetof(dsm_explore_options, shard_level)},
    [DSM__OPTION_OBJECTIVE] = {.key = "objective",
                               .words = &dsm__aim_words,
                               .offset = offsetof(dsm_explore_options, aim)},
    [DSM__OPTION_POWER_CAP] = {.key = "power_cap_W",
                               .most = DSM_WATTS_MAX,
                               .offset = offsetof(dsm_explore_options, power_cap_watts)},
};

/* What a word of a set stands for; 0: it is none of them. */
static unsigned bits_of(const dsm__sweep_option *option, const char *word) {
  size_t bit = 0;
  return strcmp(word, "all") == 0                            ? option->all
         : strcmp(word, "everything") == 0                   ? option->everything
         : dsm__words_find_listed(option->words, word, &bit) ? 1U << bit
                                                             : 0;
}

/* "none", "all" or words; false with the word at fault. Where a set has everything, "all" and
 * "everything" are words among others, and others may be part of them. */
static bool parse_set(const dsm__sweep_option *option, const char *text, unsigned *set,
                      char wrong[DSM__OPTION_WORD_SIZE]) {
  unsigned named = 0;
  *set = 0;
  if (option->may_be_none && strcmp(text, "none") == 0) {
    return true;
  }
  for (const char *word = text;; word++) {
    const size_t length = strcspn(word, "+");
    (void)snprintf(wrong, DSM__OPTION_WORD_SIZE, "%.*s",
                   (int)(length < DSM__OPTION_WORD_SIZE ? length : DSM__OPTION_WORD_SIZE), word);
    const unsigned bits = bits_of(option, wrong);
    const bool is_one = (bits & (bits - 1)) == 0;
    const unsigned own = is_one ? bits : bits == option->all ? 1U << 31 : 1U << 30;
    if (bits == 0 || (named & own) != 0 ||
        (!is_one && option->everything == 0 && strchr(text, '+') != NULL)) {
      return false;
    }
    *set |= bits;
    named |= own;
    word += length;
    if (*word == '\0') {
      return true;
    }
  }
}

/* Roles, perhaps with data and model: "data+column", "x=column+y=data"; false with the item at
 * fault. */
static bool parse_roles(const char *text, dsm_explore_options *options,
                        char wrong[DSM__OPTION_WORD_SIZE]) {
  dsm_parallelism_set words = 0;
  dsm_role_set any = 0;
  dsm_role_set of_axes[DSM_AXES_MAX] = {0};
  for (const char *item = text;; item++) {
    const size_t length = strcspn(item, "+");
    size_t bit = 0;
    (void)snprintf(wrong, DSM__OPTION_WORD_SIZE, "%.*s",
                   (int)(length < DSM__OPTION_WORD_SIZE ? length : DSM__OPTION_WORD_SIZE), item);
    if (dsm__words_find_listed(&dsm__parallelism_words, wrong, &bit)) {
      words |= DSM_PARALLELISM_BIT(bit);
    } else if (!dsm_named_role_parse(NULL, wrong, &any, of_axes)) {
      return false;
    }
    item += length;
    if (*item == '\0') {
      return dsm_options_allow(options, words, any, of_axes);
    }
  }
}

static dsm__words_text roles_text(const dsm_explore_options *options) {
  const dsm_role_set words = dsm__word_roles();
  static const char letters[DSM_AXES_MAX] = {'x', 'y', 'z'};
  const dsm_role_set *const roles = options->roles;
  if (roles[0] == roles[1] && roles[0] == roles[2] && (roles[0] & ~words) != 0) {
    return dsm__words_join(&dsm__role_words, roles[0], "+");
  }
  dsm__words_text joined = {.text = ""};
  size_t used = 0;
  for (size_t i = 0; i < (size_t)DSM_AXES_MAX * DSM_ROLE_COUNT && used < sizeof joined.text; i++) {
    const size_t axis = i / DSM_ROLE_COUNT;
    const dsm_role role = (dsm_role)(i % DSM_ROLE_COUNT);
    const int wrote = (roles[axis] >> (unsigned)role & 1U) == 0
                          ? 0
                          : snprintf(joined.text + used, sizeof joined.text - used, "%s%c=%s",
                                     used == 0 ? "" : "+", letters[axis], dsm_role_name(role));
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  return joined;
}

bool dsm__sweep_option_parse(const dsm__sweep_option *option, const char *text,
                             dsm_explore_options *options, char wrong[DSM__OPTION_WORD_SIZE]) {
  char word[DSM__OPTION_WORD_SIZE];
  char *const at_fault = wrong == NULL ? word : wrong;
  unsigned value = 0;
  double number = 0;
  size_t index = 0;
  bool is_good = false;
  if (option->words == NULL) {
    is_good =
        dsm__text_to_double(text, strlen(text), &number) && number >= 0 && number <= option->most;
    memcpy((unsigned char *)options + option->offset, &number, is_good ? sizeof number : 0);
    return is_good;
  }
  if (option->is_set) {
    is_good = parse_set(option, text, &value, at_fault);
  } else {
    (void)snprintf(at_fault, DSM__OPTION_WORD_SIZE, "%s", text);
    is_good = dsm__words_find(option->words, text, &index);
    value = (unsigned)index;
  }
  if (is_good) {
    memset(options->roles, 0, option->has_roles ? sizeof options->roles : 0);
    memcpy((unsigned char *)options + option->offset, &value, sizeof value);
  }
  return is_good || (option->has_roles && parse_roles(text, options, at_fault));
}

dsm__words_text dsm__sweep_option_text(const dsm__sweep_option *option,
                                       const dsm_explore_options *options) {
  unsigned value;
  if (option->words == NULL) {
    double number;
    dsm__words_text text;
    memcpy(&number, (const unsigned char *)options + option->offset, sizeof number);
    (void)dsm__double_to_text(number, text.text);
    return text;
  }
  if (option->has_roles && dsm__has_named_roles(options)) {
    return roles_text(options);
  }
  memcpy(&value, (const unsigned char *)options + option->offset, sizeof value);
  if (option->is_set && value == 0 && option->may_be_none) {
    return (dsm__words_text){.text = "none"};
  }
  const bool has_all = option->is_set && (value & option->all) == option->all;
  const unsigned rest = !option->is_set ? 1U << value : has_all ? value & ~option->all : value;
  const dsm__words_text others = dsm__words_join(option->words, rest, "+");
  dsm__words_text joined = {.text = "all"};
  if (rest != 0) {
    (void)snprintf(joined.text, sizeof joined.text, "all+%.760s", others.text);
  }
  return has_all ? joined : others;
}

const char *dsm__override_text(const char *json, const char *text) {
  dsm__json_flaw flaw;
  const bool is_string = json[0] == '"';
  const bool is_plain = is_string && text[0] != '\0' && strchr("\"[{", text[0]) == NULL &&
                        !dsm__json_text_check(text, strlen(text), &flaw);
  return is_plain ? text : json;
}
