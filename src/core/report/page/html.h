/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h: elements of HTML, and of SVG inside it. Tags, and names of attributes, are the caller's
 * own; texts and values of attributes may be anything and are escaped. What no document may
 * contain becomes U+FFFD.
 *
 * Attributes follow as pairs of name and value, closed by NULL; one whose value is "" is written
 * without a value.
 */
#ifndef DSM_REPORT_PAGE_HTML_H
#define DSM_REPORT_PAGE_HTML_H

#include "base/text_buffer.h"

/** Appends text, escaped. */
void dsm__html_text(dsm__text_buffer *out, const char *text);

/** Appends a start tag; what follows is the element's content. */
void dsm__html_begin(dsm__text_buffer *out, const char *tag, ...) __attribute__((sentinel));

/** Appends the end tag and a line break. */
void dsm__html_end(dsm__text_buffer *out, const char *tag);

/** Appends an element with a text in it, and a line break. */
void dsm__html_element(dsm__text_buffer *out, const char *tag, const char *text, ...)
    __attribute__((sentinel));

/** Appends an element that cannot have content, such as meta. */
void dsm__html_void(dsm__text_buffer *out, const char *tag, ...) __attribute__((sentinel));

#endif
