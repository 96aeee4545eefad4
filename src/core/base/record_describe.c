/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_describe.c: what tables of fields, words and keys say, as records themselves. */
#include <assert.h>
#include <string.h>

#include "base/companion.h"
#include "base/growing_list.h"
#include "base/record.h"

/* clang-format off: a field a row */

/* ---- words ---- */

DSM__OWN_RECORD(dsm__word_record, dsm__word, true, "A word.",
                DSM__FIELD(TEXT, dsm__word, key, "key", 0, .help = "As the formats have it."),
                DSM__FIELD(TEXT, dsm__word, text, "text", 0,
                           .help = "What people read, if that is another."));

DSM__RECORD(dsm__words_record, dsm__words, false, "The words of an enumeration.",
            DSM__FIELD(TEXT, dsm__words, what, "what", 0, .help = "What one of them is called."),
            DSM__LISTED(dsm__words, items, count, "words", 0, dsm__word_record, "All, in order."),
            DSM__FIELD(TEXT, dsm__words, pattern, "pattern", 0,
                       .help = "A regular expression of words with names of axes, which systems "
                               "that name theirs have in place of some."));

/* ---- objects without a table ---- */

/* What the words of a record's `member` are called: a function, and the row that names them. */
#define WORDS(name, record_type, member, about)                                                    \
  {                                                                                                \
    .key = (name), .kind = DSM__FIELD_OWN, .help = (about),                                        \
    .stated_if = DSM__IF(record_type, member), .write = write_##record_type##_words,               \
    .written_as = DSM__FIELD_TEXT                                                                  \
  }
#define WRITE_WORDS(record_type, member)                                                           \
  static void write_##record_type##_words(dsm__json_writer *writer, const void *record) {          \
    dsm__json_write_string(writer, ((const record_type *)record)->member->what);                   \
  }

/* A key does not know of which words its bits are: they are numbers here. */
static void write_kinds(dsm__json_writer *writer, const void *key) {
  const unsigned kinds = ((const dsm__object_key *)key)->kinds;
  dsm__json_begin_array(writer, true);
  for (unsigned k = 0; kinds >> k != 0; k++) {
    if ((kinds >> k & 1) != 0) {
      dsm__json_write_u64(writer, k);
    }
  }
  dsm__json_end_array(writer);
}

DSM__OWN_RECORD(
    dsm__object_key_record, dsm__object_key, true, "A key of an object.",
    DSM__FIELD(TEXT, dsm__object_key, name, "key", 0, .help = "Its name."),
    DSM__OWN(
        "kinds", 0, write_kinds, COUNT_LIST, .stated_if = DSM__IF(dsm__object_key, kinds),
        .help = "The kinds of the object that have it, by their numbers, from 0; absent: all."));

WRITE_WORDS(dsm__object_type, kinds)

DSM__RECORD(dsm__object_type_record, dsm__object_type, false, "The keys that an object may have.",
            DSM__FIELD(TEXT, dsm__object_type, name, "name", 0,
                       .help = "Of the object, in its format."),
            WORDS("kinds", dsm__object_type, kinds,
                  "The words that tell its kinds apart, which differ in their keys."),
            DSM__LISTED(dsm__object_type, keys, count, "keys", 0, dsm__object_key_record,
                        "All, in order."));

/* ---- records ---- */

static const dsm__word kind_words[] = {
    [DSM__FIELD_OWN].key = "own",
    [DSM__FIELD_COUNT].key = "count",
    [DSM__FIELD_REAL].key = "real",
    [DSM__FIELD_FLAG].key = "flag",
    [DSM__FIELD_WORD].key = "word",
    [DSM__FIELD_WORD_SET].key = "words",
    [DSM__FIELD_TEXT].key = "text",
    [DSM__FIELD_JSON].key = "json",
    [DSM__FIELD_COUNTS].key = "counts",
    [DSM__FIELD_REALS].key = "reals",
    [DSM__FIELD_COUNT_LIST].key = "count_list",
    [DSM__FIELD_TEXT_LIST].key = "text_list",
    [DSM__FIELD_RECORD].key = "record",
    [DSM__FIELD_POINTER].key = "record",
    [DSM__FIELD_PART].key = "part",
    [DSM__FIELD_LIST].key = "list",
    [DSM__FIELD_ITEMS].key = "list",
    [DSM__FIELD_MEMBERS].key = "members",
    [DSM__FIELD_VALUE].key = "value",
};
static DSM__WORDS(kinds, "kind of field", kind_words, DSM__FIELD_KIND_COUNT);

