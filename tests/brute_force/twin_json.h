/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_JSON_H
#define DSM_TESTS_TWIN_JSON_H

/* Members of objects, and what stands for those that are absent. */

#include <cjson/cJSON.h>
#include <stdbool.h>

/* NULL if it is absent. */
const cJSON *twin_member(const cJSON *object, const char *key);

double twin_number(const cJSON *object, const char *key, double missing);

/* False where the key is absent. */
bool twin_flag(const cJSON *object, const char *key);

/* True where it is. */
bool twin_flag_unless_false(const cJSON *object, const char *key);

/* "" where it is. */
const char *twin_text(const cJSON *object, const char *key);

#endif
