/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list.c: descriptions that can be had by name, and kinds of answers, one line each. */
#include <math.h>

#include "report/data/csv.h"
#include "report/data/describe_devices.h"
#include "report/data/list.h"
#include "report/data/records.h"
#include "report/declared.h"
#include "report/table/number_style.h"
#include "report/table/table.h"

#define NAME_COMFORT 26
#define ABOUT_COMFORT 38

/* How sizes are called in tables, with their unit (NULL: a count) and the rank by which their
 * columns go. */
static const struct {
  const char *title;
  const char *unit;
  unsigned rank;
} columns_of[DSM__LIST_COUNT] = {
    [DSM__LIST_LAYERS] = {"layers", NULL, 1},  [DSM__LIST_WEIGHTS] = {"weights", "", 1},
    [DSM__LIST_MACS] = {"MACs/sample", "", 1}, [DSM__LIST_CHIPS] = {"chips", NULL, 1},
    [DSM__LIST_CORES] = {"cores", NULL, 3},    [DSM__LIST_PEAK] = {"peak", "FLOP/s", 1},
    [DSM__LIST_MEMORY] = {"memory", "B", 2},   [DSM__LIST_DEVICES] = {"devices", NULL, 1},
    [DSM__LIST_POINTS] = {"points", NULL, 1},  [DSM__LIST_STAGES] = {"stages", NULL, 1},
    [DSM__LIST_SECONDS] = {"step", "s", 1},    [DSM__LIST_TRANSITIONS] = {"transitions", NULL, 1},
    [DSM__LIST_TABLE] = {"table", "B", 1},
};

/* ---- descriptions ---- */

/* A size is there if things of the kind have it; one that is unlimited is null. */
typedef struct item_row {
  const char *kind;
  const char *name;
  const char *file;
  const char *about; /* in the words of its comment, else of its source */
  dsm__value sizes[DSM__LIST_COUNT];
} item_row;

void dsm__put_size(dsm__value *sizes, size_t size, double value) {
  sizes[size] = (dsm__value){DSM__VALUE_NUMBER, value, NULL};
}

static void measure_server(dsm__value *sizes, const dsm_server *server) {
  double peak = 0;
  double memory = 0;
  for (size_t j = 0; j < server->device_count; j++) {
    peak += dsm__device_peak_flops(&server->devices[j]);
    memory += server->devices[j].memory_bytes;
  }
  dsm__put_size(sizes, DSM__LIST_DEVICES, (double)server->device_count);
  dsm__put_size(sizes, DSM__LIST_PEAK, peak);
  dsm__put_size(sizes, DSM__LIST_MEMORY, memory);
}

static void measure_workload(dsm__value *sizes, const dsm_workload *workload) {
  dsm__put_size(sizes, DSM__LIST_LAYERS, (double)workload->spec_count);
  dsm__put_size(sizes, DSM__LIST_WEIGHTS, (double)workload->weights);
  dsm__put_size(sizes, DSM__LIST_MACS, (double)workload->forward_macs);
}

static void measure_system(dsm__value *sizes, const dsm_system *system) {
  const double chips = (double)dsm_system_chips(system);
  dsm__put_size(sizes, DSM__LIST_CHIPS, chips);
  dsm__put_size(sizes, DSM__LIST_CORES, (double)dsm__system_cores(system));
  dsm__put_size(sizes, DSM__LIST_PEAK, dsm_system_peak_flops(system));
  dsm__put_size(sizes, DSM__LIST_MEMORY, chips * dsm__chip_memory_bytes(system));
}

static void measure(dsm__value *sizes, const dsm_described *what) {
  if (what->workload != NULL) {
    measure_workload(sizes, what->workload);
  } else if (what->system != NULL) {
    measure_system(sizes, what->system);
  } else if (what->server != NULL) {
    measure_server(sizes, what->server);
  } else if (what->chain != NULL) {
    dsm__put_size(sizes, DSM__LIST_STAGES, (double)what->chain->stage_count);
    dsm__put_size(sizes, DSM__LIST_SECONDS, dsm_remat_chain_seconds(what->chain));
  } else if (what->sweep != NULL) {
    dsm__put_size(sizes, DSM__LIST_POINTS, (double)what->sweep->point_count);
  }
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    if (dsm__companions[c]->list != NULL) {
      dsm__companions[c]->list(sizes, what);
    }
  }
}

static item_row row_of(const dsm_listed *item, dsm__described_as what) {
  item_row row = {.kind = dsm_description_name(what.kind),
                  .name = item->name,
                  .file = item->what.file,
                  .about = item->about != NULL   ? item->about
                           : what.source != NULL ? what.source
                                                 : ""};
  measure(row.sizes, &item->what);
  return row;
}

/* Servers come before sweeps. */
static dsm_description kind_at(size_t place) {
  return place == DSM_DESCRIPTION_SWEEP    ? DSM_DESCRIPTION_SERVER
         : place == DSM_DESCRIPTION_SERVER ? DSM_DESCRIPTION_SWEEP
                                           : (dsm_description)place;
}

