/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_page.c: the page on a plan of cores in memory. */
#include "pim/pim_record.h"
#include "report/answer.h"
#include "report/figure/plot_pim.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/page/web_document.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"

enum { SUMMARY, BREAKDOWN, TASKLETS, CORES, INPUTS, COMMANDS, SECTION_COUNT };

static const dsm__web_section sections[SECTION_COUNT] = {
    {"summary", "Summary", SUMMARY},
    {"breakdown", "Where the time goes", BREAKDOWN},
    {"tasklets", "How many tasklets", TASKLETS},
    {"cores", "How many cores", CORES},
    {"inputs", "Inputs", INPUTS},
    {"reproduce", "Make it again", COMMANDS},
};

/* ---- summary ---- */

static void put_summary(dsm__page *page, const dsm_pim_plan *plan) {
  const dsm_pim_cost *const cost = &plan->cost;
  dsm__web_paragraph(
      page, NULL,
      dsm__page_text(page,
                     "The training takes %s s and %s: %s updates a second, %s of what all cores of "
                     "the system could do.",
                     dsm__figure_digits(cost->seconds, 4).text,
                     dsm__figure_scaled(cost->joules, "J").text,
                     dsm__figure_fixed(cost->updates_per_second, 0).text,
                     dsm__web_percent(page, cost->utilization)));
  dsm__web_paragraph(
      page, NULL,
      dsm__page_text(page,
                     "An update has %s instructions and takes %s cycles, %s of dispatch and %s of "
                     "memory. The kernel does %s, %s of the roof over these cores, which is their "
                     "%s.",
                     dsm__figure_digits(cost->update.instructions, 4).text,
                     dsm__figure_digits(cost->update.cycles, 4).text,
                     dsm__figure_digits(cost->update.compute_cycles, 4).text,
                     dsm__figure_digits(cost->update.dma_cycles, 3).text,
                     dsm__figure_scaled(cost->roofline.operations_per_second, "op/s").text,
                     dsm__web_percent(page, cost->roofline.operations_per_second /
                                                cost->roofline.roof_operations_per_second),
                     dsm_pim_bound_name(cost->roofline.bound)));
  dsm__web_paragraph(page, NULL,
                     dsm__page_text(page, "A core holds %s; the data set needs %s cores at least.",
                                    dsm__figure_scaled(cost->core_bytes, "B").text,
                                    dsm__figure_count(plan->fewest_cores).text));
}

/* ---- figures ---- */

static void put_figure(dsm__page *page, const dsm_pim_plan *plan,
                       void (*make)(dsm__plot_maker *maker, const dsm_pim_plan *plan),
                       const char *id, const char *label, const char *caption) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  make(&maker, plan);
  dsm__web_figure(page, &maker, id, label, caption);
}

/* ---- cores ---- */

static void put_number(dsm__page *page, double value) {
  dsm__web_number(page, value, dsm__page_text(page, "%s", dsm__figure_digits(value, 4).text));
}

static void put_cores(dsm__page *page, const dsm_pim_plan *plan) {
  static const dsm__web_title titles[] = {
      {"cores", true},         {"transfers", false},    {"seconds", true},       {"kernel", true},
      {"host to cores", true}, {"cores to host", true}, {"between cores", true}, {"joules", true}};
  dsm__web_table_begin(page, "cores-table", "Over cores",
                       "Seconds over cores, with the best of all else", titles,
                       DSM__COUNT_OF(titles));
  for (size_t i = 0; i < plan->curve_count; i++) {
    const dsm_pim_cost *const cost = &plan->curve[i];
    dsm__html_begin(&page->out, "tr", NULL);
    dsm__web_number(page, (double)cost->choice.cores,
                    dsm__page_text(page, "%s", dsm__figure_count(cost->choice.cores).text));
    dsm__html_element(&page->out, "td",
                      cost->is_feasible ? dsm_pim_transfers_name(cost->choice.transfers)
                                        : "the data set does not fit",
                      "class", "name", NULL);
    const double figures[] = {cost->seconds,
                              cost->kernel_seconds,
                              cost->host_to_cores_seconds,
                              cost->cores_to_host_seconds,
                              cost->between_cores_seconds,
                              cost->joules};
    for (size_t f = 0; f < DSM__COUNT_OF(figures); f++) {
      if (cost->is_feasible) {
        put_number(page, figures[f]);
      } else {
        dsm__web_number(page, 0, "");
      }
    }
    dsm__html_end(&page->out, "tr");
  }
  dsm__web_table_end(page);
}

/* ---- inputs, and commands ---- */

static void put_json(dsm__page *page, const char *title, const char *id,
                     const dsm__record_type *type, const void *record) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__record_write(&writer, type, record);
  page->out.failed = page->out.failed || text.failed;
  dsm__web_paragraph(page, NULL, title);
  dsm__html_begin(&page->out, "pre", "id", id, "tabindex", "0", NULL);
  dsm__html_begin(&page->out, "code", NULL);
  dsm__html_text(&page->out, text.failed ? "" : text.text);
  dsm__text_puts(&page->out, "</code>");
  dsm__html_end(&page->out, "pre");
  dsm__text_fini(&text);
}

static void put_commands(dsm__page *page) {
  dsm__web_paragraph(page, NULL,
                     "The plan contains its workload and system, so that they can be asked again, "
                     "or changed. PLAN is its file:");
  dsm__html_begin(&page->out, "pre", "id", "commands-pim", "tabindex", "0", NULL);
  dsm__html_begin(&page->out, "code", NULL);
  dsm__html_text(&page->out, "jq .workload PLAN > workload.json\njq .system PLAN > system.json\n"
                             "dsm pim workload.json system.json\ndsm check PLAN\n");
  dsm__text_puts(&page->out, "</code>");
  dsm__html_end(&page->out, "pre");
}

static void put_section(dsm__page *page, const void *subject, size_t number) {
  const dsm_pim_plan *const plan = subject;
  if (number == SUMMARY) {
    put_summary(page, plan);
  } else if (number == BREAKDOWN) {
    put_figure(page, plan, dsm__plot_pim_breakdown, "breakdown-figure",
               "The seconds of the training over cores, and the shares of its parts. The table of "
               "cores has the numbers.",
               "Point at a part for its time and share.");
  } else if (number == TASKLETS) {
    put_figure(page, plan, dsm__plot_pim_tasklets, "tasklets-figure",
               "Cycles of an update over tasklets of a core.",
               dsm__page_text(page,
                              "With %s tasklets an update takes less than 1 %% more than with any "
                              "number.",
                              dsm__figure_count(plan->knee_tasklets).text));
  } else if (number == CORES) {
    put_cores(page, plan);
  } else if (number == INPUTS) {
    put_json(page, "The workload:", "workload", &dsm__rl_workload_record, plan->workload);
    put_json(page, "The system:", "system", &dsm__pim_system_record, plan->system);
  } else {
    put_commands(page);
  }
}

void dsm__put_pim_page(dsm__page *page, const dsm_answer *answer) {
  const dsm_pim_plan *const plan = answer->of;
  dsm__text_buffer colors = {0};
  dsm__web_series_colors(&colors, DSM__PIM_PARTS, false);
  const dsm__web_document document = {
      .title = dsm__page_text(page, "%s on %s", plan->workload->name, plan->system->name),
      .subtitle = dsm__pim_choice_text(page, plan),
      .colors = &colors,
      .sections = sections,
      .section_count = SECTION_COUNT,
      .put = put_section,
      .subject = plan};
  dsm__web_print(page, &document);
}
