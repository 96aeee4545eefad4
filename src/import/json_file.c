/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/json_file.h"

#include <assert.h>
#include <string.h>

/* A place in a text of which nothing is known but where its strings end. */
typedef struct scanner {
  const char *at;
  const char *end;
  size_t depth; /* of brackets that are open */
} scanner;

static const char spaces[] = " \t\r\n";

static bool is_one_of(char character, const char *of) {
  return character != '\0' && strchr(of, character) != NULL;
}

static void skip_spaces(scanner *scan) {
  while (scan->at < scan->end && is_one_of(*scan->at, spaces)) {
    scan->at++;
  }
}

/* Goes behind the string that begins here; its length between the quotes. */
static size_t skip_string(scanner *scan) {
  const char *const begin = ++scan->at;
  while (scan->at < scan->end && *scan->at != '"') {
    scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
  }
  const size_t length = (size_t)(scan->at - begin);
  scan->at += scan->at < scan->end ? 1 : 0;
  return length;
}

/* The next name of a member of the outermost object; false: there is none. */
static bool next_name(scanner *scan, const char **name, size_t *length) {
  while (scan->at < scan->end) {
    const char character = *scan->at;
    if (character == '"') {
      *name = scan->at + 1;
      *length = skip_string(scan);
      skip_spaces(scan);
      if (scan->depth == 1 && scan->at < scan->end && *scan->at == ':') {
        return true;
      }
      continue;
    }
    if (is_one_of(character, "{[")) {
      scan->depth++;
    } else if (is_one_of(character, "}]") && --scan->depth == 0) {
      return false;
    }
    scan->at++;
  }
  return false;
}

static bool is_text(const char *bytes, size_t length, const char *text) {
  return strlen(text) == length && memcmp(bytes, text, length) == 0;
}

bool dsm__import_has_members(const char *bytes, size_t length, const char *const *names,
                             size_t count) {
  enum { NAMES_MAX = 8 };
  scanner scan = {.at = bytes, .end = bytes + length};
  bool is_found[NAMES_MAX] = {false};
  size_t found = 0;
  const char *name = NULL;
  size_t name_length = 0;
  assert(count <= NAMES_MAX);
  skip_spaces(&scan);
  if (scan.at == scan.end || *scan.at != '{') {
    return false;
  }
  while (found < count && next_name(&scan, &name, &name_length)) {
    if (is_text(name, name_length, "format")) {
      return false;
    }
    for (size_t i = 0; i < count; i++) {
      if (!is_found[i] && is_text(name, name_length, names[i])) {
        is_found[i] = true;
        found++;
      }
    }
  }
  return found == count;
}

const char *dsm__import_quote_numbers(dsm__arena *arena, const char *bytes, size_t length) {
  static const char *const odd[] = {"Infinity", "-Infinity", "NaN"};
  char *const copy = dsm__arena_array(arena, length + 1, sizeof *copy);
  scanner scan = {.at = bytes, .end = bytes + length};
  if (copy == NULL) {
    return NULL;
  }
  memcpy(copy, bytes, length);
  while (scan.at < scan.end) {
    size_t size = 0;
    for (size_t i = 0; size == 0 && i < sizeof odd / sizeof odd[0]; i++) {
      const size_t own = strlen(odd[i]);
      const bool is_there = (size_t)(scan.end - scan.at) >= own;
      size = is_there && memcmp(scan.at, odd[i], own) == 0 ? own : 0;
    }
    if (size > 0) {
      char *const to = &copy[scan.at - bytes];
      memcpy(to + 1, scan.at, size - 2);
      to[0] = to[size - 1] = '"';
      scan.at += size;
    } else if (*scan.at == '"') {
      (void)skip_string(&scan);
    } else {
      scan.at++;
    }
  }
  return copy;
}
