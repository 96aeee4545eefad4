/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_json.h"

const cJSON *twin_member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

double twin_number(const cJSON *object, const char *key, const double missing) {
  const cJSON *const item = twin_member(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : missing;
}

bool twin_flag(const cJSON *object, const char *key) {
  return cJSON_IsTrue(twin_member(object, key)) != 0;
}

/* As twin_flag(), but true where the key is absent. */
bool twin_flag_unless_false(const cJSON *object, const char *key) {
  return cJSON_IsFalse(twin_member(object, key)) == 0;
}

const char *twin_text(const cJSON *object, const char *key) {
  const cJSON *const item = twin_member(object, key);
  return cJSON_IsString(item) ? item->valuestring : "";
}
