/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/option_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/number.h"
#include "cli/run/complain.h"
#include "dsm/limits.h"

#define WORDS_MAX 16
#define THREADS_MAX 256

/* ---- words ---- */

const char *cli_mode_word(size_t index) {
  return index < DSM_MODE_COUNT ? dsm_mode_name((dsm_mode)index) : NULL;
}

/* "none" and "all" come before the optimisations themselves. */
enum { WORD_NONE = 0, WORD_ALL, WORD_FIRST_OPTIMIZATION };

const char *cli_optimization_word(size_t index) {
  if (index == WORD_NONE) {
    return "none";
  }
  if (index == WORD_ALL) {
    return "all";
  }
  const size_t optimization = index - WORD_FIRST_OPTIMIZATION;
  return optimization < DSM_OPTIMIZATION_COUNT
             ? dsm_optimization_name((dsm_optimization)optimization)
             : NULL;
}

const char *cli_parallelism_word(size_t index) {
  if (index == DSM_PARALLELISM_COUNT) {
    return "all";
  }
  return index < DSM_PARALLELISM_COUNT ? dsm_parallelism_name((dsm_parallelism)index) : NULL;
}

static const char *word_of(const char *const *words, size_t count, size_t index) {
  return index < count ? words[index] : NULL;
}

static const char *const format_words[] = {[CLI_FORMAT_TABLE] = "table",
                                           [CLI_FORMAT_JSON] = "json",
                                           [CLI_FORMAT_CSV] = "csv",
                                           [CLI_FORMAT_JUNIT] = "junit"};

const char *cli_check_format_word(size_t index) {
  return word_of(format_words, sizeof format_words / sizeof *format_words, index);
}

/* The formats of all commands. */
const char *cli_format_word(size_t index) {
  return word_of(format_words, CLI_FORMAT_JUNIT, index);
}

const char *cli_color_word(size_t index) {
  static const char *const words[] = {
      [CLI_COLOR_AUTO] = "auto", [CLI_COLOR_ALWAYS] = "always", [CLI_COLOR_NEVER] = "never"};
  return word_of(words, sizeof words / sizeof *words, index);
}

const char *cli_record_word(size_t index) {
  return index < DSM_RECORD_COUNT ? dsm_record_name((dsm_record)index) : NULL;
}

const char *cli_export_target_word(size_t index) {
  return index < DSM_EXPORT_TARGET_COUNT ? dsm_export_target_name((dsm_export_target)index) : NULL;
}

static size_t list_words(const cli_option *option, const char *words[WORDS_MAX]) {
  size_t count = 0;
  while (count < WORDS_MAX && option->word(count) != NULL) {
    words[count] = option->word(count);
    count++;
  }
  return count;
}

/* Says that a word is none of the option's. */
static void complain_of_word(const cli_arguments *arguments, const cli_option *option,
                             const char *word, const char *const *words, size_t count) {
  char expected[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const char *const last = option->is_list ? ", " : " or ";
    const char *const separator = i == 0 ? "" : i + 1 == count ? last : ", ";
    const int wrote =
        snprintf(expected + used, sizeof expected - used, "%s%s", separator, words[i]);
    if (wrote > 0 && (size_t)wrote < sizeof expected - used) {
      used += (size_t)wrote;
    }
  }
  (void)cli_usage_error(arguments->command, "--%s: expected %s%s, found '%s'%s", option->name,
                        option->is_list ? "some of " : "", expected, word,
                        cli_did_you_mean(word, words, count).text);
}

/* Finds text[0 .. length) among the option's words; prints and returns false if it is none. */
static bool find_word(const cli_arguments *arguments, const cli_option *option, const char *text,
                      size_t length, size_t *index) {
  const char *words[WORDS_MAX];
  const size_t count = list_words(option, words);
  for (size_t i = 0; i < count; i++) {
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
      *index = i;
      return true;
    }
  }
  char word[128];
  (void)snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
  complain_of_word(arguments, option, word, words, count);
  return false;
}

bool cli_find_word(const cli_arguments *arguments, const cli_option *option, const char *text,
                   size_t *index) {
  return find_word(arguments, option, text, strlen(text), index);
}

