/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_document.h: what all pages have in common. */
#ifndef DSM_REPORT_PAGE_WEB_DOCUMENT_H
#define DSM_REPORT_PAGE_WEB_DOCUMENT_H

#include "report/table/text_page.h"

typedef struct dsm__web_section {
  const char *id;
  const char *title;
  size_t number; /**< by which its maker knows it */
} dsm__web_section;

/** A page. */
typedef struct dsm__web_document {
  const char *title;
  const char *subtitle;
  dsm__text_buffer *colors; /**< CSS of the colours of figures; freed with the page */
  const dsm__web_section *sections;
  size_t section_count;
  void (*put)(dsm__page *page, const void *subject, size_t number);
  const void *subject;
} dsm__web_document;

/** Fills a page that has nothing yet. */
void dsm__web_print(dsm__page *page, const dsm__web_document *document);

#endif
