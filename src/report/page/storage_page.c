/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_page.c: the page on what storage delivers. */

#include <stdlib.h>

#include "report/answer.h"
#include "report/figure/plot_storage.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/page/web_document.h"
#include "report/table/number_style.h"

enum { SUMMARY, FACTORS, MINI_EPOCHS, ROOFLINE, CHOICES, SECTION_COUNT };

/* The roofline stands last, for an answer without roofs. */
static const dsm__web_section sections[SECTION_COUNT] = {
    {"summary", "Summary", SUMMARY},
    {"storage", "Over the repeating factor", FACTORS},
    {"factors", "Factors from which to choose", CHOICES},
    {"mini-epochs", "Mini-epochs over time", MINI_EPOCHS},
    {"roofline", "The roof of reading", ROOFLINE},
};

static void put_figure(dsm__page *page, const dsm_storage_result *result, dsm__stored_plot *make,
                       const char *id, const char *label, const char *caption) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  make(&maker, &(dsm__stored){.result = result});
  dsm__web_figure(page, &maker, id, label,
                  maker.note == NULL ? caption
                                     : dsm__page_text(page, "%s Shown: %s.", caption, maker.note));
}

/* The table for people, as wide as a page has room for. */
static void put_summary(dsm__page *page, const dsm_storage_result *result) {
  static const dsm_table_style style = {.width = 100};
  char *const text = dsm_answer_print(DSM_ANSWER(storage, result), DSM_FORM_TABLE, &style);
  if (text == NULL) {
    page->out.failed = true;
    return;
  }
  dsm__html_begin(&page->out, "pre", "id", "answer", "tabindex", "0", NULL);
  dsm__html_begin(&page->out, "code", NULL);
  dsm__html_text(&page->out, text);
  dsm__text_puts(&page->out, "</code>");
  dsm__html_end(&page->out, "pre");
  free(text);
}

static void put_choices(dsm__page *page, const dsm_storage_result *result) {
  static const dsm__web_title titles[] = {
      {"repeat", true}, {"capacity tier B/s", true}, {"samples/s", true}, {"waiting %", true}};
  dsm__web_table_begin(page, "choices-table", "Over the repeating factor",
                       "What each factor reads and how fast it is", titles, DSM__COUNT_OF(titles));
  for (size_t i = 0; i < result->point_count; i++) {
    const dsm_storage_point *const point = &result->points[i];
    const double figures[] = {point->repeat, point->capacity_bytes_per_second,
                              point->samples_per_second, 100 * point->waiting_share};
    dsm__html_begin(&page->out, "tr", NULL);
    for (size_t f = 0; f < DSM__COUNT_OF(figures); f++) {
      dsm__web_number(page, figures[f],
                      dsm__page_text(page, "%s", dsm__figure_digits(figures[f], 4).text));
    }
    dsm__html_end(&page->out, "tr");
  }
  dsm__web_table_end(page);
}

static void put_section(dsm__page *page, const void *subject, size_t number) {
  const dsm_storage_result *const result = subject;
  if (number == SUMMARY) {
    put_summary(page, result);
  } else if (number == FACTORS) {
    put_figure(
        page, result, dsm__plot_stored_factors, "storage-figure",
        "Samples a second, and what is read from the capacity tier, over the times that each "
        "mini-epoch is trained on. The table of factors has the numbers.",
        "The square is the answer; the upright line is where the capacity tier is fast "
        "enough.");
  } else if (number == MINI_EPOCHS) {
    put_figure(page, result, dsm__plot_stored_mini_epochs, "mini-epochs-figure",
               "A row of bars for the loading of mini-epochs, and one for the training on them.",
               "Point at a bar for its mini-epoch and time.");
  } else if (number == ROOFLINE) {
    put_figure(page, result, dsm__plot_stored_roofline, "io-roofline-figure",
               "FLOP/s of the system over FLOP for each byte of the data set, under the roofs of "
               "both tiers, with the network.",
               "Point at the network for its rate where each sample is read once.");
  } else {
    put_choices(page, result);
  }
}

void dsm__put_storage_page(dsm__page *page, const dsm_answer *answer) {
  const dsm_storage_result *const result = answer->of;
  static const size_t series = 2;
  dsm__text_buffer colors = {0};
  dsm__web_series_colors(&colors, series, true);
  const dsm__web_document document = {.title = result->name,
                                      .subtitle = "what storage delivers",
                                      .colors = &colors,
                                      .sections = sections,
                                      .section_count =
                                          result->has_roofs ? SECTION_COUNT : SECTION_COUNT - 1,
                                      .put = put_section,
                                      .subject = result};
  dsm__web_print(page, &document);
}
