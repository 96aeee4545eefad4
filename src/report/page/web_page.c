/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_page.c: the page on a plan: its sections, in order. */
#include <string.h>

#include "report/answer.h"
#include "report/page/web.h"
#include "report/page/web_document.h"

typedef struct section {
  const char *id;
  const char *title;
  void (*put)(dsm__page *page, const dsm_plan_page *subject);
} section;

static const section sections[] = {
    {"summary", "Summary", dsm__web_summary},
    {"ladder", "What each optimization gains", dsm__web_ladder},
    {"step", "Where the time of the step goes", dsm__web_step},
    {"losses", "What layers and passes lose", dsm__web_losses},
    {"elasticity", "What the time of the step depends on", dsm__web_elasticity},
    {"roofline", "Roofline", dsm__web_roofline},
    {"memory", "Memory over the step", dsm__web_memory},
    {"storage", "Reading the data set", dsm__web_storage},
    {"layers", "Layers and passes", dsm__web_layers},
    {"assumptions", "Assumptions of the model", dsm__web_assumptions},
    {"inputs", "Inputs", dsm__web_inputs},
    {"reproduce", "Make it again", dsm__web_commands},
};
enum { SECTION_COUNT = DSM__COUNT_OF(sections) };

static bool is_shown(const section *candidate, const dsm_plan_page *subject) {
  return candidate->put == dsm__web_ladder       ? subject->rung_count > 0
         : candidate->put == dsm__web_elasticity ? subject->elasticity != NULL
         : candidate->put == dsm__web_storage
             ? subject->plan->result.storage.job.demand_bytes_per_second > 0
             : true;
}

static void put_section(dsm__page *page, const void *of, size_t index) {
  const dsm_plan_page *const subject = of;
  sections[index].put(page, subject);
}

static void put_page(dsm__page *page, const dsm_answer *answer) {
  const dsm_plan_page *const subject = answer->of;
  const dsm_plan *const plan = subject->plan;
  page->renaming = plan->renaming;
  dsm__text_buffer colors = {0};
  dsm__web_colors(&colors, plan);
  const char *const heading = dsm__page_plan_heading(page, plan);
  const char *const title =
      dsm__page_text(page, "%s on %s", plan->workload->name, plan->system->name);
  /* The heading is the title, then ": " and the rest. */
  const size_t title_length = strlen(title) + 2;
  dsm__web_section shown[SECTION_COUNT];
  dsm__web_document document = {.title = title,
                                .subtitle = strlen(heading) > title_length ? heading + title_length
                                                                           : heading,
                                .colors = &colors,
                                .sections = shown,
                                .put = put_section,
                                .subject = subject};
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    if (is_shown(&sections[i], subject)) {
      shown[document.section_count++] =
          (dsm__web_section){.id = sections[i].id, .title = sections[i].title, .number = i};
    }
  }
  dsm__web_print(page, &document);
}

const dsm_answer_kind dsm_answer_plan_page = {.views = {[DSM_FORM_PAGE] = put_page}};
