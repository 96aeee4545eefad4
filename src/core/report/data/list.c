/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list.c: descriptions that can be had by name, and kinds of answers, one line each. */
#include <math.h>

#include "report/data/csv.h"
#include "report/data/describe_devices.h"
#include "report/data/records.h"
#include "report/declared.h"
#include "report/table/number_style.h"
#include "report/table/table.h"

#define FIGURES_OF_KIND_MAX 4
#define NAME_COMFORT 26
#define ABOUT_COMFORT 38

enum {
  NO_FIGURE = 0,
  FIGURE_LAYERS,
  FIGURE_WEIGHTS,
  FIGURE_MACS,
  FIGURE_CHIPS,
  FIGURE_CORES,
  FIGURE_PEAK,
  FIGURE_MEMORY,
  FIGURE_DEVICES,
  FIGURE_POINTS,
  FIGURE_STAGES,
  FIGURE_SECONDS,
  FIGURE_TRANSITIONS,
  FIGURE_TABLE,
  FIGURE_COUNT
};

/* How sizes are called in tables, with their unit (NULL: a count) and the rank by which their
 * columns go. */
static const struct {
  const char *title;
  const char *unit;
  unsigned rank;
} figures[FIGURE_COUNT] = {
    [FIGURE_LAYERS] = {"layers", NULL, 1},  [FIGURE_WEIGHTS] = {"weights", "", 1},
    [FIGURE_MACS] = {"MACs/sample", "", 1}, [FIGURE_CHIPS] = {"chips", NULL, 1},
    [FIGURE_CORES] = {"cores", NULL, 3},    [FIGURE_PEAK] = {"peak", "FLOP/s", 1},
    [FIGURE_MEMORY] = {"memory", "B", 2},   [FIGURE_DEVICES] = {"devices", NULL, 1},
    [FIGURE_POINTS] = {"points", NULL, 1},  [FIGURE_STAGES] = {"stages", NULL, 1},
    [FIGURE_SECONDS] = {"step", "s", 1},    [FIGURE_TRANSITIONS] = {"transitions", NULL, 1},
    [FIGURE_TABLE] = {"table", "B", 1},
};

/* In the order in which they are shown, with the sizes of each. */
static const struct {
  dsm_description kind;
  unsigned figures[FIGURES_OF_KIND_MAX];
} kinds[] = {
    {DSM_DESCRIPTION_WORKLOAD, {FIGURE_LAYERS, FIGURE_WEIGHTS, FIGURE_MACS}},
    {DSM_DESCRIPTION_SYSTEM, {FIGURE_CHIPS, FIGURE_CORES, FIGURE_PEAK, FIGURE_MEMORY}},
    {DSM_DESCRIPTION_SERVER, {FIGURE_DEVICES, FIGURE_PEAK, FIGURE_MEMORY}},
    {DSM_DESCRIPTION_SWEEP, {FIGURE_POINTS}},
    {DSM_DESCRIPTION_STAGES, {FIGURE_STAGES, FIGURE_SECONDS}},
    {DSM_DESCRIPTION_RL_WORKLOAD, {FIGURE_TRANSITIONS, FIGURE_TABLE}},
    {DSM_DESCRIPTION_PIM_SYSTEM, {FIGURE_CORES, FIGURE_MEMORY}},
};
enum { KIND_COUNT = DSM__COUNT_OF(kinds) };

static double server_figure(const dsm_server *server, unsigned figure) {
  double sum = 0;
  for (size_t j = 0; j < server->device_count; j++) {
    sum += figure == FIGURE_PEAK     ? dsm__device_peak_flops(&server->devices[j])
           : figure == FIGURE_MEMORY ? server->devices[j].memory_bytes
                                     : 1;
  }
  return sum;
}

static double workload_figure(const dsm_workload *workload, unsigned figure) {
  return figure == FIGURE_LAYERS    ? (double)workload->spec_count
         : figure == FIGURE_WEIGHTS ? (double)workload->weights
                                    : (double)workload->forward_macs;
}

static double system_figure(const dsm_system *system, unsigned figure) {
  const double chips = (double)dsm_system_chips(system);
  return figure == FIGURE_CHIPS   ? chips
         : figure == FIGURE_CORES ? (double)dsm__system_cores(system)
         : figure == FIGURE_PEAK  ? dsm_system_peak_flops(system)
                                  : chips * dsm__chip_memory_bytes(system);
}

