/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/file.h"
#include "dsm/plot.h"
#include "report/data/csv.h"

/* The document of an answer; NULL, and the page fails, if out of memory. */
static const void *document_of(dsm__page *page, const dsm_answer *answer) {
  const dsm_answer_kind *const kind = answer->kind;
  if (kind->fill == NULL) {
    return answer->of;
  }
  const size_t size = (kind->layout != NULL ? kind->layout->type : kind->record)->size;
  void *const document = dsm__rows_make(page, 1, size).items;
  if (document != NULL) {
    kind->fill(page, answer, document);
  }
  return page->out.failed ? NULL : document;
}

/* What the columns of a document say stands in each row. */
static void put_table(dsm__csv *csv, const dsm_answer_kind *kind, const void *document) {
  const dsm__field *list;
  size_t count;
  size_t i = 0;
  do {
    list = dsm__record_field(kind->record, kind->tables[i], NULL);
    memcpy(&count, (const unsigned char *)document + list->count_offset, sizeof count);
  } while (count == 0 && ++i < DSM__TABLES_MAX && kind->tables[i] != NULL);
  const unsigned char *row = *(const unsigned char *const *)dsm__field_in(list, document);
  dsm__csv_columns(csv, kind->record);
  dsm__csv_columns(csv, list->type);
  for (size_t k = 0; k < count; k++, row += list->type->size) {
    DSM__CSV_ROW(csv, {kind->record, document}, {list->type, row});
  }
}

static void put_csv(dsm__page *page, const dsm_answer_kind *kind, const void *document) {
  dsm__csv csv = dsm__csv_begin(page);
  if (kind->put_rows != NULL) {
    kind->put_rows(&csv, document);
  } else {
    put_table(&csv, kind, document);
  }
  dsm__csv_finish(&csv);
}

static void put_document(dsm__page *page, const dsm_answer *answer, dsm_form form) {
  const void *const document = document_of(page, answer);
  if (document != NULL && form == DSM_FORM_CSV) {
    put_csv(page, answer->kind, document);
  } else if (document != NULL && form == DSM_FORM_TABLE) {
    dsm__layout_text(page, answer->kind->layout, document);
  } else if (document != NULL && form == DSM_FORM_PAGE) {
    dsm__layout_page(page, answer->kind->layout, document);
  } else if (document != NULL) {
    dsm__data_json(page, answer->kind->record, document);
  }
}

const char *dsm__answer_heading(dsm__page *page, dsm_answer answer) {
  const dsm__layout *const layout = answer.kind->layout;
  const dsm__shown shown = {.type = layout->type, .record = document_of(page, &answer)};
  return shown.record == NULL ? "" : dsm__value_text(page, &shown, layout->heading);
}

dsm__table dsm__answer_table(dsm__page *page, dsm_answer answer, size_t section) {
  const dsm__layout *const layout = answer.kind->layout;
  const dsm__row_table *const of = layout->sections[section].table;
  const dsm__shown shown = {.type = layout->type, .record = document_of(page, &answer)};
  size_t count;
  return shown.record == NULL ? dsm__table_make(page, of->columns, of->column_count)
                              : dsm__row_table_fill(page, of, &shown, false, &count, &count);
}

bool dsm__answer_has_form(const dsm_answer_kind *kind, dsm_form form) {
  return kind->views[form] != NULL || (form == DSM_FORM_JSON && kind->record != NULL) ||
         (form == DSM_FORM_CSV && (kind->tables[0] != NULL || kind->put_rows != NULL)) ||
         ((form == DSM_FORM_TABLE || form == DSM_FORM_PAGE) && kind->layout != NULL);
}

char *dsm_answer_print(dsm_answer answer, dsm_form form, const dsm_table_style *style) {
  dsm__view *const view = answer.kind->views[form];
  dsm_table_style used = {.width = 0};
  if (form == DSM_FORM_TABLE) {
    assert(style != NULL);
    used = *style;
  } else if (form == DSM_FORM_PAGE && style != NULL) {
    used.is_unfolded = style->is_unfolded;
  }
  dsm__page page = dsm__page_begin(used);
  if (view != NULL) {
    view(&page, &answer);
  } else {
    put_document(&page, &answer, form);
  }
  return dsm__page_finish(&page);
}

/* ---- figures ---- */

const char *dsm_answer_figure_name(const dsm_answer_kind *kind, size_t index) {
  return kind->figures[index].word;
}

dsm_status dsm_plot_answer(dsm_plot **plot, dsm_answer answer, size_t figure, dsm_diags *diags) {
  const dsm__answer_figure *const row = &answer.kind->figures[figure];
  dsm__plot_maker maker;
  *plot = NULL;
  if (row->is_there != NULL && !row->is_there(answer.of)) {
    dsm__page page = dsm__page_begin((dsm_table_style){.width = 0});
    const dsm_status status =
        dsm__refuse(diags, DSM_ERROR_USAGE, "expected %s for figure %s, found none in %s",
                    row->needs, row->word, dsm__answer_heading(&page, answer));
    free(dsm__page_finish(&page));
    return status;
  }
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  row->draw(&maker, answer.of);
  return dsm__plot_finish(&maker, plot, diags);
}

