/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_data.c: the points of a sweep for programs (format "dsm-points/1", and CSV). */
#include "dsm/sweep_store.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "sweep/point_record.h"

/* The table of a row: which columns there are, the sweep says. */
typedef struct document {
  const dsm_point_table *points;
  const char *name;
  size_t point_count;
  dsm__record_type row;
  dsm__rows values; /* of all rows */
} document;

static const unsigned char *row_at(const document *made, size_t row) {
  return (const unsigned char *)made->values.items + row * made->row.size;
}

static void write_rows(dsm__json_writer *writer, const void *record) {
  const document *const made = record;
  dsm__json_begin_array(writer, false);
  for (size_t row = 0; row < made->points->row_count; row++) {
    dsm__record_write(writer, &made->row, row_at(made, row));
  }
  dsm__json_end_array(writer);
}

DSM__ANSWER(
    dsm__points_record, document, "dsm-points/1", "Results of a sweep", "dsm sweep SPEC",
    DSM__FIELD(TEXT, document, name, "name", 0, .help = "Of the sweep."),
    DSM__FIELD(COUNT, document, point_count, "point_count", 0, .min = 1,
               .max = DSM_SWEEP_POINTS_MAX,
               .help = "Points of the sweep; more than rows if it is not complete or only "
                       "some rows are asked for."),
    DSM__OWN(
        "rows", 0, write_rows, LIST, .type = &dsm__point_record,
        .help =
            "In order of points, or of the objectives: the columns of the view `points` without "
            "`plan`, null where there is no value."));

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_point_table *const points = answer->of;
  static const dsm__value_kind kinds[DSM_CELL_KIND_COUNT] = {
      [DSM_CELL_NUMBER] = DSM__VALUE_NUMBER, [DSM_CELL_TEXT] = DSM__VALUE_TEXT};
  const size_t count = points->column_count;
  const dsm__rows columns = dsm__rows_make(page, count, sizeof(dsm__field));
  const dsm__rows values = dsm__rows_make(page, points->row_count * count, sizeof(dsm__value));
  dsm__field *const fields = columns.items;
  dsm__value *const value = values.items;
  for (size_t c = 0; c < columns.count; c++) {
    fields[c] = (dsm__field){.key = points->columns[c],
                             .kind = DSM__FIELD_VALUE,
                             .flags = DSM__COLUMN | DSM__NULLABLE,
                             .offset = c * sizeof(dsm__value)};
  }
  for (size_t i = 0; i < values.count; i++) {
    const dsm_cell *const cell = &points->cells[i];
    value[i] = (dsm__value){kinds[cell->kind], cell->number, cell->text};
  }
  *(document *)to = (document){.points = points,
                               .name = points->name,
                               .point_count = points->point_count,
                               .row = {.name = "row",
                                       .size = count * sizeof(dsm__value),
                                       .fields = fields,
                                       .field_count = columns.count,
                                       .is_inline = true},
                               .values = values};
}

static void put_rows(dsm__csv *csv, const void *of) {
  const document *const made = of;
  for (size_t c = 0; c < made->points->column_count; c++) {
    dsm__csv_named_column(csv, made->points->columns[c]);
  }
  for (size_t row = 0; row < made->points->row_count; row++) {
    DSM__CSV_ROW(csv, {&made->row, row_at(made, row)});
  }
}

const dsm_answer_kind dsm_answer_points = {
    .record = &dsm__points_record, .fill = fill, .put_rows = put_rows, .views = {dsm__show_points}};