/* By kind. */
static dsm__rows item_rows(dsm__page *page, const dsm_listing *listing) {
  dsm__rows made = dsm__rows_make(page, listing->item_count, sizeof(item_row));
  item_row *const rows = made.items;
  made.count = 0;
  for (size_t k = 0; rows != NULL && k < DSM_DESCRIPTION_COUNT; k++) {
    for (size_t i = 0; i < listing->item_count; i++) {
      const dsm__described_as what = dsm__described_as_what(&listing->items[i].what);
      if (what.kind == kind_at(k)) {
        rows[made.count++] = row_of(&listing->items[i], what);
      }
    }
  }
  return made;
}

/* ---- as tables ---- */

static void add_size(dsm__table *table, double value, size_t size) {
  const char *const unit = columns_of[size].unit;
  const char *const text =
      !isfinite(value) ? "unlimited"
      : unit == NULL   ? dsm__page_text(table->page, "%s", dsm__figure_count((uint64_t)value).text)
                       : dsm__page_text(table->page, "%s", dsm__figure_scaled(value, unit).text);
  dsm__table_text(table, text);
}

/* Items of a kind, which have the same sizes. */
static void put_kind(dsm__page *page, const item_row *rows, size_t count) {
  dsm__table_column columns[DSM__LIST_COUNT + 2] = {
      {.title = rows->kind, .is_name = true, .comfort = NAME_COMFORT}};
  size_t width = 1;
  for (size_t s = 0; s < DSM__LIST_COUNT; s++) {
    if (rows->sizes[s].kind != DSM__VALUE_NONE) {
      columns[width++] = (dsm__table_column){
          .title = columns_of[s].title, .gap = 2, .is_right = true, .rank = columns_of[s].rank};
    }
  }
  columns[width++] = (dsm__table_column){
      .title = "what it is", .gap = 2, .is_name = true, .comfort = ABOUT_COMFORT};
  dsm__table table = dsm__table_make(page, columns, width);
  for (size_t i = 0; i < count; i++) {
    dsm__table_text(&table, rows[i].name);
    for (size_t s = 0; s < DSM__LIST_COUNT; s++) {
      if (rows[i].sizes[s].kind != DSM__VALUE_NONE) {
        add_size(&table, rows[i].sizes[s].number, s);
      }
    }
    dsm__table_text(&table, rows[i].about);
  }
  dsm__table_print(&table);
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
  const dsm__rows made = item_rows(page, listing);
  const item_row *const rows = made.items;
  size_t end = 0;
  for (size_t begin = 0; begin < made.count; begin = end) {
    while (end < made.count && rows[end].kind == rows[begin].kind) {
      end++;
    }
    put_kind(page, &rows[begin], end - begin);
    if (end < made.count || listing->has_answers) {
      dsm__page_break(page);
    }
  }
  if (listing->has_answers) {
    put_answers(page);
  }
}

/* ---- for programs ---- */

#define TEXT(member, about)                                                                        \
  DSM__FIELD(TEXT, item_row, member, #member, DSM__COLUMN, .help = (about))
#define SIZE(index, key, of_unit, about)                                                           \
  DSM__FIELD(VALUE, item_row, sizes[index], key, DSM__COLUMN | DSM__OPTIONAL, .unit = (of_unit),   \
             .help = (about))

DSM__OWN_RECORD(item_record, item_row, false, "A description.",
                TEXT(kind, "What it is: workload, system, server, sweep, stages, rl-workload, "
                           "pim-system or technology."),
                TEXT(name, "As commands take it."), TEXT(file, "Where it is."),
                TEXT(about, "The comment at its top, or the first text of it; else its source."),
                SIZE(DSM__LIST_LAYERS, "layers", NULL, "Of a workload."),
                SIZE(DSM__LIST_WEIGHTS, "weights", NULL, "Weights of a workload."),
                SIZE(DSM__LIST_MACS, "macs_forward_per_sample", NULL, "MACs of a workload."),
                SIZE(DSM__LIST_CHIPS, "chips", NULL, "Of a system."),
                SIZE(DSM__LIST_CORES, "cores", NULL,
                     "All cores of a system, also of cores in memory."),
                SIZE(DSM__LIST_DEVICES, "devices", NULL, "Of a server."),
                SIZE(DSM__LIST_PEAK, "peak_flops", "FLOP/s",
                     "Of a system, with elements of 16 bits, or of all devices of a server."),
                SIZE(DSM__LIST_MEMORY, "memory_bytes", "bytes",
                     "Of all chips, all devices or all cores in memory; null: unlimited."),
                SIZE(DSM__LIST_POINTS, "points", NULL, "Of a sweep."),
                SIZE(DSM__LIST_STAGES, "stages", NULL, "Of a chain."),
                SIZE(DSM__LIST_SECONDS, "step_seconds", "seconds",
                     "Of a step of a chain that computes nothing again."),
                SIZE(DSM__LIST_TRANSITIONS, "transitions", NULL,
                     "Of a table of values; of all agents."),
                SIZE(DSM__LIST_TABLE, "table_bytes", "bytes", "Of all tables of values."));

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

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_listing *const listing = answer->of;
  document *const made = to;
  made->items = item_rows(page, listing);
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
