/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/run/terminal.h"
#include "dsm/suggest.h"

/* More than any finding takes when rendered. */
#define LINE_SIZE 2048
#define WORDS_MAX 32

static const char *program_name = "dsm";
static bool has_complained;

void cli_name_program(const char *name) {
  program_name = name;
}

const char *cli_program_name(void) {
  return program_name;
}

/* Prints a finding as one line, after making harmless what it quotes from the command line, and how
 * many others it stands for. */
static void print_finding(const dsm_diag *diag, size_t alike, bool color) {
  char text[LINE_SIZE];
  (void)dsm_diag_render(diag, color, text, sizeof text);
  const bool has_file = diag->file[0] != '\0';
  has_complained = has_complained || diag->severity == DSM_SEVERITY_ERROR;
  (void)fprintf(stderr, "%s%s%s", has_file ? "" : program_name, has_file ? "" : ": ", text);
  if (alike > 0) {
    (void)fprintf(stderr, ", and %zu more", alike);
  }
  (void)fputs("\n", stderr);
}

/* Prints a text with what would steer a terminal made visible; cut if it is too long. */
DSM_PRINTF(1, 0) static void print_visible(const char *format, va_list args) {
  char text[LINE_SIZE];
  char visible[LINE_SIZE];
  (void)vsnprintf(text, sizeof text, format, args);
  dsm_text_make_visible(visible, sizeof visible, text);
  (void)fputs(visible, stderr);
}

void cli_say(const cli_arguments *arguments, const char *format, ...) {
  if (arguments->is_verbose) {
    (void)fprintf(stderr, "%s: ", program_name);
    va_list args;
    va_start(args, format);
    print_visible(format, args);
    va_end(args);
    (void)fputs("\n", stderr);
  }
}

cli_exit cli_usage_error(const cli_command *command, const char *format, ...) {
  const char *const space = command->name == NULL ? "" : " ";
  const char *const name = command->name == NULL ? "" : command->name;
  (void)fprintf(stderr, "%s%s%s: ", program_name, space, name);
  va_list args;
  va_start(args, format);
  print_visible(format, args);
  va_end(args);
  (void)fprintf(stderr, "\nTry '%s%s%s --help'.\n", program_name, space, name);
  return CLI_EXIT_USAGE;
}

cli_hint cli_did_you_mean(const char *text, const char *const *words, size_t count) {
  cli_hint hint = {.text = ""};
  const char *const word = dsm_suggest(text, words, count);
  if (word != NULL) {
    (void)snprintf(hint.text, sizeof hint.text, " (did you mean '%s'?)", word);
  }
  return hint;
}

cli_hint cli_did_you_mean_word(const char *text, const char *(*word)(size_t index)) {
  const char *words[WORDS_MAX];
  size_t count = 0;
  while (count < WORDS_MAX && word(count) != NULL) {
    words[count] = word(count);
    count++;
  }
  return cli_did_you_mean(text, words, count);
}

cli_exit cli_outside_error(const char *format, ...) {
  has_complained = true;
  (void)fprintf(stderr, "%s: error: ", program_name);
  va_list args;
  va_start(args, format);
  print_visible(format, args);
  va_end(args);
  (void)fputs("\n", stderr);
  return CLI_EXIT_OUTSIDE;
}

/* Standard error has no buffer to allocate, and texts without numbers need none. */
cli_exit cli_out_of_memory(void) {
  has_complained = true;
  (void)fputs(program_name, stderr);
  (void)fputs(": error: out of memory\n", stderr);
  return CLI_EXIT_OUTSIDE;
}

void cli_break_silence(cli_exit outcome) {
  if (outcome == CLI_EXIT_OUTSIDE && !has_complained) {
    (void)cli_out_of_memory();
  }
}

dsm_status cli_refuse(dsm_diags *diags, dsm_status status, const char *file, const char *hint,
                      const char *format, ...) {
  dsm_diag diag = {.severity = DSM_SEVERITY_ERROR};
  va_list args;
  va_start(args, format);
  (void)vsnprintf(diag.message, sizeof diag.message, format, args);
  va_end(args);
  (void)snprintf(diag.file, sizeof diag.file, "%s", file == NULL ? "" : file);
  (void)snprintf(diag.hint, sizeof diag.hint, "%s", hint == NULL ? "" : hint);
  dsm_diags_append(diags, &diag);
  return status;
}

dsm_status cli_note_out_of_memory(dsm_diags *diags) {
  return cli_refuse(diags, DSM_ERROR_OUT_OF_MEMORY, NULL, NULL, "out of memory");
}

void cli_note(const cli_arguments *arguments, const char *format, ...) {
  if (arguments->is_quiet) {
    return;
  }
  dsm_diag diag = {.severity = DSM_SEVERITY_NOTE};
  va_list args;
  va_start(args, format);
  (void)vsnprintf(diag.message, sizeof diag.message, format, args);
  va_end(args);
  print_finding(&diag, 0, cli_has_color(arguments, stderr));
}

/* What has no format yet may be at its beginning. */
static void point_to_init(dsm_diag *diag) {
  static const char missing[] = "missing key \"format\": expected \"dsm-";
  if (strcmp(diag->path, "$.format") != 0 || diag->hint[0] != '\0' ||
      strncmp(diag->message, missing, sizeof missing - 1) != 0) {
    return;
  }
  const char *const kind = diag->message + sizeof missing - 1;
  const bool is_one = strchr(kind, ',') == NULL;
  for (size_t i = 0; cli_init_word(i) != NULL; i++) {
    const char *const word = cli_init_word(i);
    const size_t length = strlen(word);
    if (strncmp(kind, word, length) == 0 && kind[length] == '/') {
      (void)snprintf(diag->hint, sizeof diag->hint, "'dsm init %s' writes %s to start from",
                     is_one ? word : "KIND", is_one ? "one" : "a description");
    }
  }
}

void cli_print_diags(const cli_arguments *arguments, const dsm_diags *diags) {
  const bool color = cli_has_color(arguments, stderr);
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    dsm_diag diag = *dsm_diags_get(diags, i);
    const size_t alike = dsm_diags_alike(diags, i);
    if (alike != DSM_DIAG_SHOWN_BEFORE &&
        (diag.severity == DSM_SEVERITY_ERROR || !arguments->is_quiet)) {
      point_to_init(&diag);
      print_finding(&diag, alike, color);
    }
  }
  const size_t dropped = dsm_diags_dropped(diags);
  if (dropped > 0) {
    (void)fprintf(stderr, "%s: %zu more finding%s not shown\n", program_name, dropped,
                  dropped == 1 ? " is" : "s are");
  }
}

void cli_print_findings(const cli_arguments *arguments) {
  cli_print_diags(arguments, arguments->diags);
  dsm_diags_clear(arguments->diags);
}
