/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/lookup.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/parse/named_inputs.h"
#include "cli/parse/paths.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "dsm/lookup.h"
#include "dsm/suggest.h"

/* Names that a message lists. */
#define STARTING_MAX 6

static const char suffix[] = ".json";

/* Is a kind among some, of which bundled descriptions there are? */
static bool has_kind(unsigned kinds, dsm_description kind) {
  return (kinds & cli_bundled_kinds() & 1U << kind) != 0;
}

/* What a single bit stands for. Of inputs for whichever machine it is that of the first. */
static const char *name_of_kind(unsigned kinds) {
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    if (kinds == 1U << kind || kinds == cli_kinds_alike(kind)) {
      return dsm_description_name(kind);
    }
  }
  return "KIND";
}

/* The folder of a kind is called as the kind, in the plural, which "stages" is already. */
static void add_bundled(dsm_folders *list, dsm_description kind) {
  char folder[32];
  const char *const name = dsm_description_name(kind);
  const bool ends_in_y = name[strlen(name) - 1] == 'y';
  (void)snprintf(folder, sizeof folder, "%.*s%s", (int)strlen(name) - (ends_in_y ? 1 : 0), name,
                 kind == DSM_DESCRIPTION_STAGES ? ""
                 : ends_in_y                    ? "ies"
                                                : "s");
  dsm_folders_add_installed(list, folder);
}

static void list_folders(dsm_folders *list, unsigned bundled) {
  dsm_folders_add_environment(list);
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT; kind++) {
    if (has_kind(bundled, kind)) {
      add_bundled(list, kind);
    }
  }
}

/* ---- what to say if there is none ---- */

/* Names that a user may have meant. */
typedef struct near_names {
  const char *name;        /* what was asked for */
  char stem[NAME_MAX + 1]; /* without its ending, be that ".json" or not */
  char nearest[NAME_MAX + 1];
  char starting[STARTING_MAX][NAME_MAX + 1]; /* those that begin so */
  size_t starting_count;                     /* may be more than there is room for */
} near_names;

static void add_starting(near_names *near, const char *candidate) {
  const size_t kept = near->starting_count < STARTING_MAX ? near->starting_count : STARTING_MAX;
  for (size_t i = 0; i < kept; i++) {
    if (strcmp(near->starting[i], candidate) == 0) {
      return; /* it hides the other one */
    }
  }
  if (kept < STARTING_MAX) {
    (void)snprintf(near->starting[kept], sizeof near->starting[kept], "%s", candidate);
  }
  near->starting_count++;
}

/* Takes an entry of a folder, if it is a description that begins as the name does, or nearer to the
 * name than the nearest so far. */
static void consider(near_names *near, const char *entry) {
  char candidate[NAME_MAX + 1];
  if (!cli_ends_in(entry, suffix)) {
    return;
  }
  const size_t length = strlen(entry) - (cli_ends_in(near->name, suffix) ? 0 : sizeof suffix - 1);
  (void)snprintf(candidate, sizeof candidate, "%.*s", (int)length, entry);
  const char *const words[] = {near->nearest[0] == '\0' ? NULL : near->nearest, candidate};
  if (dsm_suggest(near->name, words, 2) == candidate) {
    memcpy(near->nearest, candidate, sizeof candidate);
  }
  const size_t stem_length = strlen(near->stem);
  if (stem_length > 1 && strncasecmp(entry, near->stem, stem_length) == 0) {
    add_starting(near, candidate);
  }
}

static void find_near(const dsm_folders *folders, near_names *near) {
  const char *const dot = strrchr(near->name, '.');
  const size_t length = dot == NULL ? strlen(near->name) : (size_t)(dot - near->name);
  (void)snprintf(near->stem, sizeof near->stem, "%.*s",
                 (int)(length < NAME_MAX ? length : NAME_MAX), near->name);
  for (size_t i = 0; i < folders->count; i++) {
    struct dirent **entries;
    const int count = scandir(folders->items[i], &entries, NULL, alphasort);
    for (int entry = 0; entry < count; entry++) {
      consider(near, entries[entry]->d_name);
      free(entries[entry]);
    }
    if (count >= 0) {
      free(entries);
    }
  }
}

