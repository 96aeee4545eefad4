/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout.c: what sections show, and a text of them. */
#include "report/layout.h"

#include <math.h>

/* ---- what is there ---- */

static bool hold(const dsm__condition conditions[2], const void *record) {
  return dsm__record_meets(&conditions[0], record) && dsm__record_meets(&conditions[1], record);
}

static bool has_facts(const dsm__section *section, const dsm__shown *shown) {
  bool has_any = section->fact_count == 0;
  for (size_t i = 0; i < section->fact_count && !has_any; i++) {
    const dsm__fact *const fact = &section->facts[i];
    size_t count = 0;
    if (fact->each == NULL) {
      has_any = hold(fact->when, shown->record);
    } else {
      (void)dsm__shown_row(shown, fact->each, NULL, 0, &count);
      has_any = count > 0;
    }
  }
  return has_any;
}

bool dsm__section_is_there(const dsm__section *section, const dsm__shown *shown, bool is_text) {
  return section->medium != (is_text ? DSM__PAGE_ONLY : DSM__TEXT_ONLY) &&
         !(is_text && section->draw != NULL) && hold(section->when, shown->record) &&
         has_facts(section, shown);
}

void dsm__facts_put(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                    dsm__fact_writer *put, const void *context) {
  for (size_t i = 0; i < section->fact_count; i++) {
    const dsm__fact *const fact = &section->facts[i];
    size_t count = 1;
    for (size_t row = 0; row < count; row++) {
      const dsm__shown of =
          fact->each == NULL ? *shown : dsm__shown_row(shown, fact->each, NULL, row, &count);
      const bool is_there = row < count && hold(fact->when, of.record);
      const char *const text = is_there ? dsm__value_text(page, &of, fact->text) : "";
      if (text[0] != '\0') {
        put(page, context, fact, text);
      }
    }
  }
}

/* ---- tables ---- */

static void add_cells(dsm__table *table, const dsm__row_table *of, const dsm__shown *row) {
  const void *const document = row->outer->record;
  for (size_t c = 0; c < of->column_count; c++) {
    const dsm__table_column *const column = &of->columns[c];
    dsm__text_style (*const style)(const void *, const void *) =
        column->style != NULL ? column->style : of->style;
    double exact = (double)NAN;
    const char *const text = column->make != NULL
                                 ? column->make(table->page, document, row->record)
                                 : dsm__value_number(table->page, row, column->value, &exact);
    dsm__table_number(table, style == NULL ? DSM__STYLE_PLAIN : style(document, row->record), text,
                      exact);
  }
}

dsm__table dsm__row_table_fill(dsm__page *page, const dsm__row_table *of, const dsm__shown *shown,
                               bool is_text, size_t *row_count, size_t *all) {
  dsm__table table = dsm__table_make(page, of->columns, of->column_count);
  *all = 0;
  if (of->fill != NULL) {
    of->fill(&table, shown->record);
    return table;
  }
  for (size_t i = 0; i < of->cell_count; i++) {
    double exact;
    const char *const text = dsm__value_number(page, shown, of->cells[i], &exact);
    dsm__table_number(&table, DSM__STYLE_PLAIN, text, exact);
  }
  if (of->list == NULL) {
    return table;
  }
  (void)dsm__shown_row(shown, of->list, of->type, 0, all);
  *row_count = is_text && of->most > 0 && of->most < *all ? of->most : *all;
  for (size_t i = 0; i < *row_count; i++) {
    const size_t at = of->is_spread && *row_count > 1 ? i * (*all - 1) / (*row_count - 1) : i;
    const dsm__shown row = dsm__shown_row(shown, of->list, of->type, at, all);
    if (of->is_shown == NULL || of->is_shown(shown->record, row.record)) {
      add_cells(&table, of, &row);
    }
  }
  return table;
}

/* ---- a text ---- */

static size_t label_width(const dsm__section *section) {
  size_t width = 0;
  for (size_t i = 0; i < section->fact_count; i++) {
    const char *const label = section->facts[i].label;
    const size_t own = label == NULL ? 0 : dsm__display_width(label);
    width = own > width ? own : width;
  }
  return width + 2;
}

static void put_fact(dsm__page *page, const void *context, const dsm__fact *fact,
                     const char *text) {
  if (fact->label == NULL) {
    dsm__page_line(page, fact->is_faint ? DSM__STYLE_FAINT : DSM__STYLE_PLAIN, "%s", text);
  } else {
    dsm__page_labelled(page, *(const size_t *)context, fact->label, "%s", text);
  }
}

static void put_facts(dsm__page *page, const dsm__section *section, const dsm__shown *shown) {
  const size_t width = section->label_width > 0 ? section->label_width : label_width(section);
  dsm__facts_put(page, section, shown, put_fact, &width);
}

static void put_heading(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                        size_t row_count, size_t all) {
  if (section->heading == NULL) {
    dsm__page_break(page);
    return;
  }
  dsm__page_heading(
      page, "%s%s", dsm__value_text(page, shown, section->heading),
      row_count < all ? dsm__page_text(page, " (%zu of %zu: CSV and JSON have all)", row_count, all)
                      : "");
}

static void put_section(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                        bool is_joined) {
  size_t row_count = 0;
  size_t all = 0;
  dsm__table table = {.cell_count = 0};
  if (section->table != NULL) {
    table = dsm__row_table_fill(page, section->table, shown, true, &row_count, &all);
    if (section->is_optional && table.cell_count == 0) {
      return;
    }
  }
  if (!is_joined) {
    put_heading(page, section, shown, row_count, all);
  }
  if (section->table != NULL) {
    dsm__table_print(&table);
  } else if (section->put != NULL) {
    section->put(page, shown->record);
  } else {
    put_facts(page, section, shown);
  }
}

void dsm__layout_text(dsm__page *page, const dsm__layout *layout, const void *document) {
  const dsm__shown shown = {.type = layout->type, .record = document};
  bool is_joined = layout->is_dense;
  dsm__page_line(page, layout->is_plain ? DSM__STYLE_PLAIN : DSM__STYLE_HEADING, "%s",
                 dsm__value_text(page, &shown, layout->heading));
  for (size_t i = 0; i < layout->section_count; i++) {
    const dsm__section *const section = &layout->sections[i];
    if (dsm__section_is_there(section, &shown, true)) {
      put_section(page, section, &shown, is_joined || section->is_joined);
      is_joined = false;
    }
  }
}
