/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_metrics.h"

#include <stddef.h>

#include "report/display.h"

/*
 * Advance widths of the characters from ' ' to '~' in DejaVu Sans, in thousandths of the size,
 * rounded up. It is the widest of the sans-serif fonts that are usual on screens and pages:
 * Helvetica, Arial, Liberation Sans and Noto Sans need less for nearly every character.
 */
static const short ascii_widths[] = {
    318,  401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, /*  !"#..*/
    637,  637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, /* 0 .. ? */
    1000, 685, 687, 699, 771, 632, 576, 775, 752, 295, 295, 656, 558, 863, 749, 788, /* @ .. O */
    604,  788, 695, 635, 611, 732, 685, 989, 686, 611, 686, 391, 337, 391, 838, 500, /* P .. _ */
    500,  613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612, /* ` .. o */
    635,  635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,      /* p .. ~ */
};
_Static_assert(sizeof ascii_widths / sizeof ascii_widths[0] == '~' - ' ' + 1, "all characters");

/* Of any other character, for each column of a terminal that it takes. */
static const double other_width = 0.9;

double dsm__plot_text_width(const char *text, double size) {
  double width = 0;
  size_t other_bytes = 0;
  const char *at = text;
  while (*at != '\0') {
    if (*at >= ' ' && *at <= '~') {
      width += ascii_widths[*at - ' '] / 1000.0;
    } else {
      other_bytes++;
    }
    at++;
  }
  if (other_bytes > 0) {
    /* Columns of the whole less those of the characters that are counted already. */
    const size_t counted = (size_t)(at - text) - other_bytes;
    width += other_width * (double)(dsm__display_width(text) - counted);
  }
  return width * size;
}
