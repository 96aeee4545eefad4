/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/text_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/names.h"
#include "report/table/number_style.h"
#include "system/system_internal.h"

dsm__page dsm__page_begin(dsm_table_style style) {
  dsm__arena *const arena = dsm__arena_new();
  return (dsm__page){.style = style, .arena = arena, .out = {.failed = arena == NULL}};
}

char *dsm__page_finish(dsm__page *page) {
  dsm__arena_free(page->arena);
  page->arena = NULL;
  return dsm__text_finish(&page->out);
}

void dsm__page_break(dsm__page *page) {
  dsm__text_puts(&page->out, "\n");
}

const char *dsm__page_kept(dsm__page *page, const char *text) {
  page->out.failed = page->out.failed || text == NULL;
  return text == NULL ? "" : text;
}

/* A text made safe for a terminal; the page fails if there is none. */
DSM_PRINTF(2, 0)
static const char *formatted(dsm__page *page, const char *format, va_list args) {
  const char *const text = dsm__arena_vprintf(page->arena, format, args);
  return dsm__page_kept(page, text == NULL ? NULL : dsm__display_clean(page->arena, text));
}

/* Makes `text` of the arguments that follow the parameter `format`. */
#define FORMAT_ARGUMENTS(text)                                                                     \
  va_list args;                                                                                    \
  va_start(args, format);                                                                          \
  const char *const text = formatted(page, format, args);                                          \
  va_end(args)

const char *dsm__page_text(dsm__page *page, const char *format, ...) {
  FORMAT_ARGUMENTS(text);
  return text;
}

const char *dsm__page_join(dsm__page *page, const char *text, const char *separator,
                           const char *format, ...) {
  FORMAT_ARGUMENTS(item);
  return text[0] == '\0' ? item : dsm__page_text(page, "%s%s%s", text, separator, item);
}

static void put_line(dsm__page *page, dsm__text_style style, const char *text) {
  const bool color = page->style.color;
  dsm__style_begin(&page->out, color, style);
  dsm__display_wrap(&page->out, text, page->style.width, (dsm__indent){.first = 0, .rest = 2});
  dsm__style_end(&page->out, color, style);
  dsm__page_break(page);
}

void dsm__page_line(dsm__page *page, dsm__text_style style, const char *format, ...) {
  FORMAT_ARGUMENTS(text);
  put_line(page, style, text);
}

void dsm__page_verdict(dsm__page *page, const char *file, dsm__text_style style, const char *word,
                       const char *detail) {
  dsm__text_printf(&page->out, "%s: ", dsm__page_text(page, "%s", file));
  dsm__style_begin(&page->out, page->style.color, style);
  dsm__text_puts(&page->out, word);
  dsm__style_end(&page->out, page->style.color, style);
  if (detail != NULL && detail[0] != '\0') {
    dsm__text_printf(&page->out, " (%s)", dsm__page_text(page, "%s", detail));
  }
  dsm__page_break(page);
}

void dsm__page_heading(dsm__page *page, const char *format, ...) {
  FORMAT_ARGUMENTS(text);
  dsm__page_break(page);
  put_line(page, DSM__STYLE_HEADING, text);
}

void dsm__page_labelled(dsm__page *page, size_t label_width, const char *label, const char *format,
                        ...) {
  FORMAT_ARGUMENTS(text);
  dsm__style_begin(&page->out, page->style.color, DSM__STYLE_HEADING);
  dsm__display_put(&page->out, label, label_width);
  dsm__style_end(&page->out, page->style.color, DSM__STYLE_HEADING);
  dsm__display_wrap(&page->out, text, page->style.width,
                    (dsm__indent){.first = label_width, .rest = label_width});
  dsm__page_break(page);
}

