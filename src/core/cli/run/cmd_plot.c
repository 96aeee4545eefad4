/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"
#include "cli/run/interrupt.h"
#include "cli/run/output.h"
#include "cli/run/sweep_view.h"

/* Bytes of the name of a script. */
#define NAME_SIZE 101

/* What is asked for, after the options are looked at. */
typedef struct request {
  const cli_arguments *arguments;
  const char *input;  /* the file, or the point of a database, that is plotted */
  dsm_plot_form form; /* of the picture */
  char name[NAME_SIZE];
} request;

/* ---- options ---- */

/* The form that the name of a file asks for; false if it asks for none. */
static bool form_of_ending(const char *file, dsm_plot_form *form) {
  const char *const dot = strrchr(file, '.');
  for (size_t i = 0; dot != NULL && i < DSM_PLOT_FORM_COUNT; i++) {
    if (strcmp(dot + 1, dsm_plot_form_name((dsm_plot_form)i)) == 0) {
      *form = (dsm_plot_form)i;
      return true;
    }
  }
  return false;
}

/* What is plain in any shell and in a script stays, the rest becomes '_'. */
static void name_script(char name[NAME_SIZE], const char *text, size_t length) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const size_t kept = length < NAME_SIZE - 1 ? length : NAME_SIZE - 1;
  for (size_t i = 0; i < kept; i++) {
    name[i] = strchr(plain, text[i]) == NULL ? '_' : text[i];
  }
  name[kept] = '\0';
}

/* Where the picture goes, its form, and how the script is called: as the picture, else as the
 * figure. */
static cli_exit settle_output(request *wanted, const char *figure) {
  const cli_arguments *const arguments = wanted->arguments;
  const char *const output = arguments->output;
  name_script(wanted->name, figure, strlen(figure));
  if (output == NULL) {
    return arguments->plot.script != NULL
               ? CLI_EXIT_DONE
               : cli_usage_error(arguments->command,
                                 "expected where the picture goes: -o FILE.svg, FILE.png or "
                                 "FILE.pdf; or --script FOLDER");
  }
  if (!form_of_ending(output, &wanted->form)) {
    return cli_usage_error(arguments->command,
                           "--output: expected a name that ends in .svg, .png or .pdf, found '%s'",
                           output);
  }
  const char *const base = cli_last_part(output);
  const size_t length = (size_t)(strrchr(base, '.') - base);
  if (length == 0) {
    return cli_usage_error(arguments->command,
                           "--output: expected a name before the ending, found '%s'", output);
  }
  name_script(wanted->name, base, length);
  return CLI_EXIT_DONE;
}

/* ---- writing ---- */

static cli_exit put_script(const request *wanted, const char *path, const char *text) {
  const char *const folder = wanted->arguments->plot.script;
  const bool is_made = mkdir(folder, 0777) == 0;
  if (!is_made && errno != EEXIST) {
    return cli_outside_error("cannot make the folder '%s': %s", folder, strerror(errno));
  }
  const cli_exit outcome =
      cli_is_same_file(path, wanted->input)
          ? cli_usage_error(wanted->arguments->command, "--script: '%s' is what is plotted", path)
          : cli_put_file(wanted->arguments, "script", path, text, strlen(text));
  if (outcome != CLI_EXIT_DONE && is_made) {
    (void)rmdir(folder);
  }
  return outcome;
}

/* With its folder or not at all: signals wait meanwhile. */
static cli_exit write_script(const request *wanted, const dsm_plot *plot) {
  char name[NAME_SIZE + 4];
  (void)snprintf(name, sizeof name, "%s.gp", wanted->name);
  char *const text = dsm_plot_script(plot, wanted->name, wanted->form);
  char *const path = cli_join_path(wanted->arguments->plot.script, name);
  cli_interrupt_hold();
  const cli_exit outcome =
      text == NULL || path == NULL ? cli_out_of_memory() : put_script(wanted, path, text);
  cli_interrupt_release();
  free(path);
  free(text);
  return outcome;
}

/* The first character (UTF-8) that common fonts do not have, of at most `length` bytes: beyond
 * Latin, Greek and Cyrillic (to U+052F and U+1E00 to U+1FFF) and punctuation, arrows and signs
 * (U+2000 to U+23FF). NULL: there is none. */
