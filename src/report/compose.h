/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compose.h: pieces that several reports are composed of. */
#ifndef DSM_REPORT_COMPOSE_H
#define DSM_REPORT_COMPOSE_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/report.h"
#include "report/display.h"

/** Gives the text to the caller, or frees it and gives NULL if it failed. Ends a report. */
char *dsm__report_finish(dsm__text_buffer *out);

/** Appends a line in a tone, wrapped to the style's width. */
void dsm__report_line(dsm__text_buffer *out, dsm_table_style style, dsm__tone tone,
                      const char *text);

/** Appends `label`, padded to label_width columns, then the text, wrapped beside it. */
void dsm__report_labelled(dsm__text_buffer *out, dsm_table_style style, size_t label_width,
                          const char *label, const char *text);

/** A text made safe for a terminal and formatted into the arena; never NULL (empty instead). */
const char *dsm__report_text(dsm__arena *arena, const char *format, ...) DSM_PRINTF(2, 3);

/** "vgg16 on torus64: training, minibatch 256, 4 x 16 chips, peak 8.39 PFLOP/s". */
const char *dsm__report_plan_heading(dsm__arena *arena, const dsm_plan *plan);

/** A core split as "out 2 ij 8 mb 2": dimensions that are not split are left out, "-" if none is.
 */
const char *dsm__report_split(dsm__arena *arena, const dsm_loops *split);

#endif
