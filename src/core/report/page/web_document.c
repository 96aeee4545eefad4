/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_document.c: a page as a whole: what stands around its sections. */
#include <string.h>

#include "base/digest.h"
#include "dsm/status.h"
#include "report/page/html.h"
#include "report/page/page_assets.h"
#include "report/page/web.h"

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

static void put_head(dsm__page *page, const char *title, const char *colors) {
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
  dsm__html_element(out, "title", dsm__page_text(page, "%s - dsm report", title), NULL);
  dsm__html_void(out, "link", "rel", "icon", "href", "data:,", NULL); /* or browsers ask for one */
  put_raw(page, "style", dsm__page_style);
  put_raw(page, "style", colors);
  dsm__html_end(out, "head");
}

/* ---- body ---- */

/* Does a section begin there? */
static bool begins(const dsm__layout *layout, const dsm__shown *shown, size_t index) {
  const dsm__section *const section = &layout->sections[index];
  return section->title != NULL && dsm__section_is_there(section, shown, false);
}

static void put_navigation(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown) {
  dsm__html_begin(&page->out, "nav", "aria-label", "Sections", NULL);
  dsm__html_begin(&page->out, "ul", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < layout->section_count; i++) {
    if (begins(layout, shown, i)) {
      const dsm__section *const section = &layout->sections[i];
      dsm__html_begin(&page->out, "li", NULL);
      dsm__html_begin(&page->out, "a", "href", dsm__page_text(page, "#%s", section->id), NULL);
      dsm__html_text(&page->out, section->title);
      dsm__text_puts(&page->out, "</a>");
      dsm__html_end(&page->out, "li");
    }
  }
  dsm__html_end(&page->out, "ul");
  dsm__html_end(&page->out, "nav");
}

static void put_header(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown,
                       const char *title) {
  const char *const subtitle =
      layout->subtitle == NULL ? "" : dsm__value_text(page, shown, layout->subtitle);
  dsm__html_begin(&page->out, "header", NULL);
  dsm__page_break(page);
  dsm__html_element(&page->out, "h1", title, NULL);
  if (subtitle[0] != '\0') {
    dsm__web_paragraph(page, "subtitle", subtitle);
  }
  put_navigation(page, layout, shown);
  dsm__html_end(&page->out, "header");
}

static void put_section(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown,
                        size_t index) {
  const dsm__section *const section = &layout->sections[index];
  const char *const heading_id = dsm__page_text(page, "%s-heading", section->id);
  dsm__html_begin(&page->out, "section", "id", section->id, "aria-labelledby", heading_id, NULL);
  dsm__page_break(page);
  dsm__html_element(&page->out, "h2", section->title, "id", heading_id, NULL);
  dsm__web_section(page, layout, shown, index);
  dsm__html_end(&page->out, "section");
}

static void put_body(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown,
                     const char *title) {
  dsm__text_buffer *const out = &page->out;
  dsm__html_begin(out, "body", NULL);
  dsm__page_break(page);
  dsm__html_element(out, "a", "Skip to the report", "class", "skip", "href", "#main", NULL);
  put_header(page, layout, shown, title);
  dsm__html_begin(out, "main", "id", "main", "tabindex", "-1", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < layout->section_count; i++) {
    if (begins(layout, shown, i)) {
      put_section(page, layout, shown, i);
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

void dsm__layout_page(dsm__page *page, const dsm__layout *layout, const void *document) {
  const dsm__shown shown = {.type = layout->type, .record = document};
  const char *const title =
      dsm__value_text(page, &shown, layout->title != NULL ? layout->title : layout->heading);
  dsm__text_buffer colors = {0};
  dsm__web_colors(&colors, layout, document);
  page->out.failed = page->out.failed || colors.failed;
  dsm__text_puts(&page->out, "<!DOCTYPE html>\n");
  dsm__html_begin(&page->out, "html", "lang", "en", NULL);
  dsm__page_break(page);
  put_head(page, title, colors.text == NULL ? "" : colors.text);
  put_body(page, layout, &shown, title);
  dsm__html_end(&page->out, "html");
  dsm__text_fini(&colors);
}