/* Asks whether one of them was meant; leaves the hint empty if there is none. */
static void ask(dsm_diag *diag, const near_names *near) {
  const size_t count = near->starting_count;
  const size_t shown = count < STARTING_MAX ? count : STARTING_MAX;
  if (count == 0 && near->nearest[0] != '\0') {
    (void)snprintf(diag->hint, sizeof diag->hint, "did you mean \"%.200s\"?", near->nearest);
  }
  size_t used = 0;
  for (size_t i = 0; i < shown && used < sizeof diag->hint; i++) {
    const char *const before = i == 0 ? "did you mean " : i + 1 == count ? " or " : ", ";
    used += (size_t)snprintf(diag->hint + used, sizeof diag->hint - used, "%s\"%.60s\"%s", before,
                             near->starting[i], i + 1 == count ? "?" : "");
  }
  if (count > shown && used < sizeof diag->hint) {
    (void)snprintf(diag->hint + used, sizeof diag->hint - used, " or %zu other%s?", count - shown,
                   count - shown == 1 ? "" : "s");
  }
}

/* Is there a description of that name in $DSM_PATH or among the bundled ones of a kind? */
static bool is_described(dsm_description kind, const char *name) {
  char path[CLI_PATH_SIZE];
  bool is_found = false;
  dsm_folders folders = {.count = 0};
  list_folders(&folders, 1U << kind);
  for (size_t i = 0; i < folders.count; i++) {
    is_found = is_found || dsm_folder_has(folders.items[i], name, path, CLI_PATH_SIZE);
  }
  dsm_folders_free(&folders);
  return is_found;
}

/* What is not there yet may be started from a template. */
static void point_to_init(dsm_diag *diag, const char *name, unsigned bundled) {
  if (bundled != 0 && strstr(name, ".sqlite") == NULL) {
    (void)snprintf(diag->hint, sizeof diag->hint,
                   "'dsm list' shows what there is, 'dsm init %s' writes one to start from",
                   name_of_kind(bundled));
  }
}

/* What the user may have meant: a bundled description of another kind (the operands are swapped),
 * or a known name that is near. */
static void suggest(dsm_diag *diag, const dsm_folders *folders, const char *name,
                    unsigned bundled) {
  near_names near = {.name = name};
  const char *other = NULL;
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT && other == NULL; kind++) {
    const bool is_other = has_kind(~bundled, kind) && is_described(kind, name);
    other = is_other ? dsm_description_name(kind) : NULL;
  }
  find_near(folders, &near);
  if (other != NULL) {
    (void)snprintf(diag->hint, sizeof diag->hint, "there is a %s of that name", other);
  } else {
    ask(diag, &near);
  }
  if (diag->hint[0] == '\0') {
    point_to_init(diag, name, bundled);
  }
}

DSM_PRINTF(2, 3) static void add_words(dsm_diag *diag, const char *format, ...) {
  const size_t used = strlen(diag->message);
  va_list args;
  va_start(args, format);
  (void)vsnprintf(diag->message + used, sizeof diag->message - used, format, args);
  va_end(args);
}

