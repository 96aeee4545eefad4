/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_system.c: what a system holds, for people. */
#include <inttypes.h>

#include "base/number_text.h"
#include "report/declared.h"
#include "report/describe_table.h"
#include "report/figures.h"
#include "report/page.h"
#include "system/parameters.h"

static const char *value_text(dsm__page *page, const dsm_system *system,
                              const dsm__parameter *parameter) {
  const void *const field = dsm__parameter_get(parameter, system);
  char number[DSM__NUMBER_TEXT_SIZE];
  switch (parameter->kind) {
  case DSM__PARAMETER_COUNT:
    return dsm__page_text(page, "%" PRIu64, *(const uint64_t *)field);
  case DSM__PARAMETER_REAL:
    (void)dsm__double_to_text(*(const double *)field, number);
    return dsm__page_text(page, "%s", number);
  case DSM__PARAMETER_FLAG:
    return *(const bool *)field ? "true" : "false";
  case DSM__PARAMETER_INTERCONNECT:
  case DSM__PARAMETER_TOPOLOGY:
  case DSM__PARAMETER_LAYOUT_MOVE:
    return dsm__parameter_word(parameter, system);
  }
  return "";
}

/* How the list of parameters is laid out: notes stand beside the values or below them. */
typedef struct parameter_layout {
  size_t path_width;
  size_t value_width;
  size_t note_column;
  bool is_note_beside;
} parameter_layout;

static parameter_layout lay_out(dsm__page *page, const dsm_system *system, size_t width) {
  static const size_t gap = 2;
  static const size_t least_note_width = 24;
  static const size_t note_indent = 4;
  parameter_layout layout = {0};
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    const size_t path_width = dsm__display_width(dsm__parameters[p].path) + gap;
    const size_t value_width =
        dsm__display_width(value_text(page, system, &dsm__parameters[p])) + gap;
    layout.path_width = path_width > layout.path_width ? path_width : layout.path_width;
    layout.value_width = value_width > layout.value_width ? value_width : layout.value_width;
  }
  const size_t beside = layout.path_width + layout.value_width;
  layout.is_note_beside = beside + least_note_width <= width;
  layout.note_column = layout.is_note_beside ? beside : note_indent;
  if (beside > width && layout.path_width > width / 2) {
    layout.path_width = width / 2 > layout.value_width ? width - layout.value_width : width / 2;
  }
  return layout;
}

static void put_parameter(dsm__page *page, const dsm_system *system,
                          const dsm__parameter *parameter, const parameter_layout *layout) {
  dsm__text_buffer *const out = &page->out;
  const char *const value = value_text(page, system, parameter);
  const char *const note = dsm_system_note(system, parameter->path);
  dsm__display_put(out, parameter->path, layout->path_width - 2, false);
  dsm__text_puts(out, "  ");
  dsm__tone_begin(out, page->style.color, DSM__TONE_HEADING);
  dsm__text_puts(out, value);
  dsm__tone_end(out, page->style.color, DSM__TONE_HEADING);
  if (note == NULL) {
    dsm__page_break(page);
    return;
  }
  const size_t used = layout->path_width + dsm__display_width(value);
  if (layout->is_note_beside) {
    dsm__text_repeat(out, ' ', layout->note_column - used);
  } else {
    dsm__page_break(page);
    dsm__text_repeat(out, ' ', layout->note_column);
  }
  dsm__display_wrap(out, dsm__page_text(page, "%s", note), page->style.width,
                    (dsm__indent){.first = layout->note_column, .rest = layout->note_column});
  dsm__page_break(page);
}

void dsm__describe_system(dsm__page *page, const dsm_system *system) {
  const uint64_t chips = system->system.chips_x * system->system.chips_y;
  dsm__page_line(
      page, DSM__TONE_PLAIN,
      dsm__page_text(
          page, "%s chip%s, %s cores, %s MACs; peak %s; machine balance %s FLOP per byte of memory",
          dsm__figure_count(chips).text, chips == 1 ? "" : "s",
          dsm__figure_count(dsm__system_cores(system)).text,
          dsm__figure_fixed(dsm__system_macs(system), 0).text,
          dsm__figure_scaled(dsm_system_peak_flops(system), "FLOP/s").text,
          dsm__figure_short(dsm_system_machine_balance(system), 4).text));
  dsm__page_line(
      page, DSM__TONE_PLAIN,
      dsm__page_text(page, "%s of memory, %s a chip",
                     dsm__figure_scaled((double)chips * dsm__chip_memory_bytes(system), "B").text,
                     dsm__figure_scaled(dsm__chip_memory_bytes(system), "B").text));
  if (system->source != NULL) {
    dsm__page_line(page, DSM__TONE_FAINT, dsm__page_text(page, "source: %s", system->source));
  }
  dsm__page_break(page);
  const parameter_layout layout = lay_out(page, system, page->style.width);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    put_parameter(page, system, &dsm__parameters[p], &layout);
  }
}
