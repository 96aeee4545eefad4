/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_page.c: a page as a whole: what stands around its sections. */
#include <string.h>

#include "base/digest.h"
#include "dsm/status.h"
#include "report/page/html.h"
#include "report/page/page_assets.h"
#include "report/page/web.h"

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

/* ---- head ---- */

static const char *digest_of(dsm__page *page, const char *text) {
  char digest[DSM__DIGEST_BASE64_SIZE];
  dsm__digest_base64(text, strlen(text), digest);
  return dsm__page_text(page, "'sha256-%s'", digest);
}

/* Nothing is loaded from anywhere, and only this style and this script count. */
static void put_policy(dsm__page *page, const char *colors) {
  dsm__html_void(
      &page->out, "meta", "http-equiv", "Content-Security-Policy", "content",
      dsm__page_text(page,
                     "default-src 'none'; style-src %s %s; script-src %s; img-src data:; "
                     "base-uri 'none'; form-action 'none'",
                     digest_of(page, dsm__page_style), digest_of(page, colors),
                     digest_of(page, dsm__page_script)),
      NULL);
}

/* An element whose content is no text to escape, but style or script. */
static void put_raw(dsm__page *page, const char *tag, const char *content) {
  dsm__html_begin(&page->out, tag, NULL);
  dsm__text_puts(&page->out, content);
  dsm__html_end(&page->out, tag);
}

static void put_head(dsm__page *page, const dsm_plan *plan, const char *colors) {
  dsm__text_buffer *const out = &page->out;
  dsm__html_begin(out, "head", NULL);
  dsm__page_break(page);
  dsm__html_void(out, "meta", "charset", "utf-8", NULL);
  put_policy(page, colors);
  dsm__html_void(out, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1",
                 NULL);
  dsm__html_void(out, "meta", "name", "color-scheme", "content", "light dark", NULL);
  dsm__html_void(out, "meta", "name", "generator", "content",
                 dsm__page_text(page, "dsm %s", dsm_version()), NULL);
  dsm__html_element(
      out, "title",
      dsm__page_text(page, "%s on %s - dsm report", plan->workload->name, plan->system->name),
      NULL);
  dsm__html_void(out, "link", "rel", "icon", "href", "data:,", NULL); /* or browsers ask for one */
  put_raw(page, "style", dsm__page_style);
  put_raw(page, "style", colors);
  dsm__html_end(out, "head");
}

/* ---- body ---- */

static void put_navigation(dsm__page *page, const dsm_plan_page *subject) {
  dsm__html_begin(&page->out, "nav", "aria-label", "Sections", NULL);
  dsm__html_begin(&page->out, "ul", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    if (is_shown(&sections[i], subject)) {
      dsm__html_begin(&page->out, "li", NULL);
      dsm__html_begin(&page->out, "a", "href", dsm__page_text(page, "#%s", sections[i].id), NULL);
      dsm__html_text(&page->out, sections[i].title);
      dsm__text_puts(&page->out, "</a>");
      dsm__html_end(&page->out, "li");
    }
  }
  dsm__html_end(&page->out, "ul");
  dsm__html_end(&page->out, "nav");
}

static void put_header(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const char *const heading = dsm__page_plan_heading(page, plan);
  const char *const title =
      dsm__page_text(page, "%s on %s", plan->workload->name, plan->system->name);
  dsm__html_begin(&page->out, "header", NULL);
  dsm__page_break(page);
  dsm__html_element(&page->out, "h1", title, NULL);
  /* The heading is the title, then ": " and the rest. */
  const size_t title_length = strlen(title) + 2;
  dsm__web_paragraph(page, "subtitle",
                     strlen(heading) > title_length ? heading + title_length : heading);
  put_navigation(page, subject);
  dsm__html_end(&page->out, "header");
}

static void put_section(dsm__page *page, const section *shown, const dsm_plan_page *subject) {
  const char *const heading_id = dsm__page_text(page, "%s-heading", shown->id);
  dsm__html_begin(&page->out, "section", "id", shown->id, "aria-labelledby", heading_id, NULL);
  dsm__page_break(page);
  dsm__html_element(&page->out, "h2", shown->title, "id", heading_id, NULL);
  shown->put(page, subject);
  dsm__html_end(&page->out, "section");
}

static void put_body(dsm__page *page, const dsm_plan_page *subject) {
  dsm__text_buffer *const out = &page->out;
  dsm__html_begin(out, "body", NULL);
  dsm__page_break(page);
  dsm__html_element(out, "a", "Skip to the report", "class", "skip", "href", "#main", NULL);
  put_header(page, subject);
  dsm__html_begin(out, "main", "id", "main", "tabindex", "-1", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    if (is_shown(&sections[i], subject)) {
      put_section(page, &sections[i], subject);
    }
  }
  dsm__html_end(out, "main");
  dsm__html_element(out, "footer",
                    dsm__page_text(page,
                                   "Made by dsm %s. All figures are predictions of its model, not "
                                   "measurements.",
                                   dsm_version()),
                    NULL);
  put_raw(page, "script", dsm__page_script);
  dsm__html_end(out, "body");
}

char *dsm_report_plan_page(const dsm_plan_page *subject) {
  dsm__page page = dsm__page_begin((dsm_table_style){.is_unfolded = subject->is_unfolded});
  page.renaming = subject->plan->renaming;
  dsm__text_buffer colors = {0};
  dsm__web_colors(&colors, subject->plan);
  page.out.failed = page.out.failed || colors.failed;
  const char *const color_text = colors.text == NULL ? "" : colors.text;
  dsm__text_puts(&page.out, "<!DOCTYPE html>\n");
  dsm__html_begin(&page.out, "html", "lang", "en", NULL);
  dsm__page_break(&page);
  put_head(&page, subject->plan, color_text);
  put_body(&page, subject);
  dsm__html_end(&page.out, "html");
  dsm__text_fini(&colors);
  return dsm__page_finish(&page);
}
