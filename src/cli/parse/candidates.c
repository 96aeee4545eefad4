/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/candidates.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse/input_files.h"
#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"

/* Longer paths name nothing that can be opened. */
#define PATH_SIZE 4096
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

/* The descriptions that may be taken, and how they are called in `format`. */
static const struct description_kind {
  unsigned takes;
  unsigned bundled; /* 0: none are */
  const char *name;
} kinds[] = {{CLI_TAKES_WORKLOAD, CLI_BUNDLED_WORKLOADS, "workload"},
             {CLI_TAKES_SYSTEM, CLI_BUNDLED_SYSTEMS, "system"},
             {CLI_TAKES_SERVER, CLI_BUNDLED_SERVERS, "server"},
             {CLI_TAKES_SWEEP, CLI_BUNDLED_SWEEPS, "sweep"},
             {CLI_TAKES_PLAN, 0, "plan"},
             {CLI_TAKES_PROFILE, 0, "profile"}};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

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
  const char *const name = format + sizeof format_start - 1;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    const size_t name_length = strlen(kinds[k].name);
    if (strncmp(name, kinds[k].name, name_length) == 0 && name[name_length] == '/') {
      return (takes & kinds[k].takes) != 0;
    }
  }
  return false;
}

static bool ends_in(const char *name, const char *suffix) {
  const size_t length = strlen(name);
  const size_t suffix_length = strlen(suffix);
  return length > suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

/* A file or folder in the folder that the word names. Behind "./" a name that begins with a dash is
 * no option. */
static void offer_entry(const cli_unfinished *word, unsigned takes, const char *folder,
                        const char *entry) {
  char path[PATH_SIZE];
  struct stat info;
  const int length = snprintf(path, sizeof path, "%s%s", folder, entry);
  const size_t skipped = strcmp(folder, "./") == 0 && entry[0] != '-' ? 2 : 0;
  const bool is_hidden = entry[0] == '.' && !ends_in(word->rest, "/.");
  if (length < 0 || length >= PATH_SIZE || is_hidden || stat(path, &info) != 0) {
    return;
  }
  const bool is_description =
      (takes & CLI_TAKES_ANY_DESCRIPTION) != 0 && ends_in(entry, ".json") && is_taken(path, takes);
  if (S_ISDIR(info.st_mode)) {
    cli_offer(word, path + skipped, "/", NULL);
  } else if (is_description || ((takes & CLI_TAKES_DATABASE) != 0 && dsm_store_is_database(path))) {
    cli_offer(word, path + skipped, "", NULL);
  }
}

static void offer_entries(const cli_unfinished *word, unsigned takes) {
  char folder[PATH_SIZE];
  const char *const slash = strrchr(word->rest, '/');
  const int length = slash == NULL ? 0 : (int)(slash + 1 - word->rest);
  if (length >= PATH_SIZE) {
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
  char path[PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%s/%s.json", folder, name);
  const bool is_option = name[0] == '-';
  if (length > 0 && length < PATH_SIZE && !is_option && is_taken(path, search->takes)) {
    cli_offer(search->word, name, "", NULL);
  }
}

void cli_offer_files(const cli_unfinished *word, unsigned takes) {
  unsigned bundled = 0;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    bundled |= (takes & kinds[k].takes) != 0 ? kinds[k].bundled : 0;
  }
  if ((takes & CLI_TAKES_ANY_DESCRIPTION) != 0) {
    name_search search = {.word = word, .takes = takes};
    cli_visit_names(bundled, offer_name, &search);
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
  cli_loaded loaded = cli_load_any(&arguments, word->operands[0], NULL);
  const dsm_workload *const workload =
      loaded.plan != NULL ? loaded.plan->workload : loaded.workload;
  for (size_t i = 0; workload != NULL && i < workload->layer_count; i++) {
    cli_offer(word, workload->layers[i].name, "", NULL);
  }
  cli_loaded_fini(&loaded);
}

static void offer_step(void *context, const char *name, bool leads_on) {
  const cli_unfinished *const word = context;
  cli_offer(word, name, leads_on ? "." : "=", NULL);
}

/* The text of the first operand that is a description of the kind; malloc'ed, NULL if there is
 * none. */
static char *read_operand(const cli_unfinished *word, dsm_description kind, size_t *length) {
  const cli_arguments arguments = {.command = word->command};
  for (size_t i = 0; i < word->operand_count; i++) {
    char *path = NULL;
    char *text = NULL;
    dsm_description found;
    const unsigned everywhere = CLI_BUNDLED_WORKLOADS | CLI_BUNDLED_SYSTEMS | CLI_BUNDLED_SERVERS;
    const bool is_read =
        strcmp(word->operands[i], "-") != 0 &&
        cli_find_input(&path, &arguments, word->operands[i], everywhere, NULL) == DSM_OK &&
        !dsm_store_is_database(path) && dsm_file_read(&text, length, path, NULL) == DSM_OK &&
        dsm_description_detect(&found, text, *length, NULL, NULL) == DSM_OK && found == kind;
    free(path);
    if (is_read) {
      return text;
    }
    free(text);
  }
  return NULL;
}

/* The steps that may follow below a root, such as "workload", whose dot stands at rest[0]. */
static void offer_steps(const cli_unfinished *word, dsm_description kind) {
  static const char nothing[] = "{}";
  size_t length = sizeof nothing - 1;
  char *const text = read_operand(word, kind, &length);
  const char *const below = word->rest + 1;
  char path[PATH_SIZE];
  /* A name may have dots in it: what is behind the last dot is not always all of the step. */
  for (size_t cut = strlen(below); cut <= strlen(below); cut--) {
    if (cut < sizeof path && (cut == 0 || below[cut] == '.')) {
      memcpy(path, below, cut);
      path[cut] = '\0';
      const size_t kept = 1 + cut + (cut > 0 ? 1 : 0);
      cli_unfinished step = *word;
      step.lead_length += kept;
      step.rest += kept;
      if (dsm_path_steps(kind, text == NULL ? nothing : text, text == NULL ? 2 : length, path,
                         offer_step, &step) == DSM_OK) {
        break;
      }
    }
  }
  free(text);
}

static dsm_description kind_of_root(const char *root) {
  return strcmp(root, "workload") == 0 ? DSM_DESCRIPTION_WORKLOAD
         : strcmp(root, "system") == 0 ? DSM_DESCRIPTION_SYSTEM
                                       : DSM_DESCRIPTION_SERVER;
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
  static const char *const other_axes[] = {"workload", "system", "options.mode", "options.optimize",
                                           "options.parallelism"};
  if (is_axis && offer_inputs(word)) {
    return;
  }
  for (size_t i = 0; cli_set_root(word->command, i) != NULL; i++) {
    const char *const root = cli_set_root(word->command, i);
    const size_t length = strlen(root);
    if (strncmp(word->rest, root, length) == 0 && word->rest[length] == '.') {
      cli_unfinished below = *word;
      below.lead_length += length;
      below.rest += length;
      offer_steps(&below, kind_of_root(root));
      return;
    }
    cli_offer(word, root, ".", NULL);
  }
  for (size_t i = 0; is_axis && i < sizeof other_axes / sizeof *other_axes; i++) {
    cli_offer(word, other_axes[i], "=", NULL);
  }
}
