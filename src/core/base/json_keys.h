/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_keys.h: the keys of the objects that are open while a JSON text is read once, so that a key
 * that comes a second time is found when it comes, before anything is made of the text.
 */
#ifndef DSM_BASE_JSON_KEYS_H
#define DSM_BASE_JSON_KEYS_H

#include "base/growing_list.h"
#include "base/map.h"

/** A key of an open object. */
typedef struct dsm__json_key {
  size_t offset; /**< of its opening quote */
  uint32_t object;
  uint32_t hash;
} dsm__json_key;

/** All zero is empty. */
typedef struct dsm__json_keys {
  const char *text;
  size_t length;
  DSM__LIST(dsm__json_key) keys; /**< those of inner objects behind those of outer ones */
  dsm__map index;                /**< of the keys */
  uint32_t object_count;
  bool is_given_up; /**< there was no memory: all keys count as new */
} dsm__json_keys;

/** The number of an object that is opened. */
uint32_t dsm__json_keys_open(dsm__json_keys *keys);

/** Takes the key of string at `offset` of the innermost object; false: it has that key already. */
bool dsm__json_keys_add(dsm__json_keys *keys, uint32_t object, size_t offset);

/** The innermost object ends. */
void dsm__json_keys_close(dsm__json_keys *keys, uint32_t object);

void dsm__json_keys_fini(dsm__json_keys *keys);

#endif