static double chain_figure(const dsm_remat_chain *chain, unsigned figure) {
  return figure == FIGURE_STAGES ? (double)chain->stage_count : dsm_remat_chain_seconds(chain);
}

static double rl_figure(const dsm_rl_workload *workload, unsigned figure) {
  const double agents = workload->agents > 0 ? (double)workload->agents : 1;
  return agents *
         (figure == FIGURE_TABLE ? dsm_pim_table_bytes(workload) : (double)workload->transitions);
}

static double pim_figure(const dsm_pim_system *system, unsigned figure) {
  return figure == FIGURE_CORES ? (double)system->cores : dsm__pim_memory_bytes(system);
}

static double figure_of(const dsm_listed *item, unsigned figure) {
  const dsm_described *const what = &item->what;
  return what->workload != NULL      ? workload_figure(what->workload, figure)
         : what->system != NULL      ? system_figure(what->system, figure)
         : what->server != NULL      ? server_figure(what->server, figure)
         : what->chain != NULL       ? chain_figure(what->chain, figure)
         : what->rl_workload != NULL ? rl_figure(what->rl_workload, figure)
         : what->pim_system != NULL  ? pim_figure(what->pim_system, figure)
                                     : (double)what->sweep->point_count;
}

static bool is_of_kind(const dsm_listed *item, size_t k) {
  return dsm__described_as_what(&item->what).kind == kinds[k].kind;
}

/* What it is, in the words of its comment, else of its source. */
static const char *about_of(const dsm_listed *item) {
  const char *const source = dsm__described_as_what(&item->what).source;
  return item->about != NULL ? item->about : source != NULL ? source : "";
}

/* ---- as tables ---- */

static void add_figure(dsm__table *table, double value, unsigned figure) {
  const char *const text =
      !isfinite(value) ? "unlimited"
      : figures[figure].unit == NULL
          ? dsm__page_text(table->page, "%s", dsm__figure_count((uint64_t)value).text)
          : dsm__page_text(table->page, "%s", dsm__figure_scaled(value, figures[figure].unit).text);
  dsm__table_text(table, text);
}

static void put_kind(dsm__page *page, size_t k, const dsm_listed *items, size_t count) {
  dsm__table_column columns[FIGURES_OF_KIND_MAX + 2] = {
      {.title = dsm_description_name(kinds[k].kind), .is_name = true, .comfort = NAME_COMFORT}};
  size_t width = 1;
  for (size_t f = 0; f < FIGURES_OF_KIND_MAX && kinds[k].figures[f] != NO_FIGURE; f++) {
    const unsigned figure = kinds[k].figures[f];
    columns[width++] = (dsm__table_column){
        .title = figures[figure].title, .gap = 2, .is_right = true, .rank = figures[figure].rank};
  }
  columns[width++] = (dsm__table_column){
      .title = "what it is", .gap = 2, .is_name = true, .comfort = ABOUT_COMFORT};
  dsm__table table = dsm__table_make(page, columns, width);
  for (size_t i = 0; i < count; i++) {
    if (is_of_kind(&items[i], k)) {
      dsm__table_text(&table, items[i].name);
      for (size_t f = 0; f + 2 < width; f++) {
        const unsigned figure = kinds[k].figures[f];
        add_figure(&table, figure_of(&items[i], figure), figure);
      }
      dsm__table_text(&table, about_of(&items[i]));
    }
  }
  dsm__table_print(&table);
}

static size_t count_of_kind(size_t k, const dsm_listed *items, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    found += is_of_kind(&items[i], k) ? 1 : 0;
  }
  return found;
}

/* ---- answers ---- */

typedef struct answer_row {
  const char *format;
  const char *command;
  const char *what;
  const char *words[DSM_FORM_COUNT];
  const char *const *forms; /* these */
  size_t form_count;
} answer_row;

