/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text_buffer.h"

/* ---- the values of a column ---- */

/* A row and what it is sorted by. */
typedef struct entry {
  dsm_cell cell;
  size_t row;   /* of a value: the first row that has it */
  size_t value; /* of a row: number of its value among those in order of cells */
} entry;

/* By values, then by rows. */
DSM__ORDER_OF(compare_cells, entry,
              dsm__order_then(dsm__order_cells(&a->cell, &b->cell),
                              dsm__order_whole(a->row, b->row)));

DSM__ORDER_OF(compare_rows, entry, dsm__order_whole(a->row, b->row));

/* Fills entries, one a row and sorted by cells, and `values`, one a different cell; how many. */
static size_t find_values(entry *entries, entry *values, const dsm_point_table *points,
                          size_t column) {
  for (size_t row = 0; row < points->row_count; row++) {
    entries[row] = (entry){.cell = *dsm__point_cell(points, row, column), .row = row};
  }
  dsm__sort(entries, points->row_count, sizeof *entries, compare_cells);
  size_t count = 0;
  for (size_t i = 0; i < points->row_count; i++) {
    if (count == 0 || dsm__order_cells(&entries[i].cell, &values[count - 1].cell) != 0) {
      values[count] = entries[i];
      values[count].value = count;
      count++;
    }
    entries[i].value = count - 1;
  }
  return count;
}

bool dsm__point_axis_make(dsm__point_axis *axis, dsm__arena *arena, const dsm_point_table *points,
                          size_t column) {
  const size_t row_count = points->row_count;
  entry *const entries = dsm__arena_array(arena, row_count, sizeof *entries);
  entry *const found = dsm__arena_array(arena, row_count, sizeof *found);
  size_t *const rank = dsm__arena_array(arena, row_count, sizeof *rank);
  size_t *const of_row = dsm__arena_array(arena, row_count, sizeof *of_row);
  dsm_cell *const values = dsm__arena_array(arena, row_count, sizeof *values);
  const char **const texts = dsm__arena_array(arena, row_count, sizeof *texts);
  if (entries == NULL || found == NULL || rank == NULL || of_row == NULL || values == NULL ||
      texts == NULL) {
    return false;
  }
  const size_t count = find_values(entries, found, points, column);
  bool is_number = count > 0;
  for (size_t v = 0; v < count; v++) {
    is_number = is_number && found[v].cell.kind == DSM_CELL_NUMBER;
  }
  if (!is_number && count > 1) {
    qsort(found, count, sizeof *found, compare_rows);
  }
  for (size_t v = 0; v < count; v++) {
    rank[found[v].value] = v;
    values[v] = found[v].cell;
    const char *const text = dsm__points_text(arena, &found[v].cell);
    if (text == NULL) {
      return false;
    }
    texts[v] = text;
  }
  for (size_t i = 0; i < row_count; i++) {
    of_row[entries[i].row] = rank[entries[i].value];
  }
  *axis = (dsm__point_axis){.column = column,
                            .name = dsm__points_short_name(points, column),
                            .values = values,
                            .texts = texts,
                            .value_count = count,
                            .is_number = is_number,
                            .of_row = of_row};
  return true;
}

/* ---- groups ---- */

typedef struct member {
  size_t group;
  size_t value;
  size_t row;
} member;

static int compare_members(const void *first, const void *second) {
  const member *const a = first;
  const member *const b = second;
  if (a->group != b->group) {
    return dsm__order_whole(a->group, b->group);
  }
  return a->value != b->value ? dsm__order_whole(a->value, b->value)
                              : dsm__order_whole(a->row, b->row);
}

bool dsm__point_groups_make(dsm__point_groups *groups, dsm__arena *arena,
                            const dsm__point_axis *const *axes, size_t axis_count,
                            size_t row_count) {
  member *const members = dsm__arena_array(arena, row_count, sizeof *members);
  size_t *const of_row = dsm__arena_array(arena, row_count, sizeof *of_row);
  size_t *const example = dsm__arena_array(arena, row_count, sizeof *example);
  if (members == NULL || of_row == NULL || example == NULL) {
    return false;
  }
  size_t count = row_count > 0 ? 1 : 0;
  for (size_t a = 0; a < axis_count && row_count > 0; a++) {
    for (size_t row = 0; row < row_count; row++) {
      members[row] = (member){.group = of_row[row], .value = axes[a]->of_row[row], .row = row};
    }
    qsort(members, row_count, sizeof *members, compare_members);
    count = 1;
    for (size_t i = 0; i < row_count; i++) {
      const bool is_new = i > 0 && (members[i].group != members[i - 1].group ||
                                    members[i].value != members[i - 1].value);
      count += is_new ? 1 : 0;
      of_row[members[i].row] = count - 1;
    }
  }
  for (size_t row = row_count; row-- > 0;) {
    example[of_row[row]] = row;
  }
  *groups = (dsm__point_groups){.count = count, .of_row = of_row, .example = example};
  return true;
}

const char *dsm__point_label(dsm__arena *arena, const dsm__point_axis *const *axes,
                             size_t axis_count, size_t row) {
  dsm__text_buffer text = {0};
  dsm__text_puts(&text, "");
  for (size_t a = 0; a < axis_count; a++) {
    const size_t value = axes[a]->of_row[row];
    const bool is_text = axes[a]->values[value].kind == DSM_CELL_TEXT;
    dsm__text_printf(&text, "%s%s%s%s", text.length == 0 ? "" : ", ", is_text ? "" : axes[a]->name,
                     is_text ? "" : " ", axes[a]->texts[value]);
  }
  const char *const made = text.failed ? NULL : dsm__arena_strdup(arena, text.text);
  dsm__text_fini(&text);
  return made;
}
