/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/option_values.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"

/* ---- words ---- */

/* Words of several optimisations, or of none, come before the optimisations themselves. */
enum { WORD_NONE = 0, WORD_ALL, WORD_EVERYTHING, WORD_FIRST_OPTIMIZATION };

const char *cli_optimization_word(size_t index) {
  static const char *const keywords[] = {
      [WORD_NONE] = "none", [WORD_ALL] = "all", [WORD_EVERYTHING] = "everything"};
  if (index < WORD_FIRST_OPTIMIZATION) {
    return keywords[index];
  }
  const size_t optimization = index - WORD_FIRST_OPTIMIZATION;
  return optimization < DSM_OPTIMIZATION_COUNT
             ? dsm_optimization_name((dsm_optimization)optimization)
             : NULL;
}

void cli_optimization_help(char *text, size_t size) {
  static const char *const titles[] = {
      ". The word all stands for: ", ". Where the system's model.search is all, also for: ",
      (". Used only if named, or but for divide with everything (hoist also where the system's "
       "model.search_hoist is true): ")};
  size_t used = 0;
  for (unsigned group = 0; group < sizeof titles / sizeof *titles; group++) {
    const char *before = titles[group];
    for (unsigned i = 0; i < DSM_OPTIMIZATION_COUNT && used < size; i++) {
      const dsm_strategy *const strategy = dsm_strategy_of((dsm_optimization)i);
      const unsigned group_of = !strategy->is_named_only ? 0 : strategy->is_of_all_roles ? 1 : 2;
      if (group_of == group) {
        used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", before, strategy->word,
                                 strategy->help);
        before = ", ";
      }
    }
  }
  char excluded[512];
  dsm_strategy_exclusions(excluded, sizeof excluded);
  if (used < size) {
    (void)snprintf(text + used, size - used, ". Excluded: %s", excluded);
  }
}

/* Parallelisms, "all", and the roles that no parallelism of all axes is called by. */
enum { WORD_ALL_PARALLELISMS = DSM_PARALLELISM_COUNT, WORD_FIRST_ROLE };

const char *cli_parallelism_word(size_t index) {
  if (index < WORD_FIRST_ROLE) {
    return index == WORD_ALL_PARALLELISMS ? "all" : dsm_parallelism_name((dsm_parallelism)index);
  }
  size_t before = index - WORD_FIRST_ROLE;
  for (unsigned r = 0; r < DSM_ROLE_COUNT; r++) {
    const bool is_parallelism = r == (unsigned)dsm_parallelism_role(DSM_PARALLELISM_DATA, 0) ||
                                r == (unsigned)dsm_parallelism_role(DSM_PARALLELISM_MODEL, 0);
    if (!is_parallelism && before-- == 0) {
      return dsm_role_name((dsm_role)r);
    }
  }
  return NULL;
}

static const char *const format_words[] = {[DSM_FORM_TABLE] = "table",
                                           [DSM_FORM_JSON] = "json",
                                           [DSM_FORM_CSV] = "csv",
                                           [DSM_FORM_JUNIT] = "junit"};

DSM_WORDS_AT(cli_phase_word, dsm_phase, DSM_PHASE_COUNT);

const char *cli_check_format_word(size_t index) {
  return index <= DSM_FORM_JUNIT ? format_words[index] : NULL;
}

/* The formats of all commands. */
const char *cli_format_word(size_t index) {
  return index < DSM_FORM_JUNIT ? format_words[index] : NULL;
}

const char *cli_formats_word(size_t index) {
  return index == 0 ? format_words[DSM_FORM_JSON] : NULL;
}

