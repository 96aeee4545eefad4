/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page_assets.h: the style sheet and the script of report pages, page_assets/plan.css and .js,
 * which the build turns into arrays. */
#ifndef DSM_REPORT_PAGE_PAGE_ASSETS_H
#define DSM_REPORT_PAGE_PAGE_ASSETS_H

/* NUL-terminated. */
extern const char dsm__page_style[];
extern const char dsm__page_script[];

#endif
