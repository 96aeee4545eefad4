/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_doc.h"
#include "base/json_parameters.h"
#include "base/number_text.h"
#include "base/utf8.h"
#include "base/words.h"

/* Enough for what a message says was expected or found. */
enum { WORDING_SIZE = 320 };

#define LARGEST_WHOLE_NUMBER (UINT64_C(1) << 53)

/* ---- wording ---- */

/* Bytes of text that a message shows: all, or at most `limit` cut between characters. */
static int shown_length(const char *text, size_t limit) {
  const size_t length = strlen(text);
  size_t shown = 0;
  while (shown < length) {
    const size_t size = dsm__utf8_length(text + shown, length - shown);
    if (shown + (size == 0 ? 1 : size) > limit) {
      break;
    }
    shown += size == 0 ? 1 : size;
  }
  return (int)shown;
}

void dsm__json_quote(char *buffer, size_t size, const char *before, const char *text) {
  enum { LONGEST_SHOWN = 48 };
  const int shown = shown_length(text, LONGEST_SHOWN);
  (void)snprintf(buffer, size, "%s\"%.*s%s\"", before, shown, text,
                 text[shown] == '\0' ? "" : "...");
}

/* What has no value worth showing, or only one. */
static const char *plain_word(const cJSON *item) {
  if (item == NULL) {
    return "nothing";
  }
  if (cJSON_IsArray(item)) {
    return "a list";
  }
  if (cJSON_IsObject(item)) {
    return "an object";
  }
  if (cJSON_IsBool(item)) {
    return cJSON_IsTrue(item) ? "true" : "false";
  }
  return "null";
}

const char *dsm__json_found(const dsm__json_node *node, char *buffer, size_t size) {
  if (cJSON_IsString(node->item)) {
    dsm__json_quote(buffer, size, "string ", node->item->valuestring);
  } else if (cJSON_IsNumber(node->item)) {
    char number[DSM__NUMBER_TOKEN_MAX + 1];
    dsm__json_number_text(node, number, sizeof number);
    (void)snprintf(buffer, size, "number %s", number);
  } else {
    (void)snprintf(buffer, size, "%s", plain_word(node->item));
  }
  return buffer;
}

/* Reports `expected ..., found ...` at a present node. */
static void report_found(const dsm__json_node *node, const char *hint, const char *expected) {
  char found[WORDING_SIZE] = "";
  if (dsm__json_doc_keeps_findings(node->doc)) {
    (void)dsm__json_found(node, found, sizeof found);
  }
  dsm__json_error(node, hint, "expected %s, found %s", expected, found);
}

/* The same, if the type is right and only the value is wrong: it then need not be named. */
static void report_value(const dsm__json_node *node, const char *hint, const char *expected) {
  char found[WORDING_SIZE] = "";
  if (dsm__json_doc_keeps_findings(node->doc) && cJSON_IsString(node->item)) {
    dsm__json_quote(found, sizeof found, "", node->item->valuestring);
  } else if (dsm__json_doc_keeps_findings(node->doc)) {
    dsm__json_number_text(node, found, sizeof found);
  }
  dsm__json_error(node, hint, "expected %s, found %s", expected, found);
}

/* ---- presence ---- */

/* Reports an absent node. If what it should be in is absent too, or is of another type, then that
 * is the finding. */
static void report_absent(const dsm__json_node *node, const char *expected) {
  const dsm__json_node *missing = node;
  const char *wanted = expected;
  while (missing->parent != NULL && missing->parent->item == NULL) {
    wanted = missing->key != NULL ? "an object" : "a list";
    missing = missing->parent;
  }
  const dsm__json_node *const parent = missing->parent;
  const char *const colon = wanted == NULL ? "" : ": expected ";
  wanted = wanted == NULL ? "" : wanted;
  if (parent != NULL && missing->key != NULL && !cJSON_IsObject(parent->item)) {
    report_found(parent, NULL, "an object");
  } else if (parent != NULL && missing->key == NULL && !cJSON_IsArray(parent->item)) {
    report_found(parent, NULL, "a list");
  } else if (missing->key != NULL) {
    dsm__json_error(missing, NULL, "missing key \"%s\"%s%s", missing->key, colon, wanted);
  } else {
    dsm__json_error(missing, NULL, "missing item %zu%s%s", missing->index, colon, wanted);
  }
}

