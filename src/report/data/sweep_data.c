/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_data.c: the points of a sweep for programs. */
#include "base/json_write.h"
#include "report/data/cells.h"
#include "report/table/text_page.h"

static void write_cell(dsm__json_writer *writer, const dsm_cell *cell) {
  switch (cell->kind) {
  case DSM_CELL_NUMBER:
    dsm__json_write_double(writer, cell->number);
    break;
  case DSM_CELL_TEXT:
    dsm__json_write_string(writer, cell->text);
    break;
  case DSM_CELL_NONE:
  case DSM_CELL_KIND_COUNT:
    dsm__json_write_null(writer);
    break;
  }
}

char *dsm_report_points_json(const dsm_point_table *points) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-points/1");
  dsm__json_put_string(&writer, "name", points->name);
  dsm__json_put_u64(&writer, "point_count", points->point_count);
  dsm__json_put_array(&writer, "rows", false);
  for (size_t row = 0; row < points->row_count; row++) {
    dsm__json_begin_object(&writer, true);
    for (size_t c = 0; c < points->column_count; c++) {
      dsm__json_write_key(&writer, points->columns[c]);
      write_cell(&writer, &points->cells[row * points->column_count + c]);
    }
    dsm__json_end_object(&writer);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

static void put_cell(dsm__cells *csv, const dsm_cell *cell) {
  switch (cell->kind) {
  case DSM_CELL_NUMBER:
    dsm__cells_double(csv, cell->number);
    break;
  case DSM_CELL_TEXT:
    dsm__cells_text(csv, cell->text);
    break;
  case DSM_CELL_NONE:
  case DSM_CELL_KIND_COUNT:
    dsm__cells_empty(csv, 1);
    break;
  }
}

char *dsm_report_points_csv(const dsm_point_table *points) {
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  dsm__cells_texts(&csv, points->columns, points->column_count);
  dsm__cells_end_row(&csv);
  for (size_t row = 0; row < points->row_count; row++) {
    for (size_t c = 0; c < points->column_count; c++) {
      put_cell(&csv, &points->cells[row * points->column_count + c]);
    }
    dsm__cells_end_row(&csv);
  }
  return dsm__text_finish(&out);
}