bool cli_find_words(const cli_arguments *arguments, const cli_option *option, const char *text,
                    unsigned *set) {
  *set = 0;
  for (const char *at = text;; at++) {
    const size_t length = strcspn(at, ",");
    size_t index;
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

/* ---- setters ---- */

cli_exit cli_apply_mode(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->options.mode = (dsm_mode)index;
  return CLI_EXIT_DONE;
}

/* Notes an override as PATH=VALUE; `owned` is freed with the arguments. */
static void record(cli_overrides *overrides, const char *text, char *owned) {
  overrides->texts[overrides->recorded_count] = owned;
  overrides->recorded[overrides->recorded_count++] = text;
}

cli_exit cli_apply_minibatch(cli_arguments *arguments, const cli_option *option, char *value) {
  static const char prefix[] = "workload.minibatch=";
  (void)option;
  const size_t size = sizeof prefix + strlen(value);
  char *const text = calloc(size, 1);
  if (text == NULL) {
    return cli_out_of_memory();
  }
  (void)snprintf(text, size, "%s%s", prefix, value);
  cli_overrides *const overrides = &arguments->overrides;
  overrides->workload[overrides->workload_count++] =
      (dsm_override){.path = "minibatch", .value = value, .origin = "--minibatch"};
  record(overrides, text, text);
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_optimize(cli_arguments *arguments, const cli_option *option, char *value) {
  unsigned words;
  if (!cli_find_words(arguments, option, value, &words)) {
    return CLI_EXIT_USAGE;
  }
  const bool is_none = words == 1U << WORD_NONE;
  const bool is_all = words == 1U << WORD_ALL;
  const bool has_keyword = (words & (1U << WORD_NONE | 1U << WORD_ALL)) != 0;
  if (has_keyword && !is_none && !is_all) {
    return cli_usage_error(arguments->command, "--%s: 'none' and 'all' stand alone, found '%s'",
                           option->name, value);
  }
  arguments->has_optimizations = true;
  arguments->wants_all = is_all;
  arguments->named_optimizations = is_all ? 0 : words >> WORD_FIRST_OPTIMIZATION;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_ladder(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->is_ladder = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_ladder_base(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->ladder_base = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_parallelism(cli_arguments *arguments, const cli_option *option, char *value) {
  const unsigned all = 1U << DSM_PARALLELISM_COUNT;
  unsigned words;
  if (!cli_find_words(arguments, option, value, &words)) {
    return CLI_EXIT_USAGE;
  }
  if ((words & all) != 0 && words != all) {
    return cli_usage_error(arguments->command, "--%s: 'all' stands alone, found '%s'", option->name,
                           value);
  }
  arguments->options.parallelisms = words == all ? DSM_PARALLELISM_ALL : words;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_explain(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->explain = value;
  return CLI_EXIT_DONE;
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

cli_exit cli_apply_tolerance(cli_arguments *arguments, const cli_option *option, char *value) {
  if (dsm_tolerance_parse(value, &arguments->tolerance)) {
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(arguments->command,
                         "--%s: expected a ratio from 0 to 1 or a percentage from 0%% to 100%%, "
                         "found '%s'",
                         option->name, value);
}

cli_exit cli_apply_all(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->row_limit = 0;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_strict(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->is_strict = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_workload(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->workload = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_system(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->system = value;
  return CLI_EXIT_DONE;
}

/* The inputs whose values --set changes, by the first part of the path. */
enum { ROOT_WORKLOAD = 0, ROOT_SYSTEM, ROOT_SERVER, ROOT_COUNT };

static const char *const root_names[ROOT_COUNT] = {
    [ROOT_WORKLOAD] = "workload", [ROOT_SYSTEM] = "system", [ROOT_SERVER] = "server"};

static bool has_root(const cli_command *command, size_t root) {
  switch (root) {
  case ROOT_SYSTEM:
    return command->bit != CLI_PARTITION;
  case ROOT_SERVER:
    return (command->bit & (CLI_PARTITION | CLI_DESCRIBE | CLI_VALIDATE)) != 0;
  default:
    return true;
  }
}

const char *cli_set_root(const cli_command *command, size_t index) {
  for (size_t root = 0; root < ROOT_COUNT; root++) {
    if (has_root(command, root) && index-- == 0) {
      return root_names[root];
    }
  }
  return NULL;
}

/* The root that a path begins with, of those that the command has; ROOT_COUNT: none. */
static size_t find_root(const cli_command *command, const char *path) {
  for (size_t root = 0; root < ROOT_COUNT; root++) {
    const size_t length = strlen(root_names[root]);
    if (has_root(command, root) && strncmp(path, root_names[root], length) == 0 &&
        path[length] == '.') {
      return root;
    }
  }
  return ROOT_COUNT;
}

static cli_exit complain_of_path(const cli_arguments *arguments, const cli_option *option,
                                 const char *value) {
  const bool has_system = has_root(arguments->command, ROOT_SYSTEM);
  const bool has_server = has_root(arguments->command, ROOT_SERVER);
  return cli_usage_error(arguments->command, "--%s: expected workload.PATH=VALUE%s%s, found '%s'",
                         option->name,
                         !has_system  ? ""
                         : has_server ? ", system.PATH=VALUE"
                                      : " or system.PATH=VALUE",
                         has_server ? " or server.PATH=VALUE" : "", value);
}

static void add_override(cli_overrides *overrides, size_t root, dsm_override made) {
  switch (root) {
  case ROOT_WORKLOAD:
    overrides->workload[overrides->workload_count++] = made;
    break;
  case ROOT_SYSTEM:
    overrides->system[overrides->system_count++] = made;
    break;
  default:
    overrides->server[overrides->server_count++] = made;
    break;
  }
}

cli_exit cli_apply_set(cli_arguments *arguments, const cli_option *option, char *value) {
  const size_t path_length = strcspn(value, "=");
  const size_t root = find_root(arguments->command, value);
  const size_t prefix_length = root == ROOT_COUNT ? 0 : strlen(root_names[root]) + 1;
  if (value[path_length] == '\0' || root == ROOT_COUNT || path_length <= prefix_length) {
    return complain_of_path(arguments, option, value);
  }
  static const char option_text[] = "--set ";
  const size_t option_length = sizeof option_text - 1;
  char *const origin = calloc(option_length + path_length + 1, 1);
  if (origin == NULL) {
    return cli_out_of_memory();
  }
  memcpy(origin, option_text, option_length);
  memcpy(origin + option_length, value, path_length);
  add_override(&arguments->overrides, root,
               (dsm_override){.path = origin + option_length + prefix_length,
                              .value = value + path_length + 1,
                              .origin = origin});
  record(&arguments->overrides, value, origin);
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_vary(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  cli_texts *const varies = &arguments->sweep.varies;
  varies->items[varies->count++] = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_exclude(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  cli_texts *const excludes = &arguments->sweep.excludes;
  excludes->items[excludes->count++] = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_record(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->sweep.record = (dsm_record)index;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_to(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->export_target = (dsm_export_target)index;
  return CLI_EXIT_DONE;
}

/* A database is no stream: '-' would become a file that no command can name again. */
cli_exit cli_apply_database(cli_arguments *arguments, const cli_option *option, char *value) {
  if (value[0] == '\0' || strcmp(value, "-") == 0) {
    return cli_usage_error(arguments->command, "--%s: expected the name of a file, found '%s'",
                           option->name, value);
  }
  arguments->sweep.database = value;
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

cli_exit cli_apply_merge(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->sweep.is_merge = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_best(cli_arguments *arguments, const cli_option *option, char *value) {
  if (cli_parse_size(value, 1, DSM_SWEEP_POINTS_MAX, &arguments->sweep.best_count)) {
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(arguments->command,
                         "--%s: expected a whole number from 1 to %d, found '%s'", option->name,
                         DSM_SWEEP_POINTS_MAX, value);
}

cli_exit cli_apply_by(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->sweep.best_by = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_pareto(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->sweep.pareto = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_threads(cli_arguments *arguments, const cli_option *option, char *value) {
  if (cli_parse_size(value, 1, THREADS_MAX, &arguments->options.thread_count)) {
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(arguments->command,
                         "--%s: expected a whole number from 1 to %d, found '%s'", option->name,
                         THREADS_MAX, value);
}

cli_exit cli_apply_format(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (option->word == cli_format_word && strcmp(value, format_words[CLI_FORMAT_JUNIT]) == 0) {
    return cli_usage_error(arguments->command, "--%s: '%s' is for check only", option->name, value);
  }
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->format = (cli_format)index;
  arguments->has_format = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_output(cli_arguments *arguments, const cli_option *option, char *value) {
  if (value[0] == '\0') {
    return cli_usage_error(arguments->command, "--%s: expected a name, found ''", option->name);
  }
  arguments->output = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_force(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->is_forced = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_quiet(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->is_quiet = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_verbose(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->is_verbose = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_color(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!find_word(arguments, option, value, strlen(value), &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->color = (cli_color)index;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_help(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->wants_help = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_version(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->wants_version = true;
  return CLI_EXIT_DONE;
}