/* A plan writes its format itself, whose version depends on its words. */
static answer_row answer_row_of(const dsm_answer_kind *kind) {
  static const char *const words[] = {[DSM_FORM_TABLE] = "table",
                                      [DSM_FORM_JSON] = "json",
                                      [DSM_FORM_CSV] = "csv",
                                      [DSM_FORM_JUNIT] = "junit"};
  answer_row row = {.format = kind->record->format != NULL ? kind->record->format : "dsm-plan/1",
                    .command = kind->record->command,
                    .what = kind->record->answer};
  for (dsm_form form = 0; form < DSM__COUNT_OF(words); form++) {
    if (dsm__answer_has_form(kind, form)) {
      row.words[row.form_count++] = words[form];
    }
  }
  return row;
}

static dsm__rows answer_rows(dsm__page *page) {
  size_t count = 0;
  while (dsm__answer_kind(count) != NULL) {
    count++;
  }
  const dsm__rows made = dsm__rows_make(page, count, sizeof(answer_row));
  answer_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = answer_row_of(dsm__answer_kind(i));
    rows[i].forms = rows[i].words;
  }
  return made;
}

static void put_answers(dsm__page *page) {
  static const dsm__table_column columns[] = {
      {.title = "answer", .is_name = true, .comfort = NAME_COMFORT},
      {.title = "made by", .gap = 2, .is_name = true, .comfort = NAME_COMFORT},
      {.title = "forms", .gap = 2, .rank = 2},
      {.title = "what it is", .gap = 2, .is_name = true, .comfort = 28}};
  const dsm__rows made = answer_rows(page);
  const answer_row *const rows = made.items;
  dsm__table table = dsm__table_make(page, columns, DSM__COUNT_OF(columns));
  for (size_t i = 0; i < made.count; i++) {
    const char *forms = rows[i].forms[0];
    for (size_t f = 1; f < rows[i].form_count; f++) {
      forms = dsm__page_text(page, "%s %s", forms, rows[i].forms[f]);
    }
    dsm__table_text(&table, rows[i].format);
    dsm__table_text(&table, rows[i].command);
    dsm__table_text(&table, forms);
    dsm__table_text(&table, rows[i].what);
  }
  dsm__table_print(&table);
}

static void show(dsm__page *page, const dsm_answer *answer) {
  const dsm_listing *const listing = answer->of;
  bool is_first = true;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    if (count_of_kind(k, listing->items, listing->item_count) > 0) {
      if (!is_first) {
        dsm__page_break(page);
      }
      put_kind(page, k, listing->items, listing->item_count);
      is_first = false;
    }
  }
  if (listing->has_answers) {
    if (!is_first) {
      dsm__page_break(page);
    }
    put_answers(page);
  }
}

/* ---- for programs ---- */

/* A size is there if things of the kind have it; one that is unlimited is null. */
typedef struct item_row {
  const char *kind;
  const char *name;
  const char *file;
  const char *about;
  dsm__value figures[FIGURE_COUNT];
} item_row;

