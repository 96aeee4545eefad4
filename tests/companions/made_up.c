/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made_up.c: a companion as a folder would have it: a command, and an answer that is a row. It asks
 * to stand beside a command and before an option that there are not. */
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#define CLI_ROW_ARGUMENTS cli_made_up_arguments
#include "base/companion.h"
#include "cli/rows/option_row.h"
#include "cli/run/output.h"
#include "report/data/records.h"

/* ---- the answer ---- */

typedef struct made_up_row {
  const char *name;
  double seconds;
} made_up_row;

typedef struct made_up {
  const char *name;
  double seconds;
  dsm__rows rows;
} made_up;

DSM__OWN_RECORD(row_record, made_up_row, true, "A part.",
                DSM__FIELD(TEXT, made_up_row, name, "name", DSM__COLUMN, .help = "Its name."),
                DSM__REAL(made_up_row, seconds, "seconds", DSM__COLUMN, "seconds", "Of it."));

DSM__OWN_ANSWER(made_up_record, made_up, "dsm-made-up/1", "What is made up", "dsm made-up",
                DSM__FIELD(TEXT, made_up, name, "name", DSM__ASKED, .help = "Its name."),
                DSM__REAL(made_up, seconds, "seconds", DSM__LESS, "seconds", "Of all."),
                DSM__ROWS(made_up, rows, "rows", row_record, "Its parts."));

static const dsm__table_column columns[] = {DSM__COLUMN_OF("part", "{name}", .is_name = true),
                                            DSM__NUMBERS("ms", "{seconds:m4}")};
static const dsm__row_table table = {.list = "rows", DSM__COLUMNS(columns)};
static const dsm__section sections[] = {{.id = "rows", .title = "Parts", .table = &table}};
static const dsm__layout layout = {
    .type = &made_up_record, .heading = "{name}: {seconds:m4} ms", DSM__SECTIONS(sections)};

static const dsm_answer_kind kind = {
    .record = &made_up_record, .tables = {"rows"}, .layout = &layout};

const dsm__companion dsm__companion_made_up = {.kinds = {&kind}, .formats = {&made_up_record}};

/* ---- the command ---- */

typedef struct cli_made_up_arguments {
  bool is_twice;
} cli_made_up_arguments;

static cli_exit run(const cli_arguments *arguments) {
  const cli_made_up_arguments *const own = arguments->own;
  const double times = own->is_twice ? 2 : 1;
  made_up_row rows[] = {{"one", 0.25 * times}, {"other", 0.5 * times}};
  const made_up of = {.name = "it", .seconds = 0.75 * times, .rows = {rows, DSM__COUNT_OF(rows)}};
  return cli_put_answer(arguments, (dsm_answer){.kind = &kind, .of = &of});
}

static const cli_option options[] = {
    {.name = "twice", .help = "take twice as long", FLAG(is_twice)},
};

const cli_companion cli_companion_made_up = {
    .command = {.name = "made-up",
                .shares = CLI_SHOWS | CLI_WRITES,
                .operands = "",
                .summary = "make something up",
                .description = "Makes something up.",
                .run = run},
    .after = "nothing",
    .before = "nothing",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(cli_made_up_arguments),
};