/* By bit. */
static const dsm__word flag_words[] = {
    {.key = "required"},  {.key = "read"},   {.key = "nullable"},       {.key = "decision"},
    {.key = "figure"},    {.key = "column"}, {.key = "more_is_better"}, {.key = "less_is_better"},
    {.key = "above_min"}, {.key = "tall"},   {.key = "optional"},       {.key = "or_0"}};
static DSM__WORDS(flags, "flag of a field", flag_words, 12);

static void write_kind(dsm__json_writer *writer, const void *field) {
  const dsm__field *const f = field;
  dsm__json_write_string(
      writer, dsm__word_key(&kinds, f->kind == DSM__FIELD_OWN ? f->written_as : f->kind));
}

WRITE_WORDS(dsm__field, words)

/* Without "dsm__" and "_record". */
static void write_name(dsm__json_writer *writer, const void *type) {
  static const char before[] = "dsm__";
  static const char behind[] = "_record";
  const char *from = ((const dsm__record_type *)type)->name;
  char name[64] = "";
  from += strncmp(from, before, sizeof before - 1) == 0 ? sizeof before - 1 : 0;
  const size_t length = strlen(from) - (sizeof behind - 1);
  memcpy(name, from, length < sizeof name ? length : sizeof name - 1);
  dsm__json_write_string(writer, name);
}

static void write_type(dsm__json_writer *writer, const void *field) {
  write_name(writer, ((const dsm__field *)field)->type);
}

static bool has_min(const void *field) {
  const dsm__field *const f = field;
  return isfinite(f->min) && (f->kind == DSM__FIELD_COUNT || f->kind == DSM__FIELD_REAL ||
                              f->kind == DSM__FIELD_COUNTS);
}

/* What a reader takes where nothing is: only single values have such. */
static bool has_default(const void *field) {
  const dsm__field *const f = field;
  return (f->flags & (DSM__FIELD_IS_READ | DSM__FIELD_IS_DECISION)) != 0 &&
         (f->flags & DSM__FIELD_IS_REQUIRED) == 0 &&
         ((f->kind == DSM__FIELD_REAL && isfinite(f->fallback) &&
           (f->fallback >= f->min || (f->flags & DSM__FIELD_OR_0) != 0)) ||
          f->kind == DSM__FIELD_FLAG || (f->kind == DSM__FIELD_COUNT && f->fallback >= f->min) ||
          (f->kind == DSM__FIELD_WORD && f->fallback < (double)f->words->count) ||
          (f->flags & DSM__FIELD_IS_NULLABLE) != 0);
}

static void write_default(dsm__json_writer *writer, const void *field) {
  const dsm__field *const f = field;
  if ((f->flags & DSM__FIELD_IS_NULLABLE) != 0) {
    dsm__json_write_null(writer);
  } else if (f->kind == DSM__FIELD_FLAG) {
    dsm__json_write_bool(writer, f->fallback > 0);
  } else if (f->kind == DSM__FIELD_WORD) {
    dsm__json_write_string(writer, dsm__word_key(f->words, (size_t)f->fallback));
  } else {
    dsm__json_write_double(writer, f->fallback);
  }
}

static bool has_condition(const void *field) {
  return dsm__field_is_conditional(field);
}

static void write_is_conditional(dsm__json_writer *writer, const void *field) {
  dsm__json_write_bool(writer, has_condition(field));
}

