/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/output.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parse/lookup.h"
#include "cli/parse/paths.h"
#include "cli/run/complain.h"
#include "cli/run/terminal.h"
#include "dsm/sweep_store.h"

/* The file that the result goes to; NULL: standard output. */
static const char *output_file(const cli_arguments *arguments) {
  const bool is_stdout = arguments->output == NULL || strcmp(arguments->output, "-") == 0;
  return is_stdout ? NULL : arguments->output;
}

/* A pipe that nobody reads says so for good, also where errno of the write that met it is lost. */
static bool is_unread(int error) {
  struct pollfd end = {.fd = STDOUT_FILENO};
  return error == EPIPE || (poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0);
}

static cli_exit stdout_error(int error) {
  if (is_unread(error)) {
    return CLI_EXIT_UNREAD; /* they have seen enough: there is nothing to say */
  }
  return cli_outside_error("cannot write to standard output: %s", strerror(error));
}

cli_exit cli_put_stdout(const char *text) {
  if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
    const int error = errno;
    clearerr(stdout); /* it is reported here, once */
    return stdout_error(error);
  }
  return CLI_EXIT_DONE;
}

cli_exit cli_put_file(const cli_arguments *arguments, const char *option, const char *path,
                      const char *bytes, size_t length) {
  if (dsm_store_is_database(path)) {
    return cli_usage_error(arguments->command, "--%s: '%s' is a database, which no result replaces",
                           option, path);
  }
  return cli_tell(arguments, dsm_file_write(path, bytes, length, arguments->diags));
}

cli_exit cli_put_installed(const cli_arguments *arguments, const char *folder, const char *word,
                           const char *ending,
                           cli_exit (*put)(const cli_arguments *arguments, const char *text)) {
  char name[64];
  char *path = NULL;
  char *text = NULL;
  size_t length = 0;
  (void)snprintf(name, sizeof name, "%s.%s", word, ending);
  dsm_status status = cli_find_installed(&path, folder, name, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_file_read(&text, &length, path, arguments->diags);
  }
  cli_print_findings(arguments);
  const cli_exit outcome = status == DSM_OK ? put(arguments, text) : cli_exit_of(status);
  free(text);
  free(path);
  return outcome;
}

/* To a file, or to standard output if that is NULL. */
static cli_exit put_text(const cli_arguments *arguments, const char *text, const char *file) {
  return file == NULL ? cli_put_stdout(text)
                      : cli_put_file(arguments, "output", file, text, strlen(text));
}

cli_exit cli_put_text(const cli_arguments *arguments, const char *text) {
  return put_text(arguments, text, output_file(arguments));
}

/* Prints an answer to a file, or to standard output if that is NULL. */
static cli_exit put(const cli_arguments *arguments, dsm_answer answer, dsm_form form,
                    const char *file) {
  const dsm_table_style style = cli_table_style(arguments, file == NULL ? stdout : NULL);
  char *const text = dsm_answer_print(answer, form, &style);
  if (text == NULL) {
    return cli_out_of_memory();
  }
  const cli_exit outcome = put_text(arguments, text, file);
  free(text);
  return outcome;
}

/* Commands of the core whose result has several forms, and what companions share with them. */
enum {
  COMPANIONS = CLI_WRITES | CLI_WRITES_PLAN,
  SEVERAL_FORMS = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE | CLI_VALIDATE | CLI_CHECK | CLI_SWEEP |
                  CLI_DIFF | CLI_LIST | COMPANIONS,
  ONE_FORM = CLI_TRACE | CLI_REPORT | CLI_INIT
};

/* A form that the name of a file asks for, and the commands whose result has it. */
typedef struct ending {
  const char *text;
  const char *what;
  dsm_form form;
  unsigned commands;
  unsigned with_budget; /* and those that have it with --budget */
} ending;

