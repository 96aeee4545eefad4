/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/parameter_list.h"

#include "system/system_internal.h"

/* Spaces between columns, and before a source that stands below its parameter. */
enum { GAP = 2, SOURCE_INDENT = 4 };
/* A narrower column of sources than this is not worth having. */
enum { SOURCE_WIDTH_MIN = 40 };

static const dsm__listed_parameter titles = {.path = "parameter",
                                             .value = {DSM__VALUE_TEXT, 0, "value"},
                                             .unit = "unit",
                                             .fallback = {DSM__VALUE_TEXT, 0, "default"},
                                             .source = ""};

const char *dsm__listed_value(dsm__page *page, const dsm__value *value, const char *nothing) {
  char number[DSM__NUMBER_TEXT_SIZE];
  switch (value->kind) {
  case DSM__VALUE_NUMBER:
    (void)dsm__double_to_text(value->number, number);
    return dsm__page_text(page, "%s", number);
  case DSM__VALUE_FLAG:
    return value->number > 0 ? "true" : "false";
  case DSM__VALUE_TEXT:
    return value->text;
  case DSM__VALUE_NONE:
  case DSM__VALUE_NULL:
    break;
  }
  return nothing;
}

static const char *value_of(dsm__page *page, const dsm__listed_parameter *parameter) {
  return dsm__listed_value(page, &parameter->value, "-");
}

static const char *fallback_of(dsm__page *page, const dsm__listed_parameter *parameter) {
  return dsm__listed_value(page, &parameter->fallback, "required");
}

/* Columns that each text gets, without gaps; 0: it is not shown. */
typedef struct layout {
  size_t path;
  size_t value;
  size_t unit;
  size_t fallback;
  size_t source_column; /* where sources begin */
  bool is_source_beside;
} layout;

static void widen(size_t *width, const char *text) {
  const size_t needed = dsm__display_width(text);
  *width = needed > *width ? needed : *width;
}

static void widen_all(dsm__page *page, layout *made, const dsm__listed_parameter *parameter) {
  widen(&made->path, parameter->path);
  widen(&made->value, value_of(page, parameter));
  widen(&made->unit, parameter->unit);
  widen(&made->fallback, fallback_of(page, parameter));
}

static size_t total_width(const layout *made) {
  return made->path + GAP + made->value + (made->unit > 0 ? GAP + made->unit : 0) +
         (made->fallback > 0 ? GAP + made->fallback : 0);
}

static layout lay_out(dsm__page *page, const dsm__rows *parameters) {
  const size_t width = page->style.width;
  const dsm__listed_parameter *const rows = parameters->items;
  layout made = {0};
  widen_all(page, &made, &titles);
  for (size_t i = 0; i < parameters->count; i++) {
    widen_all(page, &made, &rows[i]);
  }
  const size_t beside = total_width(&made) + GAP;
  made.is_source_beside = beside + SOURCE_WIDTH_MIN <= width;
  made.source_column = made.is_source_beside ? beside : SOURCE_INDENT;
  if (total_width(&made) > width) {
    made.fallback = 0;
  }
  if (total_width(&made) > width) {
    made.unit = 0;
  }
  if (total_width(&made) > width && made.path > width / 2) {
    const size_t rest = made.value + GAP;
    made.path = width / 2 > rest ? width - rest : width / 2;
  }
  return made;
}

/* A text after a gap, in its column; the last of a line is not padded. */
static void put_column(dsm__page *page, const char *text, size_t width, bool is_last,
                       dsm__text_style style) {
  if (width == 0) {
    return;
  }
  dsm__text_puts(&page->out, "  ");
  dsm__style_begin(&page->out, page->style.color, style);
  dsm__text_puts(&page->out, text);
  dsm__style_end(&page->out, page->style.color, style);
  if (!is_last) {
    dsm__text_repeat(&page->out, ' ', width - dsm__display_width(text));
  }
}

static void put_parameter(dsm__page *page, const dsm__listed_parameter *parameter,
                          const layout *made, dsm__text_style style) {
  const bool has_source = parameter->source[0] != '\0';
  const bool is_open = has_source && made->is_source_beside;
  const bool has_fallback = made->fallback > 0;
  const bool has_unit = made->unit > 0;
  dsm__display_put(&page->out, parameter->path, made->path);
  put_column(page, value_of(page, parameter), made->value, !is_open && !has_unit && !has_fallback,
             style);
  put_column(page, parameter->unit, made->unit, !is_open && !has_fallback, DSM__STYLE_PLAIN);
  put_column(page, fallback_of(page, parameter), made->fallback, !is_open, DSM__STYLE_PLAIN);
  if (has_source) {
    if (is_open) {
      dsm__text_puts(&page->out, "  ");
    } else {
      dsm__page_break(page);
      dsm__text_repeat(&page->out, ' ', made->source_column);
    }
    dsm__display_wrap(&page->out, dsm__page_text(page, "%s", parameter->source), page->style.width,
                      (dsm__indent){.first = made->source_column, .rest = made->source_column});
  }
  dsm__page_break(page);
}

void dsm__parameter_list_put(dsm__page *page, const dsm__rows *parameters) {
  const dsm__listed_parameter *const rows = parameters->items;
  const layout made = lay_out(page, parameters);
  put_parameter(page, &titles, &made, DSM__STYLE_PLAIN);
  for (size_t i = 0; i < parameters->count; i++) {
    put_parameter(page, &rows[i], &made, DSM__STYLE_HEADING);
  }
}

static dsm__value value_from(const dsm__parameter *parameter, double number) {
  static const dsm__value_kind kinds[] = {
      [DSM__PARAMETER_COUNT] = DSM__VALUE_NUMBER,
      [DSM__PARAMETER_REAL] = DSM__VALUE_NUMBER,
      [DSM__PARAMETER_FLAG] = DSM__VALUE_FLAG,
      [DSM__PARAMETER_WORD] = DSM__VALUE_TEXT,
  };
  char text[DSM__NUMBER_TEXT_SIZE];
  const dsm__value_kind kind = kinds[parameter->kind];
  return (dsm__value){
      kind, number, kind == DSM__VALUE_TEXT ? dsm__parameter_text(parameter, number, text) : NULL};
}

static dsm__rows list_of(dsm__page *page, const dsm_system *system, bool is_technology) {
  dsm__stated_parameters stated = dsm__parameters_of(system);
  size_t count = 0;
  for (size_t p = 0; p < stated.count; p++) {
    if (!is_technology || dsm__parameter_is_of_technology(stated.items[p])) {
      stated.items[count++] = stated.items[p];
    }
  }
  stated.count = count;
  const dsm__rows made = dsm__rows_make(page, stated.count, sizeof(dsm__listed_parameter));
  dsm__listed_parameter *const rows = made.items;
  for (size_t p = 0; p < made.count; p++) {
    const dsm__parameter *const parameter = stated.items[p];
    rows[p] = (dsm__listed_parameter){
        .path = parameter->path,
        .value = value_from(parameter, dsm__parameter_number(parameter, system)),
        .unit = parameter->unit,
        .source = dsm__page_kept(page, dsm__parameter_source(page->arena, parameter, system)),
    };
    if (!parameter->is_required) {
      rows[p].fallback = value_from(parameter, parameter->fallback);
    }
  }
  return made;
}

dsm__rows dsm__parameter_list_of(dsm__page *page, const dsm_system *system) {
  return list_of(page, system, false);
}

dsm__rows dsm__technology_list_of(dsm__page *page, const dsm_technology *technology) {
  return list_of(page, technology->holder, true);
}