DSM__OWN_RECORD(
    dsm__field_record, dsm__field, true, "A field of a record.",
    DSM__FIELD(TEXT, dsm__field, key, "key", 0,
               .help = "Its name; absent of a part, whose fields stand among those of the record."),
    DSM__OWN("kind", 0, write_kind, TEXT, .help = "What it holds."),
    WORDS("words", dsm__field, words, "What its words are, or its keys, of counts and members."),
    DSM__OWN("record", 0, write_type, TEXT, .stated_if = DSM__IF(dsm__field, type),
             .help = "The record that it is, or is a list of."),
    DSM__FIELD(TEXT, dsm__field, unit, "unit", 0, .help = "Of a number."),
    DSM__FIELD(REAL, dsm__field, min, "min", 0, .is_stated = has_min,
               .help = "Smallest value; absent of a number: it may be below 0."),
    DSM__FIELD(REAL, dsm__field, max, "max", DSM__FIELD_UNLESS_0,
               .help = "Largest value; of a text bytes. Absent: no limit of its own."),
    DSM__OWN("default", 0, write_default, JSON, .is_stated = has_default,
             .help = "What it is where it is read and not there; absent: that depends."),
    DSM__FIELD(
        WORD_SET, dsm__field, flags, "flags", 0, .words = &flags,
        .help =
            "What is done with it: required and read by readers, a decision, a figure that checks "
            "compare, a column of tables, which direction is better."),
    DSM__OWN("is_conditional", 0, write_is_conditional, FLAG, .is_stated = has_condition,
             .help = "It is not in each such record; only where that is so."),
    DSM__FIELD(TEXT, dsm__field, column, "column", 0,
               .help = "Its name as a column, if that is another."),
    DSM__FIELD(TEXT, dsm__field, help, "help", 0, .help = "What it means."));

DSM__RECORD(dsm__type_record, dsm__record_type, false, "A record: a table of fields.",
            DSM__OWN("name", 0, write_name, TEXT, .help = "Its name."),
            DSM__FIELD(TEXT, dsm__record_type, help, "help", 0, .help = "What it is."),
            DSM__LISTED(dsm__record_type, fields, field_count, "fields", 0, dsm__field_record,
                        "In the order in which they are written."));
/* clang-format on */

/* False if out of memory. */
static bool add_type(dsm__record_types *types, const dsm__record_type *type, dsm__arena *arena) {
  for (size_t i = 0; i < types->count; i++) {
    if (types->items[i].fields == type->fields) {
      return true;
    }
  }
  return DSM__LIST_PUSH_IN(types, arena, *type);
}

/* Puts the parts that companions add in their place. False if out of memory. */
static bool show_added(dsm__record_type *type, const dsm__record_type *of, dsm__arena *arena) {
  dsm__field fields[DSM__FIELDS_MAX];
  size_t count = 0;
  bool has_place = false;
  for (size_t f = 0; f < of->field_count; f++) {
    const bool is_place = of->fields[f].kind == DSM__FIELD_PART && of->fields[f].type == NULL;
    has_place = has_place || is_place;
    for (size_t c = 0; is_place && dsm__companions[c] != NULL; c++) {
      for (size_t p = 0; p < dsm__companions[c]->part_count; p++) {
        if (dsm__companions[c]->parts[p].to->fields == of->fields) {
          fields[count++] = dsm__companions[c]->parts[p].part;
        }
      }
    }
    if (!is_place) {
      fields[count++] = of->fields[f];
    }
    assert(count < DSM__FIELDS_MAX);
  }
  *type = *of;
  if (!has_place) {
    return true;
  }
  dsm__field *const kept = dsm__arena_array(arena, count, sizeof *kept);
  if (kept != NULL) {
    memcpy(kept, fields, count * sizeof *kept);
    type->fields = kept;
    type->field_count = count;
  }
  return kept != NULL;
}

dsm__record_types dsm__record_types_of(const dsm__record_type *document, dsm__arena *arena) {
  dsm__record_types types = {.count = 0};
  bool is_good = add_type(&types, document, arena);
  for (size_t next = 0; next < types.count && is_good; next++) {
    dsm__record_type shown;
    is_good = show_added(&shown, &types.items[next], arena);
    for (size_t f = 0; is_good && f < shown.field_count; f++) {
      const dsm__record_type *const inner = shown.fields[f].type;
      is_good = inner == NULL || add_type(&types, inner, arena);
    }
  }
  /* Only now: a type is known by its own fields. */
  for (size_t i = 0; i < types.count && is_good; i++) {
    const dsm__record_type own = types.items[i];
    is_good = show_added(&types.items[i], &own, arena);
  }
  return is_good ? types : (dsm__record_types){.count = 0};
}
