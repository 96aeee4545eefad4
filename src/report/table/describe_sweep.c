/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/describe_table.h"

#include <string.h>

/* The paths of an axis, "P and Q". */
static void put_paths(dsm__text_buffer *to, const dsm_axis *axis) {
  for (size_t p = 0; p < axis->path_count; p++) {
    dsm__text_puts(to, p == 0 ? "" : " and ");
    dsm__text_puts(to, axis->paths[p]);
  }
}

/* The values of an axis, "1, 2, 4"; of several paths "1 and 2, 3 and 4". */
static void put_values(dsm__text_buffer *to, const dsm_axis *axis) {
  for (size_t v = 0; v < axis->value_count; v++) {
    for (size_t p = 0; p < axis->path_count; p++) {
      dsm__text_puts(to, p > 0 ? " and " : v > 0 ? ", " : "");
      dsm__text_puts(to, axis->values[v * axis->path_count + p].text);
    }
  }
}

static void put_axis(dsm__page *page, const dsm_axis *axis) {
  dsm__text_buffer text = {0};
  put_paths(&text, axis);
  dsm__text_puts(&text, ": ");
  put_values(&text, axis);
  if (text.failed) {
    page->out.failed = true;
  } else {
    dsm__page_line(page, DSM__STYLE_PLAIN, "%s", text.text);
  }
  dsm__text_fini(&text);
}

void dsm__describe_sweep(dsm__page *page, const dsm_sweep *sweep) {
  dsm__page_line(page, DSM__STYLE_PLAIN, "%zu point%s, %s mode, records %s", sweep->point_count,
                 sweep->point_count == 1 ? "" : "s", dsm_mode_name(sweep->options.mode),
                 dsm_record_name(sweep->record));
  dsm__describe_source(page, sweep->source);
  for (size_t a = 0; a < sweep->axis_count; a++) {
    put_axis(page, &sweep->axes[a]);
  }
}
