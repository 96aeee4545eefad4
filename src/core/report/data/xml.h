/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xml.h: text in XML and HTML. What no XML 1.0 document may contain, not even escaped, and what
 * turns the direction of text becomes U+FFFD. */
#ifndef DSM_REPORT_DATA_XML_H
#define DSM_REPORT_DATA_XML_H

#include "base/text_buffer.h"

/** Appends text, escaped so that it can stand in an attribute or an element. */
void dsm__xml_text(dsm__text_buffer *out, const char *text);

/** The same for an element only: line breaks stay. */
void dsm__xml_lines(dsm__text_buffer *out, const char *text);

/** Appends ` name="value"`. */
void dsm__xml_attribute(dsm__text_buffer *out, const char *name, const char *value);

#endif
