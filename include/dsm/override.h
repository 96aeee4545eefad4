/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * override.h: replacing single values of a description before it is checked (`--set`).
 */
#ifndef DSM_OVERRIDE_H
#define DSM_OVERRIDE_H

/** One PATH=VALUE, with PATH below the root of the description. */
typedef struct dsm_override {
  const char *path;   /**< members and list items (by index, or by the item's "name"), joined by
                           dots, such as "minibatch" or "layers.conv1_1.stride" */
  const char *value;  /**< JSON text, or any other text that does not begin like a JSON string, list
                         or  object, which then is taken as a string */
  const char *origin; /**< stands in place of a file name in findings about this override, such as
                           "--minibatch"; NULL: "--set" */
} dsm_override;

#endif
