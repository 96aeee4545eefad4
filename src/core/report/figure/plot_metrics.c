/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_maker.h"

#include <stdbool.h>

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

/* Of any other character: the widest, such as an ellipsis or those of East Asia, take a square. */
static const double other_width = 1;

double dsm__plot_text_width(const char *text, double size) {
  double width = 0;
  for (const char *at = text; *at != '\0'; at++) {
    const bool is_continued = ((unsigned char)*at & 0xC0U) == 0x80U; /* of a character of UTF-8 */
    if (*at >= ' ' && *at <= '~') {
      width += ascii_widths[*at - ' '] / 1000.0;
    } else if (!is_continued) {
      width += other_width;
    }
  }
  return width * size;
}
