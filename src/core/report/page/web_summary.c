/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_summary.c: what is planned, how fast it is, and where the lost utilization goes. */
#include <math.h>

#include "base/number_text.h"
#include "model/names.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"

/* Of two implementations of the model. */
static const double tolerance = 1e-9;

static void put_notice(dsm__page *page, const char *class, const char *title, const char *text) {
  dsm__html_begin(&page->out, "p", "class", dsm__page_text(page, "notice %s", class), "role",
                  "note", NULL);
  dsm__html_element(&page->out, "strong", title, NULL);
  dsm__html_text(&page->out, text);
  dsm__html_end(&page->out, "p");
}

/* ---- is it the best, and what its file says? ---- */

static double slowdown_of(const dsm_plan *plan, const dsm_plan *best) {
  return dsm__share(plan->result.step_cycles, best->result.step_cycles) - 1;
}

static void put_distance_from_best(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm_plan *const best = subject->best;
  if (best == NULL) {
    return;
  }
  const double slowdown = slowdown_of(plan, best);
  if (slowdown <= tolerance) {
    return;
  }
  put_notice(page, "warning", "Not the best plan. ",
             dsm__page_text(page,
                            "Its step takes %s (%s cycles), %s %% longer than the best mapping of "
                            "the same inputs with the same options: %s (%s cycles, explored "
                            "again). The plan was edited by hand, or made by another version.",
                            dsm__web_time(page, plan, plan->result.step_cycles),
                            dsm__figure_fixed(plan->result.step_cycles, 0).text,
                            dsm__figure_digits(100 * slowdown, 3).text,
                            dsm__web_time(page, best, best->result.step_cycles),
                            dsm__figure_fixed(best->result.step_cycles, 0).text));
}

static void put_distance_from_record(dsm__page *page, const dsm_plan_page *subject) {
  const double recorded = subject->recorded_step_cycles;
  const double predicted = subject->plan->result.step_cycles;
  if (!(recorded > 0) || fabs(predicted - recorded) <= tolerance * recorded) {
    return;
  }
  put_notice(
      page, "warning", "Not what the file records. ",
      dsm__page_text(page,
                     "The file of the plan records a step of %s cycles; predicted again from its "
                     "decisions, the step takes %s (%s%s %%). This page shows the new prediction.",
                     dsm__figure_fixed(recorded, 0).text, dsm__figure_fixed(predicted, 0).text,
                     predicted > recorded ? "+" : "-",
                     dsm__figure_digits(100 * fabs(predicted / recorded - 1), 3).text));
}

/* ---- tiles ---- */

typedef struct tile {
  const char *id;
  const char *name;
  const char *value;
  const char *unit;
  const char *detail;
  double exact; /* for programs */
} tile;