static const ending endings[] = {
    {".json", "JSON", DSM_FORM_JSON, SEVERAL_FORMS | CLI_TRACE | CLI_INIT, 0},
    {".csv", "CSV", DSM_FORM_CSV, SEVERAL_FORMS, 0},
    {".xml", "JUnit", DSM_FORM_JUNIT, CLI_CHECK, 0},
    {".html", "a page", DSM_FORM_PAGE, CLI_REPORT | COMPANIONS, CLI_DESCRIBE},
    {".svg", "a picture", DSM_FORM_TABLE, 0, 0}, /* those of dsm plot */
    {".png", "a picture", DSM_FORM_TABLE, 0, 0},
    {".pdf", "a picture", DSM_FORM_TABLE, 0, 0},
};

/* That of a file; NULL if its name asks for no form. */
static const ending *ending_of(const char *file) {
  for (size_t i = 0; file != NULL && i < sizeof endings / sizeof *endings; i++) {
    if (cli_ends_in(file, endings[i].text)) {
      return &endings[i];
    }
  }
  return NULL;
}

static bool makes(const cli_arguments *arguments, const ending *asked) {
  const unsigned bits = arguments->command->bit | arguments->command->shares;
  return (bits & asked->commands) != 0 ||
         ((bits & asked->with_budget) != 0 && cli_is_given(arguments, "budget"));
}

cli_exit cli_check_output_form(const cli_arguments *arguments) {
  const cli_command *const command = arguments->command;
  const unsigned bits = command->bit | command->shares;
  const ending *const asked = ending_of(output_file(arguments));
  if (asked == NULL || arguments->has_format || makes(arguments, asked) ||
      (bits & (SEVERAL_FORMS | ONE_FORM)) == 0) {
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(command, "--output: the name '%s' asks for %s, which %s does not make",
                         arguments->output, asked->what, command->name);
}

static dsm_form format_of_ending(const cli_arguments *arguments, const char *file,
                                 dsm_form otherwise) {
  const ending *const asked = ending_of(file);
  return asked == NULL || !makes(arguments, asked) ? otherwise : asked->form;
}

bool cli_output_tells_format(const cli_arguments *arguments) {
  return format_of_ending(arguments, output_file(arguments), DSM_FORM_TABLE) != DSM_FORM_TABLE;
}

cli_exit cli_put_answer(const cli_arguments *arguments, dsm_answer answer) {
  const char *const file = output_file(arguments);
  const dsm_form form =
      arguments->has_format ? arguments->format : format_of_ending(arguments, file, DSM_FORM_TABLE);
  if (arguments->is_quiet && !arguments->has_format && arguments->output == NULL) {
    return CLI_EXIT_DONE;
  }
  return put(arguments, answer, form, file);
}

cli_exit cli_put_made(const cli_arguments *arguments, dsm_status status, dsm_answer answer) {
  const cli_exit told = cli_tell(arguments, status);
  return told == CLI_EXIT_DONE ? cli_put_answer(arguments, answer) : told;
}

cli_exit cli_put_form(const cli_arguments *arguments, dsm_answer answer, dsm_form form) {
  return put(arguments, answer, form, output_file(arguments));
}

cli_exit cli_put_with_table(const cli_arguments *arguments, dsm_answer answer, dsm_form otherwise) {
  if (arguments->has_format || arguments->output == NULL) {
    return cli_put_answer(arguments, answer);
  }
  const char *const file = output_file(arguments);
  const cli_exit written =
      put(arguments, answer, format_of_ending(arguments, file, otherwise), file);
  if (file == NULL || arguments->is_quiet) {
    return written;
  }
  return cli_exit_max(written, put(arguments, answer, DSM_FORM_TABLE, NULL));
}

cli_exit cli_finish_stdout(void) {
  /* What could not be written before, since the output is longer than its buffer, is tried again:
   * then the system says why. */
  const bool is_whole = ferror(stdout) == 0;
  clearerr(stdout);
  errno = 0;
  const bool is_flushed = fflush(stdout) == 0 && is_whole;
  const int flush_error = errno;
  const bool is_closed = fclose(stdout) == 0;
  const int close_error = errno;
  if (is_flushed && is_closed) {
    return CLI_EXIT_DONE;
  }
  const int error = is_flushed ? close_error : flush_error;
  return stdout_error(error == 0 ? EIO : error);
}