bool dsm__json_require(const dsm__json_node *node, const char *expected) {
  if (node->item != NULL) {
    return true;
  }
  report_absent(node, expected);
  return false;
}

/* Reports an absent node, or one that is not of the wanted type. */
static bool require_type(const dsm__json_node *node, bool is_type, const char *expected) {
  if (!dsm__json_require(node, expected)) {
    return false;
  }
  if (!is_type) {
    report_found(node, NULL, expected);
  }
  return is_type;
}

static bool require_number(const dsm__json_node *node, bool is_number, const char *expected) {
  if (!dsm__json_require(node, expected)) {
    return false;
  }
  if (!is_number) {
    report_found(node, dsm__json_expression_hint(node), expected);
  }
  return is_number;
}

/* ---- containers ---- */

static bool is_among(const char *key, const char *const *known, size_t known_count) {
  for (size_t i = 0; i < known_count; i++) {
    if (known[i] != NULL && strcmp(known[i], key) == 0) {
      return true;
    }
  }
  return false;
}

/* What an object may have, for a key that resembles nothing; cut where it would not fit. */
static void list_keys(char *hint, size_t size, const char *const *known, size_t known_count) {
  size_t length = 0;
  for (size_t i = 0; i < known_count; i++) {
    const char *const separator = length == 0 ? "known: " : ", ";
    const bool is_listed = known[i] != NULL;
    const size_t needed = is_listed ? strlen(separator) + strlen(known[i]) : 0;
    if (length + needed + sizeof ", ..." > size) {
      (void)snprintf(hint + length, size - length, ", ...");
      return;
    }
    if (is_listed) {
      length += (size_t)snprintf(hint + length, size - length, "%s%s", separator, known[i]);
    }
  }
}

/* Of the known keys the first are listed for one that resembles none. */
static bool object_only(const dsm__json_node *node, const char *const *known, size_t known_count,
                        size_t listed_count) {
  if (!require_type(node, cJSON_IsObject(node->item), "an object")) {
    return false;
  }
  DSM__JSON_EACH(member, node) {
    if (is_among(member.key, known, known_count)) {
      continue;
    }
    char key[WORDING_SIZE] = "";
    char hint[WORDING_SIZE] = "";
    if (dsm__json_doc_keeps_findings(node->doc)) {
      dsm__json_quote(key, sizeof key, "", member.key);
      (void)dsm__nearest_hint(member.key, known, known_count, hint, sizeof hint);
      if (hint[0] == '\0') {
        list_keys(hint, sizeof hint, known, listed_count);
      }
    }
    dsm__json_error(&member, hint, "unknown key %s", key);
    dsm__json_note_unknown(&member, hint, known, known_count);
  }
  return true;
}

bool dsm__json_object_only(const dsm__json_node *node, const char *const *known,
                           size_t known_count) {
  return object_only(node, known, known_count, known_count);
}

static void word_list_size(char *expected, size_t size, size_t min, size_t max) {
  const char *const plural = (min == max ? min : max) == 1 ? "" : "s";
  if (min == max) {
    (void)snprintf(expected, size, "a list of %zu item%s", min, plural);
  } else if (max == SIZE_MAX && min == 0) {
    (void)snprintf(expected, size, "a list");
  } else if (max == SIZE_MAX) {
    (void)snprintf(expected, size, "a list of at least %zu item%s", min, min == 1 ? "" : "s");
  } else if (min == 0) {
    (void)snprintf(expected, size, "a list of at most %zu item%s", max, plural);
  } else {
    (void)snprintf(expected, size, "a list of %zu to %zu items", min, max);
  }
}

bool dsm__json_array(const dsm__json_node *node, size_t min, size_t max, size_t *count) {
  char expected[WORDING_SIZE];
  word_list_size(expected, sizeof expected, min, max);
  if (!require_type(node, cJSON_IsArray(node->item), expected)) {
    return false;
  }
  size_t found = 0;
  for (const cJSON *each = node->item->child; each != NULL; each = each->next) {
    found++;
  }
  if (found < min || found > max) {
    dsm__json_error(node, NULL, "expected %s, found one of %zu", expected, found);
    return false;
  }
  *count = found;
  return true;
}

/* ---- numbers ---- */