static const char *rare_character(const char *text, int *length) {
  for (const char *at = text; *at != '\0'; at++) {
    const unsigned char lead = (unsigned char)at[0];
    const unsigned char next = lead < 0xC0 ? 0 : (unsigned char)at[1];
    const bool is_common = lead < 0xD4 || (lead == 0xD4 && next < 0xB0) ||
                           (lead == 0xE1 && next >= 0xB8) || (lead == 0xE2 && next < 0x90);
    if (!is_common) {
      *length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      return at;
    }
  }
  return NULL;
}

static void note_rare_characters(const request *wanted, const dsm_plot *plot) {
  int length = 0;
  const char *const found =
      wanted->form == DSM_PLOT_SVG ? NULL : rare_character(plot->body, &length);
  if (found != NULL) {
    cli_note(
        wanted->arguments,
        "a name has '%.*s', which is no letter of Latin, Greek or Cyrillic: where no installed "
        "font has it, a %s can be spoilt by huge boxes; use .svg",
        length, found, dsm_plot_form_name(wanted->form));
  }
}

static cli_exit write_picture(const request *wanted, const dsm_plot *plot) {
  char *const program = dsm_plot_script(plot, NULL, wanted->form);
  if (program == NULL) {
    return cli_out_of_memory();
  }
  note_rare_characters(wanted, plot);
  char *picture;
  size_t length = 0;
  cli_exit outcome = cli_gnuplot_run(program, wanted->form, &picture, &length);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_file(wanted->arguments, "output", wanted->arguments->output, picture, length);
  }
  free(picture);
  free(program);
  return outcome;
}

/* The script first: it needs nothing from outside. */
static cli_exit put_plot(const request *wanted, const dsm_plot *plot) {
  cli_exit outcome = CLI_EXIT_DONE;
  if (wanted->arguments->plot.script != NULL) {
    outcome = write_script(wanted, plot);
  }
  if (outcome == CLI_EXIT_DONE && wanted->arguments->output != NULL) {
    outcome = write_picture(wanted, plot);
  }
  return outcome;
}

/* ---- figures of an answer ---- */

/* Options that say what a figure of points shows. */
static const char *const of_points[] = {"x",      "y",   "series", "panels", "means", "value",
                                        "pareto", "log", "where",  "define", NULL};

static cli_exit check_no_points(const request *wanted) {
  const char *const given = cli_given_of(wanted->arguments, of_points);
  return given == NULL ? CLI_EXIT_DONE
                       : cli_usage_error(wanted->arguments->command,
                                         "--%s goes with the database of a sweep, but '%s' is a "
                                         "plan",
                                         given, wanted->input);
}

/* Figures of what was read: number `index`, NULL after the last. */
static const char *figure_word(const cli_plan_operand *operand, size_t index) {
  return operand->plan != NULL ? cli_plan_figure_word(index)
                               : dsm_answer_figure_name(operand->answer.kind, index);
}

static dsm_status draw(dsm_plot **plot, const cli_plan_operand *operand, size_t figure,
                       const cli_arguments *arguments) {
  return operand->plan != NULL ? dsm_plot_plan(plot, operand->plan, (dsm_plan_figure)figure,
                                               arguments->is_unfolded, arguments->diags)
                               : dsm_plot_answer(plot, operand->answer, figure, arguments->diags);
}

static cli_exit plot_drawn(request *wanted, const cli_plan_operand *operand) {
  const char *const asked = wanted->arguments->plot.figure;
  const char *const word = asked == NULL ? figure_word(operand, 0) : asked;
  size_t figure = 0;
  while (figure_word(operand, figure) != NULL && strcmp(figure_word(operand, figure), word) != 0) {
    figure++;
  }
  if (figure_word(operand, figure) == NULL) {
    return cli_usage_error(
        wanted->arguments->command, "--figure: '%s' is not of %s, but '%s' is one", word,
        operand->plan != NULL ? "a plan" : cli_companion_answer_of(operand->answer.kind)->what,
        wanted->input);
  }
  cli_exit outcome = check_no_points(wanted);
  if (outcome == CLI_EXIT_DONE) {
    outcome = settle_output(wanted, word);
  }
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  dsm_plot *plot = NULL;
  const dsm_status status = draw(&plot, operand, figure, wanted->arguments);
  cli_print_findings(wanted->arguments);
  if (status == DSM_OK) {
    cli_note_recorded(wanted->arguments, "the plan", operand->answer);
  }
  outcome = status == DSM_OK ? put_plot(wanted, plot) : cli_exit_of(status);
  dsm_plot_free(plot);
  return outcome;
}