#define TEXT(member, about)                                                                        \
  DSM__FIELD(TEXT, item_row, member, #member, DSM__COLUMN, .help = (about))
#define FIGURE(index, key, of_unit, about)                                                         \
  DSM__FIELD(VALUE, item_row, figures[index], key, DSM__COLUMN | DSM__OPTIONAL, .unit = (of_unit), \
             .help = (about))

DSM__OWN_RECORD(item_record, item_row, false, "A description.",
                TEXT(kind, "What it is: workload, system, server, sweep, stages, rl-workload or "
                           "pim-system."),
                TEXT(name, "As commands take it."), TEXT(file, "Where it is."),
                TEXT(about, "The comment at its top, or the first text of it; else its source."),
                FIGURE(FIGURE_LAYERS, "layers", NULL, "Of a workload."),
                FIGURE(FIGURE_WEIGHTS, "weights", NULL, "Weights of a workload."),
                FIGURE(FIGURE_MACS, "macs_forward_per_sample", NULL, "MACs of a workload."),
                FIGURE(FIGURE_CHIPS, "chips", NULL, "Of a system."),
                FIGURE(FIGURE_CORES, "cores", NULL,
                       "All cores of a system, also of cores in memory."),
                FIGURE(FIGURE_DEVICES, "devices", NULL, "Of a server."),
                FIGURE(FIGURE_PEAK, "peak_flops", "FLOP/s",
                       "Of a system, with elements of 16 bits, or of all devices of a server."),
                FIGURE(FIGURE_MEMORY, "memory_bytes", "bytes",
                       "Of all chips, all devices or all cores in memory; null: unlimited."),
                FIGURE(FIGURE_POINTS, "points", NULL, "Of a sweep."),
                FIGURE(FIGURE_STAGES, "stages", NULL, "Of a chain."),
                FIGURE(FIGURE_SECONDS, "step_seconds", "seconds",
                       "Of a step of a chain that computes nothing again."),
                FIGURE(FIGURE_TRANSITIONS, "transitions", NULL,
                       "Of a table of values; of all agents."),
                FIGURE(FIGURE_TABLE, "table_bytes", "bytes", "Of all tables of values."));

#define ANSWER_TEXT(member, key, about)                                                            \
  DSM__FIELD(TEXT, answer_row, member, key, DSM__COLUMN, .help = (about))

DSM__OWN_RECORD(answer_record, answer_row, true, "A kind of answer.",
                ANSWER_TEXT(format, "format", "Of its document."),
                ANSWER_TEXT(command, "command", "That writes it."),
                DSM__FIELD(TEXT_LIST, answer_row, forms, "forms", 0,
                           .count_offset = offsetof(answer_row, form_count),
                           .help = "Words of `--format` that it has."),
                ANSWER_TEXT(what, "about", "What it is."));

typedef struct document {
  dsm__rows items;
  dsm__rows answers;
} document;

DSM__ANSWER(dsm__list_record, document, "dsm-list/1", "What can be had by name, and answers",
            "dsm list",
            DSM__ROWS(document, items, "items", item_record,
                      "By kind; within a kind the folders of $DSM_PATH first, in the "
                      "order of names."),
            DSM__ROWS_IF_ANY(document, answers, "answers", answer_record,
                             "Kinds of answers; absent where a kind of description was asked "
                             "for."));

static item_row row_of(const dsm_listed *item, size_t k) {
  item_row row = {.kind = dsm_description_name(kinds[k].kind),
                  .name = item->name,
                  .file = item->what.file,
                  .about = about_of(item)};
  for (size_t f = 0; f < FIGURES_OF_KIND_MAX && kinds[k].figures[f] != NO_FIGURE; f++) {
    const unsigned figure = kinds[k].figures[f];
    row.figures[figure] = (dsm__value){DSM__VALUE_NUMBER, figure_of(item, figure), NULL};
  }
  return row;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_listing *const listing = answer->of;
  document *const made = to;
  made->items = dsm__rows_make(page, listing->item_count, sizeof(item_row));
  item_row *const rows = made->items.items;
  made->items.count = 0;
  for (size_t k = 0; rows != NULL && k < KIND_COUNT; k++) {
    for (size_t i = 0; i < listing->item_count; i++) {
      if (is_of_kind(&listing->items[i], k)) {
        rows[made->items.count++] = row_of(&listing->items[i], k);
      }
    }
  }
  if (listing->has_answers) {
    made->answers = answer_rows(page);
  }
}

static void put_answer_rows(dsm__csv *csv, const dsm__rows *made) {
  const answer_row *const rows = made->items;
  dsm__csv_columns(csv, &answer_record);
  for (size_t i = 0; i < made->count; i++) {
    DSM__CSV_ROW(csv, {&answer_record, &rows[i]});
  }
}

static void put_rows(dsm__csv *csv, const void *of) {
  /* In JSON devices come before the peak. */
  static const char *const first[] = {
      "kind",  "name",  "file",       "about",       "layers", "weights", "macs_forward_per_sample",
      "chips", "cores", "peak_flops", "memory_bytes"};
  const document *const made = of;
  const item_row *const rows = made->items.items;
  if (made->items.count == 0 && made->answers.count > 0) {
    put_answer_rows(csv, &made->answers);
    return;
  }
  for (size_t c = 0; c < DSM__COUNT_OF(first); c++) {
    dsm__csv_column(csv, &item_record, first[c]);
  }
  dsm__csv_columns(csv, &item_record);
  for (size_t i = 0; i < made->items.count; i++) {
    DSM__CSV_ROW(csv, {&item_record, &rows[i]});
  }
}

const dsm_answer_kind dsm_answer_list = {
    .record = &dsm__list_record, .fill = fill, .put_rows = put_rows, .views = {show}};
