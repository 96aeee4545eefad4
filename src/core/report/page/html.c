/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/page/html.h"

#include <stdarg.h>

#include "report/data/xml.h"

void dsm__html_text(dsm__text_buffer *out, const char *text) {
  dsm__xml_lines(out, text);
}

static void start_tag(dsm__text_buffer *out, const char *tag, va_list attributes) {
  dsm__text_puts(out, "<");
  dsm__text_puts(out, tag);
  for (const char *name = va_arg(attributes, const char *); name != NULL;
       name = va_arg(attributes, const char *)) {
    const char *const value = va_arg(attributes, const char *);
    if (value[0] == '\0') {
      dsm__text_puts(out, " ");
      dsm__text_puts(out, name);
    } else {
      dsm__xml_attribute(out, name, value);
    }
  }
  dsm__text_puts(out, ">");
}

void dsm__html_begin(dsm__text_buffer *out, const char *tag, ...) {
  va_list attributes;
  va_start(attributes, tag);
  start_tag(out, tag, attributes);
  va_end(attributes);
}

void dsm__html_end(dsm__text_buffer *out, const char *tag) {
  dsm__text_puts(out, "</");
  dsm__text_puts(out, tag);
  dsm__text_puts(out, ">\n");
}

void dsm__html_element(dsm__text_buffer *out, const char *tag, const char *text, ...) {
  va_list attributes;
  va_start(attributes, text);
  start_tag(out, tag, attributes);
  va_end(attributes);
  dsm__html_text(out, text);
  dsm__html_end(out, tag);
}

void dsm__html_void(dsm__text_buffer *out, const char *tag, ...) {
  va_list attributes;
  va_start(attributes, tag);
  start_tag(out, tag, attributes);
  va_end(attributes);
  dsm__text_puts(out, "\n");
}