/* ---- reading ---- */

/* Kinds of the core. */
static const dsm_answer_kind *const core_kinds[] = {
    &dsm_answer_plan,  &dsm_answer_explanation, &dsm_answer_elasticity,  &dsm_answer_points,
    &dsm_answer_check, &dsm_answer_diff,        &dsm_answer_description, &dsm_answer_validation,
    &dsm_answer_list,  &dsm_answer_ladder,      &dsm_answer_budget};
/* The last two of them, and those of companions, are told apart by the formats of their documents.
 */
enum { FIRST_TOLD_APART = DSM__COUNT_OF(core_kinds) - 2 };

const dsm_answer_kind *dsm__answer_kind(size_t index) {
  if (index < DSM__COUNT_OF(core_kinds)) {
    return core_kinds[index];
  }
  index -= DSM__COUNT_OF(core_kinds);
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    for (size_t k = 0; dsm__companions[c]->kinds[k] != NULL; k++) {
      if (index-- == 0) {
        return dsm__companions[c]->kinds[k];
      }
    }
  }
  return NULL;
}

typedef struct finding {
  const char *format;
  const dsm_answer_kind *kind;
} finding;

/* By a format without its version, which its reader looks at. */
static void match(finding *of, const dsm_answer_kind *kind) {
  const char *const own = kind->record->format;
  of->kind = strncmp(of->format, own, strlen(own) - 1) == 0 ? kind : of->kind;
}

static void find_kind(void *found, const dsm__json_node *root) {
  const dsm__json_node node = dsm__json_member(root, "format");
  finding of = {.format = dsm__json_text(&node), .kind = &dsm_answer_plan};
  const dsm_answer_kind *kind;
  for (size_t i = FIRST_TOLD_APART; of.format != NULL && (kind = dsm__answer_kind(i)) != NULL;
       i++) {
    match(&of, kind);
  }
  *(const dsm_answer_kind **)found = of.kind;
}

const dsm_answer_kind *dsm_answer_kind_of(const char *text, size_t length) {
  const dsm__json_input input = {.text = text, .length = length, .file = ""};
  const dsm_answer_kind *found = &dsm_answer_plan;
  const dsm_status status = dsm__json_doc_read(&input, NULL, find_kind, &found);
  return status == DSM_ERROR_OUT_OF_MEMORY ? NULL : found;
}

dsm_status dsm_answer_parse(dsm_answer *answer, const dsm_answer_kind *kind, const char *text,
                            size_t length, const char *file, dsm_diags *diags) {
  const dsm__json_input input = {.text = text, .length = length, .file = file};
  *answer = (dsm_answer){.kind = kind != NULL ? kind : dsm_answer_kind_of(text, length)};
  if (answer->kind == NULL) {
    return dsm__out_of_memory(diags);
  }
  assert(answer->kind->read != NULL);
  const dsm_status status = answer->kind->read(answer, &input, diags);
  answer->of = answer->owned;
  return status;
}

dsm_status dsm_answer_load(dsm_answer *answer, const dsm_answer_kind *kind, const char *path,
                           dsm_diags *diags) {
  char *text = NULL;
  size_t length = 0;
  *answer = (dsm_answer){.kind = kind};
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_answer_parse(answer, kind, text, length, path, diags);
  }
  free(text);
  return status;
}

bool dsm_answer_holds_question(const dsm_answer_kind *kind) {
  return kind->ask != NULL;
}

dsm_status dsm_answer_ask(dsm_answer *answer, const dsm_answer_kind *kind,
                          const dsm_document *document, const dsm_override *overrides,
                          size_t override_count, dsm_diags *diags) {
  const dsm__json_input input = {document->text, document->length, document->file, overrides,
                                 override_count};
  *answer = (dsm_answer){.kind = kind};
  if (!dsm_answer_holds_question(kind)) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = document->file},
                   "compare it with another that was made since: dsm check BASELINE --against FILE",
                   "expected an answer that holds its question, found one of the format %s",
                   kind->record->format);
    return DSM_ERROR_USAGE;
  }
  const dsm_status status = kind->ask(answer, &input, diags);
  answer->of = answer->owned;
  return status;
}

dsm_status dsm_answer_compare(dsm_comparison **comparison, const dsm_answer_kind *kind,
                              const dsm_document *before, const dsm_document *after,
                              double tolerance, dsm_diags *diags) {
  return dsm__compare_documents(comparison, kind->record, &kind->judged, before, after, tolerance,
                                diags);
}

void dsm_answer_free(dsm_answer *answer) {
  if (answer->owned != NULL) {
    answer->kind->discard(answer->owned);
  }
  *answer = (dsm_answer){.of = NULL};
}
