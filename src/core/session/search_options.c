/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/search_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/record.h"
#include "dsm/check.h"
#include "dsm/limits.h"
#include "dsm/number.h"
#include "sweep/option_words.h"

#define THREADS_MAX 256
#define SECONDS_MAX 31536000 /* a year */
#define MEMORY_MAX 1e9       /* GB */

static DSM_WORDS_AT(mode_word, dsm_mode, DSM_MODE_COUNT);
static DSM_WORDS_AT(recomputation_word, dsm_recomputation, DSM_RECOMPUTATION_COUNT);
static DSM_WORDS_AT(stages_at_word, dsm_stages_at, DSM_STAGES_AT_COUNT);
static DSM_WORDS_AT(schedule_word, dsm_schedule, DSM_SCHEDULE_COUNT);
static DSM_WORDS_AT(shard_level_word, dsm_shard_level, DSM_SHARD_LEVEL_COUNT);
static DSM_WORDS_AT(aim_word, dsm_aim, DSM_AIM_COUNT);
static DSM_WORDS_AT(framework_word, dsm_as_run_by, DSM_AS_RUN_BY_COUNT);

/* The member, which must be of a type. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */
#define PLACE(member, type)                                                                        \
  .place = _Generic(((dsm_explore_options *)NULL)->member, type                                    \
                    : offsetof(dsm_explore_options, member))
/* NOLINTEND(bugprone-macro-parentheses) */
#define COUNT(member, type, maximum)                                                               \
  .reading = DSM_SEARCH_COUNT, PLACE(member, type), .least = 1, .most = (maximum)
#define NUMBER(member, maximum)                                                                    \
  .reading = DSM_SEARCH_NUMBER, PLACE(member, double), .most = (maximum)
#define WORD(member, words) .reading = DSM_SEARCH_WORD, PLACE(member, unsigned), .word = (words)

static const dsm_search_option options[] = {
    {.name = "mode", WORD(mode, mode_word)},
    {.name = "optimize", .reading = DSM_SEARCH_WORDS, PLACE(optimizations, unsigned)},
    {.name = "parallelism", .reading = DSM_SEARCH_WORDS, PLACE(parallelisms, unsigned)},
    {.name = "time-limit", NUMBER(time_limit_seconds, SECONDS_MAX)},
    {.name = "memory-limit", NUMBER(memory_limit_GB, MEMORY_MAX)},
    {.name = "gap", .reading = DSM_SEARCH_RATIO, PLACE(gap, double)},
    {.name = "stages", COUNT(stages, uint64_t, DSM_CHIPS_MAX)},
    {.name = "micro-batches", COUNT(micro_batches, uint64_t, DSM_DIMENSION_MAX)},
    {.name = "interleave", COUNT(interleave, uint64_t, DSM_INTERLEAVE_MAX)},
    {.name = "stages-at", WORD(stages_at, stages_at_word)},
    {.name = "schedule", WORD(schedule, schedule_word)},
    {.name = "recompute", WORD(recomputation, recomputation_word)},
    {.name = "shard", WORD(shard_level, shard_level_word)},
    {.name = "as-run-by", WORD(as_run_by, framework_word)},
    {.name = "objective", WORD(aim, aim_word)},
    {.name = "power-cap", NUMBER(power_cap_watts, DSM_WATTS_MAX)},
    {.name = "threads", COUNT(thread_count, size_t, THREADS_MAX)},
};

const dsm_search_option *dsm_search_option_get(size_t index) {
  return index < DSM__COUNT_OF(options) ? &options[index] : NULL;
}

const dsm_search_option *dsm_search_option_find(const char *name) {
  size_t i = 0;
  while (i < DSM__COUNT_OF(options) && strcmp(options[i].name, name) != 0) {
    i++;
  }
  return dsm_search_option_get(i);
}

/* ---- reading ---- */

static dsm_status refuse(const dsm_search_option *option, const char *expected, const char *value,
                         dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_USAGE, "%s: expected %s, found '%.200s'", option->name,
                     expected, value);
}

static dsm_status read_word(void *place, const dsm_search_option *option, const char *value,
                            dsm_diags *diags) {
  char expected[128] = "";
  size_t used = 0;
  for (unsigned i = 0; option->word(i) != NULL; i++) {
    if (strcmp(option->word(i), value) == 0) {
      memcpy(place, &i, sizeof i);
      return DSM_OK;
    }
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                             i == 0                        ? ""
                             : option->word(i + 1) == NULL ? " or "
                                                           : ", ",
                             option->word(i));
  }
  return refuse(option, expected, value, diags);
}

/* As sweeps read them, where a + is between. */
static dsm_status read_words(dsm_explore_options *to, const dsm_search_option *option,
                             const char *value, dsm_diags *diags) {
  char text[DSM_TEXT_BYTES_MAX + 1];
  char wrong[DSM__OPTION_WORD_SIZE] = "";
  const dsm__sweep_option *words = dsm__sweep_options;
  while (strcmp(words->key, option->name) != 0) {
    words++;
  }
  const int length = snprintf(text, sizeof text, "%s", value);
  if (length < 0 || (size_t)length >= sizeof text) {
    return refuse(option, "a shorter list", value, diags);
  }
  for (char *at = strchr(text, ','); at != NULL; at = strchr(at, ',')) {
    *at = '+';
  }
  return dsm__sweep_option_parse(words, text, to, wrong)
             ? DSM_OK
             : refuse(option, words->words->what, wrong[0] == '\0' ? value : wrong, diags);
}

static dsm_status read_number(void *place, const dsm_search_option *option, const char *value,
                              dsm_diags *diags) {
  const bool is_count = option->reading == DSM_SEARCH_COUNT;
  char expected[96];
  double number = 0;
  (void)snprintf(expected, sizeof expected,
                 is_count ? "a whole number from %.0f to %.0f" : "a number from %.9g to %.9g",
                 option->least, option->most);
  if (!dsm_number_parse(value, option->least, option->most, &number) ||
      (is_count && number != floor(number))) {
    return refuse(option, expected, value, diags);
  }
  const uint64_t count = (uint64_t)number;
  memcpy(place, is_count ? (const void *)&count : &number, sizeof number);
  return DSM_OK;
}

static dsm_status read_ratio(double *place, const dsm_search_option *option, const char *value,
                             dsm_diags *diags) {
  double ratio = 0;
  if (!dsm_tolerance_parse(value, &ratio) || ratio >= 1) {
    return refuse(option, "a ratio from 0 to below 1 or a percentage from 0% to below 100%", value,
                  diags);
  }
  *place = ratio;
  return DSM_OK;
}

dsm_status dsm_search_option_set(dsm_explore_options *to, const dsm_search_option *option,
                                 const char *value, dsm_diags *diags) {
  void *const place = (unsigned char *)to + option->place;
  switch (option->reading) {
  case DSM_SEARCH_WORD:
    return read_word(place, option, value, diags);
  case DSM_SEARCH_WORDS:
    return read_words(to, option, value, diags);
  case DSM_SEARCH_COUNT:
  case DSM_SEARCH_NUMBER:
    return read_number(place, option, value, diags);
  case DSM_SEARCH_RATIO:
    break;
  }
  return read_ratio(place, option, value, diags);
}
