/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/complete.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse/imports.h"
#include "cli/parse/input_files.h"
#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"

/* A description says what it is at its beginning. */
#define HEAD_SIZE 4096

/* A candidate is the start of a line: what would end it, or move the cursor where it is listed, is
 * not offered. Nor is what begins as the lines that ask for files do. */
static bool fits_line(const cli_unfinished *word, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
    if (*c < 0x20 || *c == 0x7F || (c[0] == 0xC2 && c[1] < 0xA0)) {
      return false;
    }
  }
  return word->lead_length > 0 || (strcmp(text, ":files") != 0 && strcmp(text, ":folders") != 0);
}

void cli_offer(const cli_unfinished *word, const char *text, const char *end,
               const char *description) {
  if (strncmp(text, word->rest, strlen(word->rest)) != 0 || !fits_line(word, text)) {
    return;
  }
  (void)printf("%.*s%s%s", (int)word->lead_length, word->lead, text, end);
  if (description != NULL) {
    (void)printf("\t%s", description);
  }
  (void)putchar('\n');
}

/* ---- files ---- */

/* Is it a description that may be taken, as far as its beginning says? */
static bool is_taken(const char *path, unsigned takes) {
  char head[HEAD_SIZE + 1];
  struct stat info;
  /* a pipe would wait for somebody to write */
  FILE *const file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
  if (file == NULL) {
    return false;
  }
  const size_t length = fread(head, 1, HEAD_SIZE, file);
  (void)fclose(file);
  head[length] = '\0';
  static const char format_start[] = "\"dsm-";
  const char *const format = strstr(head, format_start);
  if (format == NULL) { /* other programs' graphs can be profiles */
    return (takes & CLI_TAKES_PROFILE) != 0;
  }
  const char *const found = format + sizeof format_start - 1;
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    const char *const name = dsm_description_name(kind);
    const size_t name_length = strlen(name);
    if (strncmp(found, name, name_length) == 0 && found[name_length] == '/') {
      return (takes & 1U << kind) != 0;
    }
  }
  return false;
}

/* A file or folder in the folder that the word names. Behind "./" a name that begins with a dash is
 * no option. */
static void offer_entry(const cli_unfinished *word, unsigned takes, const char *folder,
                        const char *entry) {
  char path[CLI_PATH_SIZE];
  struct stat info;
  const int length = snprintf(path, sizeof path, "%s%s", folder, entry);
  const size_t skipped = strcmp(folder, "./") == 0 && entry[0] != '-' ? 2 : 0;
  const bool is_hidden = entry[0] == '.' && !cli_ends_in(word->rest, "/.");
  if (length < 0 || length >= CLI_PATH_SIZE || is_hidden || stat(path, &info) != 0) {
    return;
  }
  const bool is_description = (takes & CLI_TAKES_ANY_DESCRIPTION) != 0 &&
                              cli_ends_in(entry, ".json") && is_taken(path, takes);
  if (S_ISDIR(info.st_mode)) {
    cli_offer(word, path + skipped, "/", NULL);
  } else if (is_description || ((takes & CLI_TAKES_DATABASE) != 0 && dsm_store_is_database(path))) {
    cli_offer(word, path + skipped, "", NULL);
  }
}