/* ---- figures of the points of a sweep ---- */

/* Options that a figure has no use for. */
static cli_exit check_view(const request *wanted, dsm_points_figure figure) {
  const bool is_cells = figure == DSM_POINTS_FIGURE_HEATMAP;
  const bool is_front = figure == DSM_POINTS_FIGURE_PARETO;
  const struct {
    const char *option;
    bool is_useless;
  } views[] = {{"value", !is_cells}, {"pareto", !is_front}, {"series", is_cells || is_front}};
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
    if (views[i].is_useless && cli_is_given(wanted->arguments, views[i].option)) {
      return cli_usage_error(wanted->arguments->command, "--%s does not go with --figure %s",
                             views[i].option, dsm_points_figure_name(figure));
    }
  }
  return CLI_EXIT_DONE;
}

static cli_exit plot_points(request *wanted) {
  const cli_arguments *const arguments = wanted->arguments;
  dsm_diags *const diags = arguments->diags;
  const char *const word = arguments->plot.figure;
  dsm_points_figure figure = DSM_POINTS_FIGURE_LINES;
  if (word != NULL && !dsm_points_figure_parse(word, &figure)) {
    return cli_usage_error(arguments->command,
                           "--figure: '%s' is of a plan, but '%s' is the database of a sweep", word,
                           wanted->input);
  }
  cli_exit outcome = check_view(wanted, figure);
  if (outcome == CLI_EXIT_DONE) {
    outcome = settle_output(wanted, dsm_points_figure_name(figure));
  }
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  dsm_points_view view = arguments->plot.view;
  view.wheres = arguments->wheres.items;
  view.where_count = arguments->wheres.count;
  dsm_store *store = NULL;
  dsm_point_table *points = NULL;
  dsm_plot *plot = NULL;
  dsm_status status = dsm_store_open_read(&store, wanted->input, diags);
  if (status == DSM_OK) {
    status = dsm_store_points(store, &points, diags);
  }
  if (status == DSM_OK) {
    status = cli_define_columns(arguments, points);
  }
  if (status == DSM_OK) {
    status = dsm_plot_points(&plot, points, figure, &view, diags);
  }
  dsm_store_close(store);
  cli_print_findings(arguments);
  /* Of means the figure says it. */
  if (status == DSM_OK && !view.are_means && points->row_count < points->point_count) {
    cli_note(arguments, "%zu of %zu point%s of '%s' %s recorded", points->row_count,
             points->point_count, points->point_count == 1 ? "" : "s", wanted->input,
             points->point_count == 1 ? "is" : "are");
  }
  outcome = status == DSM_OK ? put_plot(wanted, plot) : cli_exit_of(status);
  dsm_plot_free(plot);
  dsm_point_table_free(points);
  return outcome;
}

/* What the operand is says which figures there are. */
static cli_exit plot_operand(request *wanted) {
  cli_plan_operand operand;
  cli_exit outcome =
      cli_tell(wanted->arguments, cli_load_plan(&operand, wanted->arguments, wanted->input));
  if (outcome == CLI_EXIT_DONE) {
    outcome = plot_drawn(wanted, &operand);
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

cli_exit cli_run_plot(const cli_arguments *arguments) {
  const char *const name = arguments->operands[0];
  const bool is_point = cli_is_point(name);
  char *path = NULL;
  const dsm_status status =
      is_point ? DSM_OK : cli_find_input(&path, arguments, name, 0, arguments->diags);
  cli_exit outcome = cli_exit_of(status);
  if (status == DSM_OK) {
    request wanted = {
        .arguments = arguments, .input = is_point ? name : path, .form = DSM_PLOT_SVG};
    outcome =
        !is_point && dsm_store_is_database(path) ? plot_points(&wanted) : plot_operand(&wanted);
  } else {
    cli_print_findings(arguments);
  }
  free(path);
  return outcome;
}