const char *dsm__page_plan_heading(dsm__page *page, const dsm_plan *plan) {
  const dsm_system *const system = plan->system;
  const char *const cut = plan->micro_batches > 1
                              ? dsm__page_text(page, " in %s micro-batches",
                                               dsm__figure_count(plan->micro_batches).text)
                              : "";
  const char *const runs = plan->stages.interleave > 1
                               ? dsm__page_text(page, " of %zu runs each", plan->stages.interleave)
                               : "";
  const char *const stages = plan->stages.count > 1
                                 ? dsm__page_text(page, ", %zu stages%s along %s",
                                                  plan->stages.count, runs, plan->stages.axis_name)
                                 : "";
  return dsm__page_text(
      page, "%s on %s: %s, minibatch %s%s%s, %s, peak %s", plan->workload->name, system->name,
      dsm_mode_name(plan->options.mode), dsm__figure_count(plan->workload->minibatch).text, cut,
      stages, dsm__chips_text_of(system, " x ").text,
      dsm__figure_scaled(dsm_workload_peak_flops(plan->workload, system), "FLOP/s").text);
}

const char *dsm__page_axes(dsm__page *page, const dsm_system *system) {
  const char *text = "";
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const dsm_network_axis *const axis = &system->system.axes[a];
    text = dsm__page_join(page, text, ", ", "%s %s (%s)", axis->name,
                          dsm__figure_count(axis->chips).text,
                          dsm__word_key(&dsm__link_kinds, axis->link));
  }
  return system->system.topology == DSM_TOPOLOGY_AXES ? text : "";
}

const char *dsm__page_peak_elements(const dsm_system *system) {
  bool has_rates = false;
  for (int type = DSM_ELEMENT_TYPE_ANY + 1; type < DSM_ELEMENT_TYPE_COUNT; type++) {
    const double rate = system->pe.rates[type];
    has_rates = has_rates || rate > 1 || (rate < 1 && rate > 0);
  }
  return has_rates ? ", both with elements of 16 bits (others: pe.rates)" : "";
}

const char *dsm__page_split(dsm__page *page, const dsm_loops *split) {
  return dsm__page_text(page, "%s", dsm__split_text_of(split, "-").text);
}

const char *dsm__page_word(const dsm__page *page, const dsm__words *words, size_t value) {
  return dsm__word_key(dsm__words_in(page->renaming, words), value);
}

const char *dsm__page_roles(dsm__page *page, const dsm_system *system) {
  const dsm__made_words *const made = dsm__words_in(page->renaming, &dsm__parallelism_words)->made;
  const unsigned axis_count = system->system.axis_count;
  const char *text = "a letter for each axis";
  for (unsigned a = 0; a < axis_count && system->system.topology == DSM_TOPOLOGY_AXES; a++) {
    text = dsm__page_text(page, "%s, %s", text, system->system.axes[a].name);
  }
  const char *separator = ": ";
  for (size_t role = 0; role < DSM_ROLE_COUNT; role++) {
    bool is_used = false;
    for (size_t i = 0; made != NULL && i < made->count * axis_count; i++) {
      const dsm_parallelism one = (dsm_parallelism)made->values[i / axis_count];
      is_used = is_used || dsm_parallelism_role(one, (unsigned)(i % axis_count)) == role;
    }
    if (is_used) {
      text = dsm__page_text(page, "%s%s%s = %s", text, separator,
                            dsm__word_brief(&dsm__role_words, role), dsm_role_name((dsm_role)role));
      separator = ", ";
    }
  }
  return text;
}

const char *dsm__page_parallelisms(dsm__page *page, const dsm_system *system) {
  const dsm__words *const words = dsm__words_in(page->renaming, &dsm__parallelism_words);
  const char *text = "";
  for (size_t p = DSM_PARALLELISM_MODEL + 1;
       p < (size_t)DSM_PARALLELISM_COUNT_OF(system->system.axis_count); p++) {
    text = dsm__page_join(page, text, ", ", "%s = %s", dsm__word_brief(words, p),
                          dsm__word_key(words, p));
  }
  return text;
}