const char *cli_color_word(size_t index) {
  static const char *const words[] = {
      [CLI_COLOR_AUTO] = "auto", [CLI_COLOR_ALWAYS] = "always", [CLI_COLOR_NEVER] = "never"};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

DSM_WORDS_AT(cli_record_word, dsm_record, DSM_RECORD_COUNT);
DSM_WORDS_AT(cli_plan_figure_word, dsm_plan_figure, DSM_PLAN_FIGURE_COUNT);

const char *cli_figure_word(size_t index) {
  const size_t other = index - DSM_PLAN_FIGURE_COUNT;
  return index < DSM_PLAN_FIGURE_COUNT     ? cli_plan_figure_word(index)
         : other < DSM_POINTS_FIGURE_COUNT ? dsm_points_figure_name((dsm_points_figure)other)
                                           : cli_companion_figure(other - DSM_POINTS_FIGURE_COUNT);
}

const char *cli_log_axis_word(size_t index) {
  static const char *const words[] = {"x", "y"};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

/* Says that a word is none of the option's. */
static cli_exit complain_of_word(const cli_arguments *arguments, const cli_option *option,
                                 const char *word) {
  char expected[512] = "";
  size_t used = 0;
  for (size_t i = 0; option->word(i) != NULL; i++) {
    const char *const last = option->is_list ? ", " : " or ";
    const char *const before = i == 0 ? "" : option->word(i + 1) == NULL ? last : ", ";
    const int wrote =
        snprintf(expected + used, sizeof expected - used, "%s%s", before, option->word(i));
    if (wrote > 0 && (size_t)wrote < sizeof expected - used) {
      used += (size_t)wrote;
    }
  }
  char typed[192];
  (void)snprintf(typed, sizeof typed, "%s %s", option->name, word);
  const char *const foreign = cli_foreign_hint(typed);
  return cli_usage_error(arguments->command, "--%s: expected %s%s, found '%s'%s%s%s", option->name,
                         option->is_list ? "some of " : "", expected, word,
                         foreign == NULL ? cli_did_you_mean_word(word, option->word).text : " (",
                         foreign == NULL ? "" : foreign, foreign == NULL ? "" : ")");
}

/* Finds text[0 .. length) among the option's words; prints and returns false if it is none. */
static bool find_word(const cli_arguments *arguments, const cli_option *option, const char *text,
                      size_t length, unsigned *index) {
  for (size_t i = 0; option->word(i) != NULL; i++) {
    if (strlen(option->word(i)) == length && memcmp(option->word(i), text, length) == 0) {
      *index = (unsigned)i;
      return true;
    }
  }
  char word[128];
  (void)snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
  (void)complain_of_word(arguments, option, word);
  return false;
}

/* Reads a list of the option's words, separated by commas, into a set of bits; prints and returns
 * false if one is none. */
static bool find_words(const cli_arguments *arguments, const cli_option *option, const char *text,
                       unsigned *set) {
  *set = 0;
  for (const char *at = text;; at++) {
    const size_t length = strcspn(at, ",");
    unsigned index;
    if (!find_word(arguments, option, at, length, &index)) {
      return false;
    }
    *set |= 1U << index;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

/* ---- values ---- */

bool cli_parse_size(const char *text, size_t min, size_t max, size_t *value) {
  size_t result = 0;
  size_t at = 0;
  for (; text[at] >= '0' && text[at] <= '9'; at++) {
    const size_t digit = (size_t)(text[at] - '0');
    if (result > (SIZE_MAX - digit) / 10) {
      return false;
    }
    result = 10 * result + digit;
  }
  if (at == 0 || text[at] != '\0' || result < min || result > max) {
    return false;
  }
  *value = result;
  return true;
}

static cli_exit refuse(const cli_arguments *arguments, const cli_option *option,
                       const char *expected, const char *value) {
  return cli_usage_error(arguments->command, "--%s: expected %s, found '%s'", option->name,
                         expected, value);
}

static cli_exit take_number(const cli_arguments *arguments, const cli_option *option,
                            const char *value, void *place) {
  char expected[96];
  if (option->reading == CLI_READ_COUNT) {
    (void)snprintf(expected, sizeof expected, "a whole number from 1 to %.0f", option->max);
    return cli_parse_size(value, 1, (size_t)option->max, place)
               ? CLI_EXIT_DONE
               : refuse(arguments, option, expected, value);
  }
  (void)snprintf(expected, sizeof expected, "a number from %.9g to %.9g", option->min, option->max);
  return dsm_number_parse(value, option->min, option->max, place)
             ? CLI_EXIT_DONE
             : refuse(arguments, option, expected, value);
}

static cli_exit take_ratio(const cli_arguments *arguments, const cli_option *option,
                           const char *value, double *place) {
  const bool is_below = option->reading == CLI_READ_RATIO_BELOW;
  double ratio = 0;
  if (dsm_tolerance_parse(value, &ratio) && (!is_below || ratio < 1)) {
    *place = ratio;
    return CLI_EXIT_DONE;
  }
  return refuse(arguments, option,
                is_below ? "a ratio from 0 to below 1 or a percentage from 0% to below 100%"
                         : "a ratio from 0 to 1 or a percentage from 0% to 100%",
                value);
}

static cli_exit take_word(const cli_arguments *arguments, const cli_option *option, char *value,
                          unsigned *place) {
  const bool is_found = option->reading == CLI_READ_WORDS
                            ? find_words(arguments, option, value, place)
                            : find_word(arguments, option, value, strlen(value), place);
  return is_found ? CLI_EXIT_DONE : CLI_EXIT_USAGE;
}

static cli_exit take_text(const cli_arguments *arguments, const cli_option *option, char *value,
                          const char **place) {
  const bool is_empty = value[0] == '\0';
  const bool is_stream = strcmp(value, "-") == 0;
  if (is_empty && option->reading == CLI_READ_NAME) {
    return refuse(arguments, option, "a name", value);
  }
  if (is_empty && option->reading == CLI_READ_FOLDER) {
    return refuse(arguments, option, "the name of a folder", value);
  }
  if ((is_empty || is_stream) && option->reading == CLI_READ_FILE) {
    return refuse(arguments, option, "the name of a file", value);
  }
  *place = value;
  return CLI_EXIT_DONE;
}

const void *cli_value_of(const cli_arguments *arguments, const cli_option *option) {
  const void *const of = option->is_own ? arguments->own : arguments;
  return (const char *)of + option->place;
}

void *cli_place_of(cli_arguments *arguments, const cli_option *option) {
  return (char *)(option->is_own ? arguments->own : arguments) + option->place;
}

cli_exit cli_take_value(cli_arguments *arguments, const cli_option *option, char *value) {
  void *const place = cli_place_of(arguments, option);
  cli_texts *texts;
  unsigned index;
  switch (option->reading) {
  case CLI_READ_FLAG:
    *(bool *)place = true;
    return CLI_EXIT_DONE;
  case CLI_READ_TEXTS:
    texts = place;
    texts->items[texts->count++] = value;
    return CLI_EXIT_DONE;
  case CLI_READ_WORD_AS_TEXT:
    *(const char **)place = value;
    return take_word(arguments, option, value, &index);
  case CLI_READ_WORD:
  case CLI_READ_WORDS:
    return take_word(arguments, option, value, place);
  case CLI_READ_COUNT:
  case CLI_READ_NUMBER:
    return take_number(arguments, option, value, place);
  case CLI_READ_RATIO:
  case CLI_READ_RATIO_BELOW:
    return take_ratio(arguments, option, value, place);
  case CLI_READ_OWN:
  case CLI_READ_OF_SEARCH: /* which no joined row is */
    return option->apply(arguments, option, value);
  case CLI_READ_TEXT:
  case CLI_READ_NAME:
  case CLI_READ_FOLDER:
  case CLI_READ_FILE:
    break;
  }
  return take_text(arguments, option, value, place);
}

/* ---- readers of their own ---- */

cli_exit cli_apply_optimize(cli_arguments *arguments, const cli_option *option, char *value) {
  unsigned words;
  if (!find_words(arguments, option, value, &words)) {
    return CLI_EXIT_USAGE;
  }
  const bool is_everything = (words & 1U << WORD_EVERYTHING) != 0;
  if ((words & 1U << WORD_NONE) != 0 && words != 1U << WORD_NONE) {
    return cli_usage_error(arguments->command, "--%s: 'none' stands alone, found '%s'",
                           option->name, value);
  }
  arguments->wants_all = is_everything || (words & 1U << WORD_ALL) != 0;
  arguments->named_optimizations = words >> WORD_FIRST_OPTIMIZATION;
  arguments->asked_optimizations =
      arguments->named_optimizations | (is_everything          ? DSM_OPTIMIZATION_EVERYTHING
                                        : arguments->wants_all ? DSM_OPTIMIZATION_ALL
                                                               : 0);
  return CLI_EXIT_DONE;
}

/* ---- parallelisms and roles ---- */

/* Items of a list. */
typedef struct parallelism_list {
  dsm_parallelism_set words;
  dsm_role_set any;                   /* roles along any axis */
  dsm_role_set of_axes[DSM_AXES_MAX]; /* and along one */
} parallelism_list;

static cli_exit take_list(cli_arguments *arguments, const parallelism_list *list) {
  return dsm_options_allow(&arguments->options, list->words, list->any, list->of_axes)
             ? CLI_EXIT_DONE
             : cli_usage_error(arguments->command,
                               "--parallelism: beside roles of axes, parallelisms are named as "
                               "roles too, such as x=data,y=model for data_x_model_y");
}

static DSM_WORDS_AT(role_word, dsm_role, DSM_ROLE_COUNT);

/* Says that a word is none of the parallelisms and roles of a system. */
static cli_exit complain_of_axis_word(const cli_arguments *arguments, const dsm_system *system,
                                      const char *word) {
  const dsm_network *const network = &system->system;
  const char *const equals = strchr(word, '=');
  dsm_role role;
  const bool is_role_wrong = equals != NULL && !dsm_role_parse(equals + 1, &role);
  char expected[(DSM_PARALLELISM_COUNT + DSM_AXES_MAX) * (sizeof(dsm_axes_word) + 4)] = "";
  size_t used = 0;
  for (unsigned a = 0; equals != NULL && a < network->axis_count; a++) {
    const int wrote = snprintf(expected + used, sizeof expected - used, "%s%s=ROLE",
                               a == 0 ? "" : ", ", network->axes[a].name);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  for (int p = 0; equals == NULL && p < DSM_PARALLELISM_COUNT_OF(network->axis_count); p++) {
    const dsm_axes_word one = dsm_system_parallelism_name(system, (dsm_parallelism)p);
    const int wrote =
        snprintf(expected + used, sizeof expected - used, "%s%s", p == 0 ? "" : ", ", one.text);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
  return cli_usage_error(
      arguments->command, "--parallelism: expected some of %s on %s, found '%s'%s", expected,
      system->name, word, is_role_wrong ? cli_did_you_mean_word(equals + 1, role_word).text : "");
}

/* Is there a word in a list that begins as one with names of axes does, and is not one for all
 * systems? */
static bool has_axis_word(const char *list) {
  for (const char *at = list; *at != '\0'; at += strcspn(at, ",") + (strchr(at, ',') != NULL)) {
    char word[sizeof(dsm_axes_word)];
    dsm_parallelism known;
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    if (strchr(word, '=') != NULL ||
        ((strncmp(word, "data_", 5) == 0 || strncmp(word, "model_", 6) == 0) &&
         !dsm_parallelism_parse(word, &known))) {
      return true;
    }
  }
  return false;
}

cli_exit cli_apply_parallelism(cli_arguments *arguments, const cli_option *option, char *value) {
  static const unsigned all = 1U << WORD_ALL_PARALLELISMS;
  unsigned words;
  const cli_command *const command = arguments->command;
  if ((command->bit == CLI_EXPLORE || (command->shares & (CLI_SEARCHES | CLI_SPLITS)) != 0) &&
      has_axis_word(value)) {
    arguments->axis_words = value;
    return CLI_EXIT_DONE;
  }
  arguments->axis_words = NULL;
  if (!find_words(arguments, option, value, &words)) {
    return CLI_EXIT_USAGE;
  }
  if ((words & all) != 0 && words != all) {
    return cli_usage_error(arguments->command, "--%s: 'all' stands alone, found '%s'", option->name,
                           value);
  }
  parallelism_list list = {.words =
                               words == all ? DSM_PARALLELISM_ALL : words & DSM_PARALLELISM_ALL};
  for (size_t w = WORD_FIRST_ROLE; cli_parallelism_word(w) != NULL; w++) {
    if ((words >> w & 1U) != 0) {
      (void)dsm_named_role_parse(NULL, cli_parallelism_word(w), &list.any, list.of_axes);
    }
  }
  return take_list(arguments, &list);
}

cli_exit cli_settle_options(cli_arguments *arguments, const dsm_system *system) {
  parallelism_list list = {0};
  if (arguments->wants_all) {
    arguments->options.optimizations |= dsm_system_optimizations(system, arguments->options.mode);
  }
  if (!arguments->has_optimizations && cli_is_given(arguments, "as-run-by")) {
    arguments->options.optimizations = dsm_as_run_by_optimizations(arguments->options.mode);
  }
  for (const char *at = arguments->axis_words; at != NULL;) {
    const size_t length = strcspn(at, ",");
    char word[sizeof(dsm_axes_word)];
    dsm_parallelism parallelism;
    (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (length < sizeof word && strchr(word, '=') == NULL &&
        dsm_system_parallelism_parse(system, word, &parallelism)) {
      list.words |= DSM_PARALLELISM_BIT(parallelism);
    } else if (length >= sizeof word ||
               !dsm_named_role_parse(system, word, &list.any, list.of_axes)) {
      return complain_of_axis_word(arguments, system, word);
    }
    at = at[length] == ',' ? at + length + 1 : NULL;
  }
  return arguments->axis_words == NULL ? CLI_EXIT_DONE : take_list(arguments, &list);
}

cli_exit cli_apply_elasticity(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)value;
  if (arguments->elasticity != NULL && arguments->elasticity != option->name) {
    return cli_usage_error(arguments->command, "--%s and --%s exclude each other",
                           arguments->elasticity, option->name);
  }
  arguments->elasticity = option->name;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_shard(cli_arguments *arguments, const cli_option *option, char *value) {
  if (dsm_shard_parse(value, &arguments->sweep.shard)) {
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(arguments->command,
                         "--%s: expected K/N, whole numbers with 1 <= K <= N <= %d, found '%s'",
                         option->name, DSM_SWEEP_POINTS_MAX, value);
}

cli_exit cli_apply_format(cli_arguments *arguments, const cli_option *option, char *value) {
  unsigned index;
  if (option->word == cli_format_word && strcmp(value, format_words[DSM_FORM_JUNIT]) == 0) {
    return cli_usage_error(arguments->command, "--%s: '%s' is for check only", option->name, value);
  }
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->format = (dsm_form)index;
  return CLI_EXIT_DONE;
}