/* Bytes of a path up to its last name. */
static size_t parent_length(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* The first folder from `begin` on that does not lie beside the one there. */
static size_t end_of_siblings(const dsm_folders *folders, size_t begin) {
  const char *const first = folders->items[begin];
  const size_t length = parent_length(first);
  size_t end = begin + 1;
  while (end < folders->count && length > 0 && parent_length(folders->items[end]) == length &&
         strncmp(first, folders->items[end], length) == 0) {
    end++;
  }
  return end;
}

/* Folders that lie beside each other, with what they share said once, as a shell has it. */
static void add_siblings(dsm_diag *diag, const dsm_folders *folders, size_t begin, size_t end) {
  if (end == begin + 1) {
    add_words(diag, "%s", folders->items[begin]);
    return;
  }
  const size_t length = parent_length(folders->items[begin]);
  add_words(diag, "%.*s", (int)length, folders->items[begin]);
  for (size_t i = begin; i < end; i++) {
    add_words(diag, "%s%s", i == begin ? "{" : ",", folders->items[i] + length);
  }
  add_words(diag, "}");
}

static dsm_status report_missing(const dsm_folders *folders, const char *name, unsigned bundled,
                                 dsm_diags *diags) {
  dsm_diag diag = {.severity = DSM_SEVERITY_ERROR};
  (void)snprintf(diag.file, sizeof diag.file, "%s", name);
  const char *const environment = getenv("DSM_PATH");
  const bool is_set = environment != NULL && environment[0] != '\0';
  add_words(&diag, "no such file in the current folder%s", is_set ? "" : " ($DSM_PATH is not set)");
  for (size_t i = 0; i < folders->count;) {
    const size_t end = end_of_siblings(folders, i);
    add_words(&diag, end == folders->count ? " or in " : ", in ");
    add_siblings(&diag, folders, i, end);
    i = end;
  }
  suggest(&diag, folders, name, bundled);
  dsm_diags_append(diags, &diag);
  return DSM_ERROR_IO;
}

/* A path, with a slash, that leads to nothing: in the words of the reader. */
static dsm_status report_nothing(const char *path, unsigned bundled, dsm_diags *diags) {
  dsm_diag diag = {.hint = ""};
  point_to_init(&diag, path, bundled);
  return cli_refuse(diags, DSM_ERROR_IO, path, diag.hint, "cannot open: %s", strerror(ENOENT));
}

static bool is_nothing(const char *path) {
  struct stat info;
  return stat(path, &info) != 0 && errno == ENOENT;
}

/* With --verbose: where a name was found. */
static void say_where(const cli_arguments *arguments, const char *name, const char *path) {
  if (path != NULL) {
    cli_say(arguments, "%s is read from %s", name,
            strcmp(path, "-") == 0 ? "standard input" : path);
  }
}

/* The file behind a plain name, or NULL. */
static const char *find_plain(const dsm_folders *folders, const char *name,
                              char found[CLI_PATH_SIZE]) {
  for (size_t i = 0; i < folders->count; i++) {
    if (dsm_folder_has(folders->items[i], name, found, CLI_PATH_SIZE)) {
      return found;
    }
  }
  /* NAME.json here, if nothing is called NAME elsewhere. */
  return dsm_folder_has(".", name, found, CLI_PATH_SIZE) ? found + 2 : NULL;
}

dsm_status cli_find_input(char **path, const cli_arguments *arguments, const char *name,
                          unsigned bundled, dsm_diags *diags) {
  *path = NULL;
  char found[CLI_PATH_SIZE];
  const char *result = name;
  dsm_status status = DSM_OK;
  if (name[0] == '\0') {
    return cli_refuse(diags, DSM_ERROR_USAGE, NULL, NULL,
                      "expected the name of a file, found \"\"");
  }
  const bool is_plain = strcmp(name, "-") != 0 && strchr(name, '/') == NULL;
  if (is_plain && !dsm_is_file(name)) {
    dsm_folders folders = {.count = 0};
    list_folders(&folders, bundled);
    result = find_plain(&folders, name, found);
    if (folders.is_out_of_memory) {
      status = cli_note_out_of_memory(diags);
    } else if (result == NULL) {
      status = cli_is_folder(name) ? cli_refuse(diags, DSM_ERROR_IO, name, NULL,
                                                "expected a file, found a directory")
                                   : report_missing(&folders, name, bundled, diags);
    }
    dsm_folders_free(&folders);
  } else if (!is_plain && strcmp(name, "-") != 0 && is_nothing(name)) {
    status = report_nothing(name, bundled, diags);
  }
  if (status == DSM_OK && result != NULL) {
    status = cli_check_is_no_output(arguments, result, diags);
  }
  if (status == DSM_OK && result != NULL) {
    *path = strdup(result);
    status = *path == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
    say_where(arguments, name, *path);
  }
  return status;
}

dsm_status cli_find_beside(char **path, const cli_arguments *arguments, const char *name,
                           const char *folder, unsigned bundled, dsm_diags *diags) {
  char found[CLI_PATH_SIZE];
  const bool is_relative = name[0] != '\0' && name[0] != '/' && strcmp(name, "-") != 0;
  if (folder == NULL || !is_relative || !dsm_folder_has(folder, name, found, CLI_PATH_SIZE)) {
    return cli_find_input(path, arguments, name, bundled, diags);
  }
  *path = NULL;
  const dsm_status status = cli_check_is_no_output(arguments, found, diags);
  if (status != DSM_OK) {
    return status;
  }
  *path = strdup(found);
  say_where(arguments, name, *path);
  return *path == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
}

dsm_status cli_find_installed(char **path, const char *folder, const char *name, dsm_diags *diags) {
  *path = NULL;
  char found[CLI_PATH_SIZE];
  dsm_folders folders = {.count = 0};
  dsm_folders_add_installed(&folders, folder);
  dsm_status status = folders.is_out_of_memory ? cli_note_out_of_memory(diags) : DSM_OK;
  if (status == DSM_OK &&
      (folders.count == 0 || !dsm_folder_has(folders.items[0], name, found, CLI_PATH_SIZE))) {
    status = cli_refuse(diags, DSM_ERROR_IO, NULL, "dsm is not installed whole", "no %s in %s",
                        name, folders.count == 0 ? "share/dsm" : folders.items[0]);
  }
  if (status == DSM_OK) {
    *path = strdup(found);
    status = *path == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
  }
  dsm_folders_free(&folders);
  return status;
}

void cli_note_hidden(const char *path, const char *name, unsigned bundled, dsm_diags *diags) {
  for (dsm_description kind = 0; kind < DSM_DESCRIPTION_COUNT && strchr(name, '/') == NULL;
       kind++) {
    char found[CLI_PATH_SIZE];
    dsm_folders folders = {.count = 0};
    if (has_kind(bundled, kind)) {
      add_bundled(&folders, kind);
    }
    if (folders.count > 0 && dsm_folder_has(folders.items[0], name, found, CLI_PATH_SIZE) &&
        strcmp(found, path) != 0) {
      dsm_diag diag = {.severity = DSM_SEVERITY_NOTE};
      (void)snprintf(diag.file, sizeof diag.file, "%s", path);
      (void)snprintf(diag.message, sizeof diag.message,
                     "this file hides the bundled %s of that name", dsm_description_name(kind));
      dsm_diags_append(diags, &diag);
    }
    dsm_folders_free(&folders);
  }
}

/* What is a pipe, or nothing any more, is no description that could be listed. */
static bool is_regular(const char *folder, const char *name) {
  char path[CLI_PATH_SIZE];
  struct stat info;
  const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  return length > 0 && (size_t)length < sizeof path && stat(path, &info) == 0 &&
         S_ISREG(info.st_mode);
}

void cli_visit_names(unsigned bundled, cli_name_visitor *visit, void *context) {
  dsm_folders folders = {.count = 0};
  list_folders(&folders, bundled);
  for (size_t i = 0; i < folders.count; i++) {
    struct dirent **entries;
    const int count = scandir(folders.items[i], &entries, NULL, alphasort);
    for (int entry = 0; entry < count; entry++) {
      char *const name = entries[entry]->d_name;
      if (cli_ends_in(name, suffix) && is_regular(folders.items[i], name)) {
        name[strlen(name) - (sizeof suffix - 1)] = '\0';
        visit(context, name, folders.items[i]);
      }
      free(entries[entry]);
    }
    if (count >= 0) {
      free(entries);
    }
  }
  dsm_folders_free(&folders);
}
