/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/table.h"

#include <assert.h>
#include <math.h>

#include "base/growing_list.h"

dsm__table dsm__table_make(dsm__page *page, const dsm__table_column *columns, size_t column_count) {
  assert(column_count > 0 && column_count <= DSM__TABLE_COLUMNS_MAX);
  return (dsm__table){.page = page, .columns = columns, .column_count = column_count};
}

void dsm__table_number(dsm__table *table, dsm__text_style style, const char *text, double exact) {
  const char *const copy = dsm__display_clean(table->page->arena, text);
  if (copy == NULL ||
      !dsm__list_has_room((void *)&table->cells, table->cell_count, 1, &table->capacity,
                          sizeof *table->cells, false, table->page->arena)) {
    table->page->out.failed = true;
  }
  if (!table->page->out.failed) {
    table->cells[table->cell_count++] = (dsm__table_cell){copy, style, exact};
  }
}

void dsm__table_add(dsm__table *table, dsm__text_style style, const char *text) {
  dsm__table_number(table, style, text, (double)NAN);
}

void dsm__table_text(dsm__table *table, const char *text) {
  dsm__table_add(table, DSM__STYLE_PLAIN, text);
}

void dsm__table_add_all(dsm__table *table, dsm__text_style style, const char *const *texts,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    dsm__table_add(table, style, texts[i]);
  }
}

/* The widths that the columns get; 0 for those that are not shown. */
typedef struct layout {
  size_t natural[DSM__TABLE_COLUMNS_MAX];
  size_t width[DSM__TABLE_COLUMNS_MAX];
  bool is_shown[DSM__TABLE_COLUMNS_MAX];
} layout;

bool dsm__table_has_column(const dsm__table *table, size_t column) {
  bool is_shown = !table->columns[column].is_optional;
  for (size_t i = column; i < table->cell_count && !is_shown; i += table->column_count) {
    is_shown = table->cells[i].text[0] != '\0';
  }
  return is_shown;
}

static layout measure(const dsm__table *table) {
  assert(table->column_count > 0);
  layout made = {0};
  for (size_t c = 0; c < table->column_count; c++) {
    made.natural[c] = dsm__display_width(table->columns[c].title);
    made.is_shown[c] = dsm__table_has_column(table, c);
  }
  for (size_t i = 0; i < table->cell_count; i++) {
    const size_t c = i % table->column_count;
    const size_t width = dsm__display_width(table->cells[i].text);
    if (width > made.natural[c]) {
      made.natural[c] = width;
    }
  }
  for (size_t c = 0; c < table->column_count; c++) {
    made.width[c] = made.natural[c];
  }
  return made;
}

static size_t total_width(const dsm__table *table, const layout *plan) {
  size_t total = 0;
  for (size_t c = 0; c < table->column_count; c++) {
    if (plan->is_shown[c]) {
      total += plan->width[c] + (total > 0 ? table->columns[c].gap : 0);
    }
  }
  return table->indent + total;
}

/* What a name is shortened to. */
static size_t least_width(const dsm__table_column *column, bool is_comfortable) {
  const size_t comfort = column->comfort > 0 ? column->comfort : DSM__TABLE_NAME_COMFORT;
  return is_comfortable ? comfort : DSM__TABLE_NAME_MIN;
}

/* Shortens names, the widest first, until all fits or every name is as short as it may be. */
static void shorten_names(const dsm__table *table, layout *plan, size_t width,
                          bool is_comfortable) {
  while (total_width(table, plan) > width) {
    size_t widest = table->column_count;
    for (size_t c = 0; c < table->column_count; c++) {
      if (plan->is_shown[c] && table->columns[c].is_name &&
          plan->width[c] > least_width(&table->columns[c], is_comfortable) &&
          (widest == table->column_count || plan->width[c] > plan->width[widest])) {
        widest = c;
      }
    }
    if (widest == table->column_count) {
      return;
    }
    plan->width[widest]--;
  }
}

/* Hides the column of the highest rank, the last of equals; false if there is none. */
static bool hide_one(const dsm__table *table, layout *plan) {
  size_t hidden = table->column_count;
  for (size_t c = 0; c < table->column_count; c++) {
    if (plan->is_shown[c] && table->columns[c].rank > 0 &&
        (hidden == table->column_count || table->columns[c].rank >= table->columns[hidden].rank)) {
      hidden = c;
    }
  }
  if (hidden == table->column_count) {
    return false;
  }
  plan->is_shown[hidden] = false;
  return true;
}

/* Names get back what hiding a column left over. */
static void widen_names(const dsm__table *table, layout *plan, size_t width) {
  for (size_t c = 0; c < table->column_count; c++) {
    const size_t total = total_width(table, plan);
    if (plan->is_shown[c] && table->columns[c].is_name && total < width) {
      const size_t wanted = plan->natural[c] - plan->width[c];
      plan->width[c] += wanted < width - total ? wanted : width - total;
    }
  }
}

static layout fit(const dsm__table *table, size_t width) {
  layout plan = measure(table);
  shorten_names(table, &plan, width, true);
  while (total_width(table, &plan) > width && hide_one(table, &plan)) {
    shorten_names(table, &plan, width, true);
  }
  shorten_names(table, &plan, width, false);
  widen_names(table, &plan, width);
  return plan;
}

size_t dsm__table_natural_width(const dsm__table *table) {
  const layout plan = measure(table);
  return total_width(table, &plan);
}

/* A line of a table that is being written: spaces wait until something follows them. */
typedef struct line {
  dsm__text_buffer *out;
  bool color;
  size_t waiting;
  bool is_started; /**< has a column, perhaps an empty one */
} line;

static void put_cell(line *target, const dsm__table_column *column, size_t width,
                     dsm__table_cell cell) {
  const size_t natural = dsm__display_width(cell.text);
  if (target->is_started) {
    target->waiting += column->gap;
  }
  target->is_started = true;
  if (natural == 0) {
    target->waiting += width;
    return;
  }
  const size_t padding = natural < width ? width - natural : 0;
  dsm__text_repeat(target->out, ' ', target->waiting + (column->is_right ? padding : 0));
  dsm__style_begin(target->out, target->color, cell.style);
  dsm__display_put(target->out, cell.text, width - padding);
  dsm__style_end(target->out, target->color, cell.style);
  target->waiting = column->is_right ? 0 : padding;
}

void dsm__table_print(const dsm__table *table) {
  dsm__text_buffer *const out = &table->page->out;
  const dsm_table_style style = table->page->style;
  if (out->failed) {
    return;
  }
  const layout plan = fit(table, style.width);
  const size_t row_count = table->cell_count / table->column_count;
  for (size_t row = 0; row <= row_count; row++) {
    line current = {.out = out, .color = style.color, .waiting = table->indent};
    for (size_t c = 0; c < table->column_count; c++) {
      const dsm__table_cell title = {.text = table->columns[c].title, .style = DSM__STYLE_HEADING};
      if (plan.is_shown[c]) {
        put_cell(&current, &table->columns[c], plan.width[c],
                 row == 0 ? title : table->cells[(row - 1) * table->column_count + c]);
      }
    }
    dsm__text_repeat(out, '\n', 1);
  }
}
