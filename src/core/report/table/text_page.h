/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text_page.h: a report that is being made: what it has so far, how it is laid out, and memory for
 * the texts that it is composed of. Whatever cannot be allocated makes the report fail as a whole,
 * at its end, so that no report lacks a part.
 */
#ifndef DSM_REPORT_TABLE_TEXT_PAGE_H
#define DSM_REPORT_TABLE_TEXT_PAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text_buffer.h"
#include "base/words.h"
#include "dsm/answer.h"
#include "report/table/display.h"

typedef struct dsm__page {
  dsm__text_buffer out;
  dsm_table_style style;
  dsm__arena *arena;
  const dsm__renaming *renaming; /**< of words, by the plan that it is about; or NULL */
} dsm__page;

/** Begins a report; out of memory, it fails as a whole, at its end. */
dsm__page dsm__page_begin(dsm_table_style style);

/** Ends a report: its text, malloc'ed, or NULL if it failed. */
char *dsm__page_finish(dsm__page *page);

/** A text made safe for a terminal and formatted into the arena. Never NULL. */
const char *dsm__page_text(dsm__page *page, const char *format, ...) DSM_PRINTF(2, 3);

/** A text that was made in the arena; NULL, as memory is out: the page fails, and it is "". */
const char *dsm__page_kept(dsm__page *page, const char *text);

/** The list `text` with one more item, which follows the separator unless it is the first. */
const char *dsm__page_join(dsm__page *page, const char *text, const char *separator,
                           const char *format, ...) DSM_PRINTF(4, 5);

/** Ends the line; at its beginning, that is an empty line. */
void dsm__page_break(dsm__page *page);

/** Appends a line in a style, wrapped to the page's width. */
void dsm__page_line(dsm__page *page, dsm__text_style style, const char *format, ...)
    DSM_PRINTF(3, 4);

/** Appends "FILE: WORD (DETAIL)", the word in a style; a detail of "" or NULL is left out. */
void dsm__page_verdict(dsm__page *page, const char *file, dsm__text_style style, const char *word,
                       const char *detail);

/** Appends an empty line and a heading. */
void dsm__page_heading(dsm__page *page, const char *format, ...) DSM_PRINTF(2, 3);

/** Appends `label`, padded to label_width columns, then the text, wrapped beside it. */
void dsm__page_labelled(dsm__page *page, size_t label_width, const char *label, const char *format,
                        ...) DSM_PRINTF(4, 5);

/** "vgg16 on torus64: training, minibatch 256, 4 x 16 chips, peak 8.39 PFLOP/s", which is
 * that with the workload's elements. */
const char *dsm__page_plan_heading(dsm__page *page, const dsm_plan *plan);

/** The axes that a system lists: "gpu 8 (switch), node 12 (switch)"; "" of the short form. */
const char *dsm__page_axes(dsm__page *page, const dsm_system *system);

/** What follows a system's peak and machine balance: of which elements they are; "" if of all. */
const char *dsm__page_peak_elements(const dsm_system *system);

/** The key of a word, by the page's renaming: "link_node". */
const char *dsm__page_word(const dsm__page *page, const dsm__words *words, size_t value);

/** What narrow columns call the parallelisms of a system with axes of both roles:
 * "DxMy = data_x_model_y, MxDy = model_x_data_y"; "" if there are none. */
const char *dsm__page_parallelisms(dsm__page *page, const dsm_system *system);

/** What the letters of parallelisms with roles stand for: "a letter for each axis, gpu, node: D =
 * data, S = spatial", of the roles of all that the page's renaming has noted. */
const char *dsm__page_roles(dsm__page *page, const dsm_system *system);

/** A core split as "out 2 ij 8 mb 2": dimensions that are not split are left out, "-" if none is.
 */
const char *dsm__page_split(dsm__page *page, const dsm_loops *split);

#endif
