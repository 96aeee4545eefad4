/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_layout.c: a page of an answer's sections. */
#include <assert.h>
#include <math.h>

#include "report/layout.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/page/web_document.h"

enum { SECTIONS_MAX = 16 };

/* What is shown. */
typedef struct subject {
  const dsm__layout *layout;
  dsm__shown shown;
} subject;

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
      dsm__web_styled_number(page, is_number ? "number" : "name",
                             is_number ? cell->exact : (double)NAN, cell->text);
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

static void put_figure(dsm__page *page, const dsm__section *section, const dsm__shown *shown) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  section->draw(&maker, shown->record);
  const char *const caption = dsm__value_text(page, shown, section->caption);
  dsm__web_figure(page, &maker, dsm__page_text(page, "%s-figure", section->id), section->label,
                  maker.note == NULL ? caption
                                     : dsm__page_text(page, "%s Shown: %s.", caption, maker.note));
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

/* A section, and those that go on in it. */
static void put_section(dsm__page *page, const void *of, size_t number) {
  const subject *const all = of;
  const dsm__section *const sections = all->layout->sections;
  for (size_t i = number; i < all->layout->section_count && (i == number || sections[i].id == NULL);
       i++) {
    if (dsm__section_is_there(&sections[i], &all->shown, false)) {
      put_part(page, &sections[i], &all->shown, &sections[number]);
    }
  }
}

void dsm__layout_page(dsm__page *page, const dsm__layout *layout, const void *document) {
  const subject all = {layout, {.type = layout->type, .record = document}};
  dsm__text_buffer colors = {0};
  dsm__web_section sections[SECTIONS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < layout->section_count && count < SECTIONS_MAX; i++) {
    const dsm__section *const section = &layout->sections[i];
    if (section->id != NULL && dsm__section_is_there(section, &all.shown, false)) {
      sections[count++] = (dsm__web_section){section->id, section->title, i};
    }
  }
  dsm__web_series_colors(&colors, layout->series, layout->has_leaders);
  const char *const title = layout->title != NULL ? layout->title : layout->heading;
  const char *const subtitle = layout->subtitle != NULL ? layout->subtitle : "";
  const dsm__web_document made = {.title = dsm__value_text(page, &all.shown, title),
                                  .subtitle = dsm__value_text(page, &all.shown, subtitle),
                                  .colors = &colors,
                                  .sections = sections,
                                  .section_count = count,
                                  .put = put_section,
                                  .subject = &all};
  dsm__web_print(page, &made);
}
