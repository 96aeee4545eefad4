/* SPDX-License-Identifier: GPL-3.0-or-later */
/* override_text.h: how an override says a value. */
#ifndef DSM_SWEEP_OVERRIDE_TEXT_H
#define DSM_SWEEP_OVERRIDE_TEXT_H

/** `text`, which is what a JSON string `json` holds, if an override would take it as that string;
 * else, and for all other values, `json`. */
const char *dsm__override_text(const char *json, const char *text);

#endif