/* Rounding to double makes 2^53 of what is a little more or less; only what is written as just that
 * number may pass. */
static bool is_written_exactly(const dsm__json_node *node) {
  char written[DSM__NUMBER_TOKEN_MAX + 1];
  dsm__json_number_text(node, written, sizeof written);
  uint64_t number;
  return dsm__text_to_u64(written, LARGEST_WHOLE_NUMBER, LARGEST_WHOLE_NUMBER, &number);
}

/* The same of an expression. */
static bool evaluate_u64(const dsm__json_node *node, const char *expected, uint64_t min,
                         uint64_t max, uint64_t *value) {
  int64_t number = 0;
  if (!dsm__json_evaluate(node, &number)) {
    return false;
  }
  if (number < 0 || (uint64_t)number < min || (uint64_t)number > max) {
    dsm__json_error(node, NULL, "expected %s, found %" PRId64, expected, number);
    return false;
  }
  *value = (uint64_t)number;
  return true;
}

bool dsm__json_u64(const dsm__json_node *node, uint64_t min, uint64_t max, uint64_t *value) {
  char expected[WORDING_SIZE];
  (void)snprintf(expected, sizeof expected, "a whole number from %" PRIu64 " to %" PRIu64, min,
                 max);
  if (dsm__json_is_expression(node)) {
    return evaluate_u64(node, expected, min, max, value);
  }
  if (!require_number(node, cJSON_IsNumber(node->item), expected)) {
    return false;
  }
  const double number = node->item->valuedouble;
  const double largest = (double)LARGEST_WHOLE_NUMBER;
  const bool is_whole = number >= 0 && number <= largest && floor(number) >= number &&
                        (number < largest || is_written_exactly(node));
  const uint64_t whole = is_whole ? (uint64_t)number : 0;
  if (!is_whole || whole < min || whole > max) {
    report_value(node, NULL, expected);
    return false;
  }
  *value = whole;
  return true;
}

/* A limit as people write it: 1e-9, not 1e-09; 1e12, not 1000000000000. */
static void word_limit(char *text, size_t size, double limit) {
  enum { PLAIN_BELOW = 10000000 };
  (void)dsm__double_to_text(limit, text);
  if (fabs(limit) >= 1e-4 && fabs(limit) < PLAIN_BELOW) {
    return;
  }
  const double exponent = round(log10(fabs(limit)));
  const double tolerance = 1e-12;
  if (limit > 0 && fabs(log10(limit) - exponent) < tolerance) {
    (void)snprintf(text, size, "1e%.0f", exponent);
  }
}

static void word_range(char *expected, size_t size, dsm__json_range range) {
  char min[DSM__NUMBER_TEXT_SIZE] = "";
  char max[DSM__NUMBER_TEXT_SIZE] = "";
  const bool has_min = isfinite(range.min);
  const bool has_max = isfinite(range.max);
  if (has_min) {
    word_limit(min, sizeof min, range.min);
  }
  if (has_max) {
    word_limit(max, sizeof max, range.max);
  }
  if (has_min && has_max && range.is_min_excluded) {
    (void)snprintf(expected, size, "a number above %s and at most %s", min, max);
  } else if (has_min && has_max) {
    (void)snprintf(expected, size, "a number from %s to %s", min, max);
  } else if (has_min) {
    (void)snprintf(expected, size, "a number %s %s",
                   range.is_min_excluded ? "above" : "of at least", min);
  } else if (has_max) {
    (void)snprintf(expected, size, "a number of at most %s", max);
  } else {
    (void)snprintf(expected, size, "a number");
  }
}

static bool is_in_range(double number, dsm__json_range range) {
  const bool is_high_enough = range.is_min_excluded ? number > range.min : number >= range.min;
  return isfinite(number) && is_high_enough && number <= range.max;
}