static void offer_entries(const cli_unfinished *word, unsigned takes) {
  char folder[CLI_PATH_SIZE];
  const char *const slash = strrchr(word->rest, '/');
  const int length = slash == NULL ? 0 : (int)(slash + 1 - word->rest);
  if (length >= CLI_PATH_SIZE) {
    return;
  }
  (void)snprintf(folder, sizeof folder, "%.*s", length, word->rest);
  struct dirent **entries;
  const char *const opened = length == 0 ? "./" : folder;
  const int count = scandir(opened, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    offer_entry(word, takes, opened, entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0) {
    free(entries);
  }
}

/* What the visit of names carries. */
typedef struct name_search {
  const cli_unfinished *word;
  unsigned takes;
} name_search;

static void offer_name(void *context, const char *name, const char *folder) {
  const name_search *const search = context;
  char path[CLI_PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/%s.json", folder, name);
  const bool is_option = name[0] == '-';
  if (length > 0 && length < CLI_PATH_SIZE && !is_option && is_taken(path, search->takes)) {
    cli_offer(search->word, name, "", NULL);
  }
}

void cli_offer_files(const cli_unfinished *word, unsigned takes) {
  if ((takes & CLI_TAKES_ANY_DESCRIPTION) != 0) {
    name_search search = {.word = word, .takes = takes};
    cli_visit_names(takes, offer_name, &search);
  }
  if ((takes & CLI_TAKES_FILE) != 0) {
    (void)printf(":files\n");
  } else if ((takes & (CLI_TAKES_ANY_DESCRIPTION | CLI_TAKES_DATABASE)) != 0) {
    offer_entries(word, takes); /* with folders, on the way to files at least */
  } else if ((takes & CLI_TAKES_FOLDER) != 0) {
    (void)printf(":folders\n");
  }
}

/* ---- what descriptions hold ---- */

void cli_offer_layers(const cli_unfinished *word) {
  if (word->operand_count == 0) {
    return;
  }
  const cli_arguments arguments = {.command = word->command};
  cli_input_file loaded = cli_load(&arguments, word->operands[0], DSM_DESCRIPTION_COUNT, NULL);
  const dsm_workload *const workload =
      loaded.plan != NULL ? loaded.plan->workload : loaded.workload;
  for (size_t i = 0; workload != NULL && i < workload->layer_count; i++) {
    cli_offer(word, workload->layers[i].name, "", NULL);
  }
  cli_input_file_fini(&loaded);
}

static void offer_step(void *context, const char *name, bool leads_on) {
  const cli_unfinished *const word = context;
  cli_offer(word, name, leads_on ? "." : "=", NULL);
}

/* The text of the first operand that is a description of the kind, or of one whose paths begin as
 * its do, which *found is then; malloc'ed, NULL if there is none. */
static char *read_operand(const cli_unfinished *word, dsm_description kind, size_t *length,
                          dsm_description *found) {
  const cli_arguments arguments = {.command = word->command};
  for (size_t i = 0; i < word->operand_count; i++) {
    char *path = NULL;
    char *text = NULL;
    const unsigned everywhere = cli_bundled_kinds() & ~(unsigned)CLI_TAKES_SWEEP;
    const bool is_read =
        strcmp(word->operands[i], "-") != 0 &&
        cli_find_input(&path, &arguments, word->operands[i], everywhere, NULL) == DSM_OK &&
        !dsm_store_is_database(path) &&
        cli_read_description(&text, length, path, &arguments, NULL) == DSM_OK &&
        dsm_description_detect(found, text, *length, NULL, NULL) == DSM_OK &&
        cli_set_root(*found) == kind;
    free(path);
    if (is_read) {
      return text;
    }
    free(text);
  }
  *found = kind;
  return NULL;
}

/* The steps that may follow below a root, such as "workload", whose dot stands at rest[0]. */
static void offer_steps(const cli_unfinished *word, dsm_description kind) {
  static const char nothing[] = "{}";
  size_t length = sizeof nothing - 1;
  dsm_description found = kind;
  char *const text = read_operand(word, kind, &length, &found);
  const char *const below = word->rest + 1;
  char path[CLI_PATH_SIZE];
  /* A name may have dots in it: what is behind the last dot is not always all of the step. */
  for (size_t cut = strlen(below); cut <= strlen(below); cut--) {
    if (cut < sizeof path && (cut == 0 || below[cut] == '.')) {
      memcpy(path, below, cut);
      path[cut] = '\0';
      const size_t kept = 1 + cut + (cut > 0 ? 1 : 0);
      cli_unfinished step = *word;
      step.lead_length += kept;
      step.rest += kept;
      if (dsm_path_steps(found, text == NULL ? nothing : text, text == NULL ? 2 : length, path,
                         offer_step, &step) == DSM_OK) {
        break;
      }
    }
  }
  free(text);
}

/* The values of an axis of inputs, such as workload=vgg16,resnet50. */
static bool offer_inputs(const cli_unfinished *word) {
  static const struct {
    const char *axis;
    unsigned takes;
  } inputs[] = {{"workload=", CLI_TAKES_WORKLOAD}, {"system=", CLI_TAKES_SYSTEM}};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    const size_t length = strlen(inputs[i].axis);
    if (strncmp(word->rest, inputs[i].axis, length) == 0) {
      const char *const comma = strrchr(word->rest, ',');
      const size_t kept = comma == NULL ? length : (size_t)(comma + 1 - word->rest);
      cli_unfinished value = *word;
      value.lead_length += kept;
      value.rest += kept;
      cli_offer_files(&value, inputs[i].takes);
      return true;
    }
  }
  return false;
}

void cli_offer_paths(const cli_unfinished *word, bool is_axis) {
  static const char *const other_axes[] = {"workload",
                                           "system",
                                           "options.mode",
                                           "options.optimize",
                                           "options.parallelism",
                                           "options.as_run_by",
                                           "options.stages_at",
                                           "options.schedule",
                                           "options.recomputation",
                                           "options.shard_level",
                                           "options.objective",
                                           "options.power_cap_W"};
  if (is_axis && offer_inputs(word)) {
    return;
  }
  const unsigned roots = cli_set_roots(word->command);
  const dsm_description root = cli_find_root(roots, word->rest);
  if (root != DSM_DESCRIPTION_COUNT) {
    const size_t length = strlen(dsm_description_name(root));
    cli_unfinished below = *word;
    below.lead_length += length;
    below.rest += length;
    offer_steps(&below, root);
    return;
  }
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    if ((roots & 1U << kind) != 0) {
      cli_offer(word, dsm_description_name(kind), ".", NULL);
    }
  }
  for (size_t i = 0; is_axis && i < sizeof other_axes / sizeof *other_axes; i++) {
    cli_offer(word, other_axes[i], "=", NULL);
  }
}
