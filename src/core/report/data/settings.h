/* SPDX-License-Identifier: GPL-3.0-or-later */
/* settings.h: the settings with which another program starts, as rows: each takes a fact, a number
 * by its place in a list, and is that number or the word for it. */
#ifndef DSM_REPORT_DATA_SETTINGS_H
#define DSM_REPORT_DATA_SETTINGS_H

#include "base/text_buffer.h"

/** A setting. */
typedef struct dsm__setting {
  const char *section; /**< NULL: none */
  const char *key;
  const char *words[4]; /**< by the number; NULL: left out. None at all: the number itself */
  double above;         /**< left out where the number is no more */
  unsigned of;          /**< place of the fact */
  bool is_flag;         /**< the key alone */
} dsm__setting;

/** Numbers of a fact that a program cannot run. */
typedef struct dsm__setting_refusal {
  unsigned of;
  double least;
  double most;
  const char *reason; /**< behind its name */
} dsm__setting_refusal;

/** How settings are written. */
typedef enum dsm__settings_form {
  DSM__SETTINGS_ARGUMENTS = 0,
  DSM__SETTINGS_TOML,
  DSM__SETTINGS_JSON,
  DSM__SETTINGS_YAML
} dsm__settings_form;

/** A program with its settings. */
typedef struct dsm__settings {
  const char *name;
  dsm__settings_form form;
  const dsm__setting *rows;
  size_t row_count;
  const dsm__setting_refusal *refusals;
  size_t refusal_count;
  const char *notes; /**< of what no setting says */
} dsm__settings;

/** The first refusal of these facts; NULL: the program runs them. */
const dsm__setting_refusal *dsm__settings_refuse(const dsm__settings *of, const double *facts);

/** Writes the settings for these facts. */
void dsm__settings_write(dsm__text_buffer *out, const dsm__settings *of, const double *facts);

#endif