/* What is expected is worded only where it is not found: most numbers are good. */
static bool read_double(const dsm__json_node *node, dsm__json_range range, bool has_zero,
                        double *value) {
  static const char or_zero[] = "0, or ";
  double number = -1;
  int64_t evaluated = 0;
  const bool is_expression = dsm__json_is_expression(node);
  if (is_expression && !dsm__json_evaluate(node, &evaluated)) {
    return false;
  }
  const bool is_number = is_expression || dsm__json_is_number(node, &number);
  number = is_expression ? (double)evaluated : number;
  const bool is_zero = has_zero && !(number < 0) && !(number > 0);
  if (is_number && (is_zero || is_in_range(number, range))) {
    *value = number;
    return true;
  }
  char expected[WORDING_SIZE + sizeof or_zero] = "";
  const size_t used = has_zero ? sizeof or_zero - 1 : 0;
  memcpy(expected, or_zero, used);
  word_range(expected + used, WORDING_SIZE, range);
  if (is_expression) {
    dsm__json_error(node, NULL, "expected %s, found %" PRId64, expected, evaluated);
  } else if (require_number(node, is_number, expected)) {
    report_value(node, NULL, expected);
  }
  return false;
}

bool dsm__json_double(const dsm__json_node *node, dsm__json_range range, double *value) {
  return read_double(node, range, false, value);
}

bool dsm__json_double_or_zero(const dsm__json_node *node, dsm__json_range range, double *value) {
  return read_double(node, range, true, value);
}

/* ---- words ---- */

bool dsm__json_bool(const dsm__json_node *node, bool *value) {
  if (!require_type(node, cJSON_IsBool(node->item), "true or false")) {
    return false;
  }
  *value = cJSON_IsTrue(node->item) != 0;
  return true;
}

static void word_string_size(char *expected, size_t size, size_t min, size_t max) {
  if (min == 0 && max == SIZE_MAX) {
    (void)snprintf(expected, size, "a string");
  } else if (max == SIZE_MAX) {
    (void)snprintf(expected, size, "a string of at least %zu byte%s", min, min == 1 ? "" : "s");
  } else {
    (void)snprintf(expected, size, "a string of %zu to %zu bytes", min, max);
  }
}

bool dsm__json_string(const dsm__json_node *node, size_t min, size_t max, dsm__arena *arena,
                      const char **value) {
  char expected[WORDING_SIZE];
  word_string_size(expected, sizeof expected, min, max);
  if (!require_type(node, cJSON_IsString(node->item), expected)) {
    return false;
  }
  const char *const text = node->item->valuestring;
  const size_t length = strlen(text);
  if (length < min) {
    report_value(node, NULL, expected);
    return false;
  }
  if (length > max) {
    dsm__json_error(node, NULL, "expected %s, found one of %zu", expected, length);
    return false;
  }
  const char *const copy = dsm__arena_strndup(arena, text, length);
  if (dsm__json_lacks_memory(node->doc, copy == NULL)) {
    return false;
  }
  *value = copy;
  return true;
}

/* `"a", "b" or "c"`; what does not fit is left out, with "...". */
static void word_choice(char *expected, size_t size, const dsm__words *words) {
  static const char ellipsis[] = " or ...";
  size_t used = 0;
  expected[0] = '\0';
  for (size_t i = 0; i < words->count; i++) {
    const char *const key = dsm__word_key(words, i);
    const char *const before = i == 0 ? "" : i + 1 == words->count ? " or " : ", ";
    const size_t needed = strlen(before) + strlen(key) + 2;
    if (used + needed + sizeof ellipsis > size) {
      (void)snprintf(expected + used, size - used, "%s", ellipsis);
      return;
    }
    (void)snprintf(expected + used, size - used, "%s\"%s\"", before, key);
    used += needed;
  }
}

typedef bool find_function(const dsm__words *words, const char *key, size_t *value);

static bool read_word(const dsm__json_node *node, const dsm__words *words, find_function *find,
                      size_t *value) {
  if (cJSON_IsString(node->item) && find(words, node->item->valuestring, value)) {
    return true;
  }
  char expected[WORDING_SIZE];
  char hint[WORDING_SIZE] = "";
  word_choice(expected, sizeof expected, words);
  if (find == dsm__words_find && words->made != NULL) {
    const size_t used = strlen(expected);
    (void)snprintf(expected + used, sizeof expected - used, ", or as \"%s\"", words->made->example);
  }
  if (!require_type(node, cJSON_IsString(node->item), expected)) {
    return false;
  }
  if (dsm__json_doc_keeps_findings(node->doc)) {
    const char *keys[DSM__WORDS_MAX];
    const size_t count = dsm__words_keys(words, keys);
    size_t none = 0;
    if (find == dsm__words_find && words->made != NULL) {
      (void)words->made->find(words->made->of, node->item->valuestring, &none, hint, sizeof hint);
    }
    if (hint[0] == '\0') {
      (void)dsm__nearest_hint(node->item->valuestring, keys, count, hint, sizeof hint);
    }
  }
  report_value(node, hint, expected);
  return false;
}

