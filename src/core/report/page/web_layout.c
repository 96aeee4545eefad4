/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_layout.c: sections of an answer on a page. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "report/page/html.h"
#include "report/page/web.h"

/* ---- facts ---- */

static void put_term(dsm__page *page, const void *context, const dsm__fact *fact,
                     const char *text) {
  (void)context;
  if (fact->label != NULL) {
    dsm__html_element(&page->out, "dt", fact->label, NULL);
    dsm__html_element(&page->out, "dd", text, NULL);
  }
}

static void put_note(dsm__page *page, const void *context, const dsm__fact *fact,
                     const char *text) {
  (void)context;
  if (fact->label == NULL) {
    dsm__web_paragraph(page, NULL, text);
  }
}

/* Those with labels as a list, then the others. */
static void put_facts(dsm__page *page, const dsm__section *section, const dsm__shown *shown) {
  dsm__html_begin(&page->out, "dl", "class", "facts", NULL);
  dsm__page_break(page);
  dsm__facts_put(page, section, shown, put_term, NULL);
  dsm__html_end(&page->out, "dl");
  dsm__facts_put(page, section, shown, put_note, NULL);
}

/* ---- tables ---- */

void dsm__web_table(dsm__page *page, const char *id, const char *caption, const dsm__table *table) {
  dsm__web_title titles[DSM__TABLE_COLUMNS_MAX];
  bool is_shown[DSM__TABLE_COLUMNS_MAX];
  size_t count = 0;
  assert(table->column_count > 0);
  for (size_t c = 0; c < table->column_count; c++) {
    is_shown[c] = dsm__table_has_column(table, c);
    if (is_shown[c]) {
      titles[count++] = (dsm__web_title){table->columns[c].title, table->columns[c].is_right};
    }
  }
  dsm__web_table_begin(page, id, caption, caption, titles, count);
  for (size_t i = 0; i < table->cell_count; i++) {
    const size_t c = i % table->column_count;
    const bool is_number = table->columns[c].is_right;
    const dsm__table_cell *const cell = &table->cells[i];
    if (c == 0) {
      dsm__html_begin(&page->out, "tr", NULL);
    }
    if (c == 0 && !is_number) {
      dsm__html_element(&page->out, "th", cell->text, "scope", "row", NULL);
    } else if (is_shown[c]) {
      dsm__web_number(page, is_number ? "number" : "name", is_number ? cell->exact : (double)NAN,
                      cell->text);
    }
    if (c + 1 == table->column_count) {
      dsm__html_end(&page->out, "tr");
    }
  }
  dsm__web_table_end(page);
}

static void put_rows(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                     const dsm__section *within) {
  size_t row_count;
  size_t all;
  const dsm__table table =
      dsm__row_table_fill(page, section->table, shown, false, &row_count, &all);
  if (section->is_optional && table.cell_count == 0) {
    return;
  }
  dsm__web_table(page,
                 section->id != NULL
                     ? dsm__page_text(page, "%s-table", section->id)
                     : dsm__page_text(page, "%s-table-%zu", within->id, (size_t)(section - within)),
                 section->heading == NULL ? within->title
                                          : dsm__value_text(page, shown, section->heading),
                 &table);
}

/* ---- figures ---- */

/* What a figure leaves out, as a sentence after its caption. */
static const char *note_after(dsm__page *page, const dsm__plot_maker *maker, const char *caption) {
  const char *const note = maker->note == NULL ? "" : maker->note;
  const size_t length = strlen(note);
  return dsm__page_text(page, "%s%s%s%s", caption, length == 0 ? "" : " ", note,
                        length == 0 || note[length - 1] == '.' ? "" : ".");
}

static void put_figure(dsm__page *page, const dsm__section *section, const dsm__shown *shown) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  maker.is_unfolded = page->style.is_unfolded;
  section->draw(&maker, shown->record);
  const char *const caption = dsm__value_text(page, shown, section->caption);
  dsm__web_figure(page, &maker, dsm__page_text(page, "%s-figure", section->id), section->label,
                  note_after(page, &maker, caption));
}

/* ---- all of it ---- */

static void put_part(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                     const dsm__section *within) {
  if (section->put != NULL) {
    section->put(page, shown->record);
  } else if (section->draw != NULL) {
    put_figure(page, section, shown);
  } else if (section->table != NULL) {
    put_rows(page, section, shown, within);
  } else if (section->fact_count > 0) {
    put_facts(page, section, shown);
  } else {
    dsm__web_paragraph(page, NULL, dsm__value_text(page, shown, section->heading));
  }
}

void dsm__web_section(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown,
                      size_t index) {
  const dsm__section *const sections = layout->sections;
  for (size_t i = index; i < layout->section_count && (i == index || sections[i].title == NULL);
       i++) {
    if (dsm__section_is_there(&sections[i], shown, false)) {
      put_part(page, &sections[i], shown, &sections[index]);
    }
  }
}
