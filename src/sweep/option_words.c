/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/option_words.h"

#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "model/names.h"
#include "plan/plan_internal.h"

const dsm__sweep_option dsm__sweep_options[] = {
    [DSM__OPTION_MODE] = {.key = "mode",
                          .words = &dsm__mode_words,
                          .offset = offsetof(dsm_explore_options, mode)},
    [DSM__OPTION_OPTIMIZE] = {.key = "optimize",
                              .words = &dsm__optimization_words,
                              .is_set = true,
                              .all = DSM_OPTIMIZATION_ALL,
                              .may_be_none = true,
                              .offset = offsetof(dsm_explore_options, optimizations)},
    [DSM__OPTION_PARALLELISM] = {.key = "parallelism",
                                 .words = &dsm__parallelism_words,
                                 .is_set = true,
                                 .all = DSM_PARALLELISM_ALL,
                                 .offset = offsetof(dsm_explore_options, parallelisms)},
};

static unsigned all_of(const dsm__sweep_option *option) {
  return option->all;
}

/* "all", "none" or words; false with the word at fault. */
static bool parse_set(const dsm__sweep_option *option, const char *text, unsigned *set,
                      char wrong[DSM__OPTION_WORD_SIZE]) {
  const bool is_all = strcmp(text, "all") == 0;
  *set = is_all ? all_of(option) : 0;
  if (is_all || (option->may_be_none && strcmp(text, "none") == 0)) {
    return true;
  }
  for (const char *word = text;; word++) {
    size_t bit = 0;
    const size_t length = strcspn(word, "+");
    (void)snprintf(wrong, DSM__OPTION_WORD_SIZE, "%.*s",
                   (int)(length < DSM__OPTION_WORD_SIZE ? length : DSM__OPTION_WORD_SIZE), word);
    if (!dsm__words_find_listed(option->words, wrong, &bit) || (*set & 1U << bit) != 0) {
      return false;
    }
    *set |= 1U << bit;
    word += length;
    if (*word == '\0') {
      return true;
    }
  }
}

bool dsm__sweep_option_parse(const dsm__sweep_option *option, const char *text,
                             dsm_explore_options *options, char wrong[DSM__OPTION_WORD_SIZE]) {
  char word[DSM__OPTION_WORD_SIZE];
  char *const at_fault = wrong == NULL ? word : wrong;
  unsigned value = 0;
  size_t index = 0;
  bool is_good = false;
  if (option->is_set) {
    is_good = parse_set(option, text, &value, at_fault);
  } else {
    (void)snprintf(at_fault, DSM__OPTION_WORD_SIZE, "%s", text);
    is_good = dsm__words_find(option->words, text, &index);
    value = (unsigned)index;
  }
  if (is_good) {
    memcpy((unsigned char *)options + option->offset, &value, sizeof value);
  }
  return is_good;
}

dsm__words_text dsm__sweep_option_text(const dsm__sweep_option *option,
                                       const dsm_explore_options *options) {
  unsigned value;
  memcpy(&value, (const unsigned char *)options + option->offset, sizeof value);
  if (option->is_set && (value == all_of(option) || (value == 0 && option->may_be_none))) {
    return value == 0 ? (dsm__words_text){.text = "none"} : (dsm__words_text){.text = "all"};
  }
  return dsm__words_join(option->words, option->is_set ? value : 1U << value, "+");
}

const char *dsm__override_text(const char *json, const char *text) {
  dsm__json_flaw flaw;
  const bool is_string = json[0] == '"';
  const bool is_plain = is_string && text[0] != '\0' && strchr("\"[{", text[0]) == NULL &&
                        !dsm__json_text_check(text, strlen(text), &flaw);
  return is_plain ? text : json;
}