static void put_tile(dsm__page *page, const tile *shown) {
  dsm__text_buffer *const out = &page->out;
  char exact[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(shown->exact, exact);
  dsm__html_begin(out, "div", NULL);
  dsm__html_element(out, "dt", shown->name, NULL);
  dsm__html_begin(out, "dd", "id", shown->id, "data-v", exact, NULL);
  dsm__html_begin(out, "span", "class", "figure", NULL);
  dsm__html_text(out, shown->value);
  dsm__text_puts(out, "</span> ");
  dsm__html_text(out, shown->unit);
  dsm__html_begin(out, "span", "class", "detail", NULL);
  dsm__html_text(out, shown->detail);
  dsm__text_puts(out, "</span>");
  dsm__html_end(out, "dd");
  dsm__html_end(out, "div");
}

static void put_tiles(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  const dsm_plan_memory *const memory = &result->memory;
  const bool is_inference = plan->options.mode == DSM_MODE_INFERENCE;
  const bool is_short = result->step_seconds < 1e-3;
  const tile tiles[] = {
      {"step-seconds", is_inference ? "Latency" : "Step time",
       dsm__page_text(page, "%s",
                      dsm__figure_digits((is_short ? 1e6 : 1e3) * result->step_seconds, 5).text),
       is_short ? "\xC2\xB5s" : "ms",
       dsm__page_text(
           page, "%s%s cycle%s at %s GHz", result->storage.waiting_seconds > 0 ? "computing " : "",
           dsm__figure_fixed(result->step_cycles, 0).text, dsm__plural(round(result->step_cycles)),
           dsm__figure_short(plan->system->core.frequency_GHz, 4).text),
       result->step_seconds},
      {"samples-per-second", "Throughput",
       dsm__page_text(page, "%s", dsm__figure_digits(result->samples_per_second, 4).text),
       "samples/s",
       dsm__page_text(page, "%s sample%s a step", dsm__figure_count(plan->workload->minibatch).text,
                      dsm__plural((double)plan->workload->minibatch)),
       result->samples_per_second},
      {"utilization", "Utilization",
       dsm__page_text(page, "%s", dsm__figure_fixed(100 * result->utilization, 1).text), "%",
       dsm__page_text(
           page, "of %s",
           dsm__figure_scaled(dsm_workload_peak_flops(plan->workload, plan->system), "FLOP/s")
               .text),
       result->utilization},
      {"memory-bytes", "Memory of a chip",
       dsm__page_text(page, "%s", dsm__figure_scaled(memory->total_bytes, "B").text), "",
       dsm__page_text(
           page, "%s of %s%s",
           dsm__web_percent(page, dsm__share(memory->total_bytes, memory->capacity_bytes)),
           dsm__figure_scaled(memory->capacity_bytes, "B").text,
           dsm__page_reserve(page, plan->system)),
       memory->total_bytes},
  };
  dsm__html_begin(&page->out, "dl", "class", "tiles", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < DSM__COUNT_OF(tiles); i++) {
    put_tile(page, &tiles[i]);
  }
  dsm__html_end(&page->out, "dl");
}

/* ---- where the step goes ---- */

static const char *share_of_part(dsm__page *page, const dsm__time_parts *parts, int part,
                                 double total) {
  return dsm__web_percent(page, dsm__share(parts->cycles[part], total));
}

/* The parts of the loss, largest first; of equals the first. Returns how many there are. */
static size_t order_losses(const dsm__time_parts *parts, int order[DSM__PART_COUNT]) {
  size_t count = 0;
  for (int part = DSM__PART_ARRAY; part < DSM__PART_COUNT; part++) {
    if (!(parts->cycles[part] > 0)) {
      continue;
    }
    size_t at = count++;
    for (; at > 0 && parts->cycles[order[at - 1]] < parts->cycles[part]; at--) {
      order[at] = order[at - 1];
    }
    order[at] = part;
  }
  return count;
}

/* What a part is, in a sentence. */
static const char *part_sentence(int part) {
  static const char *const own[DSM__PART_COUNT] = {
      [DSM__PART_BUSY] = "useful work",
      [DSM__PART_ARRAY] = "arrays that start up or are not full",
      [DSM__PART_AUXILIARY] = "auxiliary operations",
      [DSM__PART_OVERHEAD] = "starting and issuing kernels",
      [DSM__PART_WAITING] = "waiting for data",
  };
  return own[part] != NULL
             ? own[part]
             : dsm__word_text(&dsm__group_words, dsm__group_of_part((dsm__time_part)part));
}

static void put_prose(dsm__page *page, const dsm_plan *plan, const dsm__time_parts *parts) {
  enum { NAMED_MAX = 4 };
  const dsm_plan_result *const result = &plan->result;
  const double total = dsm__step_cycles(plan);
  int order[DSM__PART_COUNT];
  const size_t count = order_losses(parts, order);
  const size_t named = count < NAMED_MAX ? count : NAMED_MAX;
  const char *text = dsm__page_text(
      page,
      "%s of %s with %s sample%s takes %s on %s, that is %s samples/s. %s of that time is "
      "useful work at the full speed of all arrays",
      plan->options.mode == DSM_MODE_INFERENCE ? "A request" : "A training step",
      plan->workload->name, dsm__figure_count(plan->workload->minibatch).text,
      dsm__plural((double)plan->workload->minibatch),
      dsm__web_time(page, plan, dsm__step_cycles(plan)), plan->system->name,
      dsm__figure_digits(result->samples_per_second, 4).text,
      share_of_part(page, parts, DSM__PART_BUSY, total));
  for (size_t i = 0; i < named; i++) {
    text = dsm__page_text(page, "%s%s %s (%s)", text,
                          i == 0           ? "; the rest goes mostly to"
                          : i + 1 == named ? " and"
                                           : ",",
                          part_sentence(order[i]), share_of_part(page, parts, order[i], total));
  }
  dsm__web_paragraph(page, "lead", dsm__page_text(page, "%s.", text));
}

static void put_step_bar(dsm__page *page, const dsm_plan *plan, const dsm__time_parts *parts) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  const double total = dsm__step_cycles(plan);
  maker.height = 44;
  double x = 0;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    const double width = maker.width * dsm__share(parts->cycles[part], total);
    if (width > 0) {
      dsm__plot_box(&maker, (dsm__area){x, 0, width, maker.height},
                    dsm__color_of_part((dsm__time_part)part),
                    dsm__page_text(page, "%s: %s, %s", dsm__part_phrase((dsm__time_part)part),
                                   share_of_part(page, parts, part, total),
                                   dsm__web_time(page, plan, parts->cycles[part])));
      x += width;
    }
  }
  dsm__svg_end(&maker, &page->out, "figure step-bar",
               "One bar: the parts of the step's time. The table below has the numbers.");
}

