/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/option_words.h"

#include <stdio.h>
#include <string.h>

#include "model/names.h"
#include "plan/plan_internal.h"

const dsm__option_words dsm__optimize_option = {&dsm__optimization_words, true};
const dsm__option_words dsm__parallelism_option = {&dsm__parallelism_words, false};

static unsigned all_of(const dsm__option_words *option) {
  return (1U << option->words->count) - 1U;
}

bool dsm__option_words_parse(const dsm__option_words *option, const char *text, unsigned *set,
                             char wrong[DSM__OPTION_WORD_SIZE]) {
  const bool is_all = strcmp(text, "all") == 0;
  if (is_all || (option->may_be_none && strcmp(text, "none") == 0)) {
    *set = is_all ? all_of(option) : 0;
    return true;
  }
  unsigned found = 0;
  for (const char *word = text;; word++) {
    char key[DSM__OPTION_WORD_SIZE];
    size_t bit = 0;
    const size_t length = strcspn(word, "+");
    (void)snprintf(key, sizeof key, "%.*s", (int)(length < sizeof key ? length : sizeof key), word);
    if (!dsm__words_find(option->words, key, &bit) || (found & 1U << bit) != 0) {
      if (wrong != NULL) {
        memcpy(wrong, key, sizeof key);
      }
      return false;
    }
    found |= 1U << bit;
    word += length;
    if (*word == '\0') {
      *set = found;
      return true;
    }
  }
}

dsm__words_text dsm__option_words_text(const dsm__option_words *option, unsigned set) {
  if (set == all_of(option)) {
    return (dsm__words_text){.text = "all"};
  }
  return set == 0 && option->may_be_none ? (dsm__words_text){.text = "none"}
                                         : dsm__words_join(option->words, set, "+");
}