bool dsm__json_enum(const dsm__json_node *node, const dsm__words *words, size_t *value) {
  return read_word(node, words, dsm__words_find, value);
}

bool dsm__json_word_set(const dsm__json_node *node, const dsm__words *words, size_t min_length,
                        unsigned *set) {
  enum { LONGEST = 100 }; /* so that unknown and repeated words are reported as such */
  size_t length = 0;
  *set = 0;
  if (!dsm__json_array(node, min_length, LONGEST, &length)) {
    return false;
  }
  bool is_good = true;
  DSM__JSON_EACH(item, node) {
    size_t value = 0;
    if (!read_word(&item, words, dsm__words_find_listed, &value)) {
      is_good = false;
      continue;
    }
    if ((*set & (1U << value)) != 0) {
      dsm__json_error(&item, NULL, "expected each word once, found a second \"%s\"",
                      dsm__word_key(words, value));
      is_good = false;
    }
    *set |= 1U << value;
  }
  return is_good;
}

bool dsm__json_format(const dsm__json_node *object, const char *expected) {
  const dsm__word word = {.key = expected};
  const dsm__words words = {.what = "format", .items = &word, .count = 1};
  return dsm__json_format_of(object, &words);
}

bool dsm__json_format_of(const dsm__json_node *object, const dsm__words *versions) {
  const dsm__json_node format = dsm__json_member(object, "format");
  size_t index = 0;
  return !dsm__json_is_object(object) || dsm__json_enum(&format, versions, &index) ||
         !dsm__json_is_present(&format);
}

bool dsm__json_name(const dsm__json_node *node, size_t max, dsm__arena *arena, const char **value) {
  const char *name = NULL;
  if (!dsm__json_string(node, 1, max, arena, &name)) {
    return false;
  }
  for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
    /* C0 and DEL are one byte, C1 (U+0080 to U+009F) two; the text is valid UTF-8. */
    const bool is_c1 = c[0] == 0xc2 && c[1] < 0xa0;
    if (*c < 0x20 || *c == 0x7f || is_c1) {
      dsm__json_error(node, NULL, "expected a name without control characters, found U+%04X in it",
                      is_c1 ? (unsigned)c[1] : (unsigned)*c);
      return false;
    }
  }
  *value = name;
  return true;
}

/* ---- objects ---- */

/* Has an object of this kind the key? */
static bool has_key(const dsm__object_key *key, size_t kind) {
  return key->kinds == 0 || (key->kinds & (1U << kind)) != 0;
}

bool dsm__object_only(const dsm__json_node *node, const dsm__object_type *type, size_t kind) {
  const char *names[DSM__OBJECT_KEYS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < type->count; i++) {
    if (has_key(&type->keys[i], kind)) {
      names[count++] = type->keys[i].name;
    }
  }
  return dsm__json_object_only(node, names, count);
}

bool dsm__object_only_any(const dsm__json_node *node, const dsm__object_type *type, size_t kind) {
  const char *names[DSM__OBJECT_KEYS_MAX];
  size_t count = 0;
  size_t own = type->count;
  for (int is_other = 0; is_other < 2; is_other++) {
    for (size_t i = 0; i < type->count; i++) {
      if ((kind == DSM__ANY_KIND || has_key(&type->keys[i], kind)) == (is_other == 0)) {
        names[count++] = type->keys[i].name;
      }
    }
    own = is_other == 0 ? count : own;
  }
  return object_only(node, names, type->count, own);
}

void dsm__object_misplaced(const dsm__json_node *node, const dsm__object_type *type, size_t kind) {
  for (size_t i = 0; i < type->count; i++) {
    const dsm__json_node member = dsm__json_member(node, type->keys[i].name);
    if (dsm__json_is_present(&member) && !has_key(&type->keys[i], kind)) {
      char where[64];
      (void)snprintf(where, sizeof where, "%s %s", type->where, dsm__word_key(type->kinds, kind));
      dsm__json_misplaced(&member, where);
    }
  }
}