static void put_part_row(dsm__page *page, const dsm_plan *plan, const dsm__time_parts *parts,
                         int part) {
  dsm__text_buffer *const out = &page->out;
  dsm__html_begin(out, "tr", NULL);
  dsm__html_begin(out, "th", "scope", "row", "class", "part", NULL);
  dsm__svg_swatch(out, dsm__color_of_part((dsm__time_part)part));
  dsm__html_text(out, dsm__part_phrase((dsm__time_part)part));
  dsm__html_end(out, "th");
  dsm__web_number(page, "number", parts->cycles[part],
                  share_of_part(page, parts, part, dsm__step_cycles(plan)));
  dsm__html_element(out, "td", dsm__web_time(page, plan, parts->cycles[part]), "class", "number",
                    NULL);
  dsm__html_element(out, "td", part_sentence(part), NULL);
  dsm__html_end(out, "tr");
}

static void put_parts_table(dsm__page *page, const dsm_plan *plan, const dsm__time_parts *parts) {
  static const dsm__web_title titles[] = {
      {"part", false}, {"share of the step", true}, {"time", true}, {"what it is", false}};
  dsm__web_table_begin(page, "parts", "Parts of the step",
                       "What the time of the step is spent on; the parts add up to it.", titles,
                       DSM__COUNT_OF(titles));
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    if (parts->cycles[part] > 0) {
      put_part_row(page, plan, parts, part);
    }
  }
  dsm__web_table_end(page);
}

static void put_bottlenecks(dsm__page *page, const dsm_plan *plan) {
  const char *sentences[DSM__BOTTLENECKS_MAX];
  const size_t count = dsm__plan_bottleneck_sentences(page, plan, sentences);
  if (count == 0) {
    return;
  }
  dsm__html_element(&page->out, "h3", "Most is lost in", NULL);
  dsm__html_begin(&page->out, "ol", "class", "losers", NULL);
  for (size_t i = 0; i < count; i++) {
    dsm__html_element(&page->out, "li", sentences[i], NULL);
  }
  dsm__html_end(&page->out, "ol");
}

/* ---- the rest in words ---- */

static void put_term(dsm__page *page, const char *term, const char *text) {
  dsm__html_element(&page->out, "dt", term, NULL);
  dsm__html_element(&page->out, "dd", text, NULL);
}

static void put_facts(dsm__page *page, const dsm_plan *plan) {
  dsm__html_begin(&page->out, "dl", "class", "facts", NULL);
  dsm__page_break(page);
  dsm__plan_lines(page, plan, true, put_term);
  dsm__html_end(&page->out, "dl");
}

static void put_degrees(dsm__page *page, const dsm_plan *plan) {
  const char *const degrees = dsm__plan_degrees_line(page, plan);
  if (degrees[0] != '\0') {
    dsm__web_paragraph(page, "degrees", degrees);
  }
}

void dsm__web_summary(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  const dsm_plan *const plan = subject->plan;
  const dsm__loss loss = dsm__loss_of_plan(plan);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  put_distance_from_best(page, subject);
  put_distance_from_record(page, subject);
  put_degrees(page, plan);
  put_tiles(page, plan);
  put_prose(page, plan, &parts);
  put_step_bar(page, plan, &parts);
  put_parts_table(page, plan, &parts);
  put_bottlenecks(page, plan);
  put_facts(page, plan);
}
