/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_read.c: records from JSON, strictly: every key is known, every value in its range. */
#include <assert.h>
#include <string.h>

#include "base/record.h"

/* Largest numbers of fields that state none. */
static const double largest_real = 1e300;

/* The keys that an object may have. */
typedef struct known_keys {
  const char *keys[DSM__FIELDS_MAX + 1];
  size_t count;
} known_keys;

static bool add_key(void *context, const dsm__field *field, const void *record) {
  known_keys *const known = context;
  (void)record;
  assert(known->count <= DSM__FIELDS_MAX);
  known->keys[known->count++] = field->key;
  return true;
}

bool dsm__record_only(const dsm__json_node *node, const dsm__record_type *type) {
  known_keys known = {.count = 0};
  (void)dsm__record_each(type, NULL, add_key, &known);
  return dsm__json_object_only(node, known.keys, known.count);
}

bool dsm__document_only(const dsm__json_node *node, const dsm__record_type *type) {
  known_keys known = {.keys = {"format"}, .count = 1};
  (void)dsm__record_each(type, NULL, add_key, &known);
  return dsm__json_format(node, type->format) &&
         dsm__json_object_only(node, known.keys, known.count);
}

static uint64_t most_of(const dsm__record_reader *reader, const dsm__field *field) {
  return field->max > 0 ? (uint64_t)field->max : reader->most_parts;
}

/* Reads a value; where it is not good, what the record has stays. */
typedef bool value_reader(const dsm__record_reader *reader, const dsm__json_node *node,
                          const dsm__field *field, void *record);

static void *place_of(const dsm__field *field, void *record) {
  return (unsigned char *)record + field->offset;
}

static bool read_count(const dsm__record_reader *reader, const dsm__json_node *node,
                       const dsm__field *field, void *record) {
  return dsm__json_u64(node, (uint64_t)field->min, most_of(reader, field), place_of(field, record));
}

static bool read_real(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *record) {
  const dsm__json_range range = {field->min, field->max > 0 ? field->max : largest_real,
                                 (field->flags & DSM__FIELD_IS_ABOVE_MIN) != 0};
  (void)reader;
  if ((field->flags & DSM__FIELD_IS_NULLABLE) != 0 && dsm__json_is_null(node)) {
    *(double *)place_of(field, record) = HUGE_VAL;
    return true;
  }
  double *const value = place_of(field, record);
  const bool is_good = (field->flags & DSM__FIELD_OR_0) != 0
                           ? dsm__json_double_or_zero(node, range, value)
                           : dsm__json_double(node, range, value);
  *value *= is_good && field->scale > 0 ? field->scale : 1;
  return is_good;
}

static bool read_flag(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *record) {
  (void)reader;
  return dsm__json_bool(node, place_of(field, record));
}

static bool read_word(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *record) {
  size_t value = 0;
  if (!dsm__json_enum(node, dsm__words_in(reader->renaming, field->words), &value)) {
    return false;
  }
  *(unsigned *)place_of(field, record) = (unsigned)value;
  return true;
}

static bool read_set(const dsm__record_reader *reader, const dsm__json_node *node,
                     const dsm__field *field, void *record) {
  unsigned *const set = place_of(field, record);
  *set = 0;
  return dsm__json_word_set(node, dsm__words_in(reader->renaming, field->words), (size_t)field->min,
                            set);
}

static bool read_text(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *record) {
  const bool may_be_null = (field->flags & DSM__FIELD_IS_NULLABLE) != 0;
  if ((field->flags & DSM__FIELD_IS_TALL) != 0) {
    return dsm__json_string(node, 0, (size_t)field->max, reader->arena, place_of(field, record));
  }
  return (may_be_null && dsm__json_is_null(node)) ||
         dsm__json_name(node, (size_t)field->max, reader->arena, place_of(field, record));
}

static bool read_counts(const dsm__record_reader *reader, const dsm__json_node *node,
                        const dsm__field *field, void *record) {
  uint64_t *const counts = place_of(field, record);
  const char *keys[DSM__WORDS_MAX];
  const size_t count = dsm__words_keys(field->words, keys);
  const bool is_object = dsm__json_object_only(node, keys, count);
  for (size_t w = 0; w < count; w++) {
    const dsm__json_node part = dsm__json_member(node, keys[w]);
    counts[w] = 0;
    if (is_object) {
      (void)dsm__json_u64(&part, (uint64_t)field->min, most_of(reader, field), &counts[w]);
    }
  }
  return true;
}

/* Room for the items of a list, which the record has, zeroed if it is new; NULL if there are too
 * few or too many, or memory is out. */
static void *read_array(const dsm__record_reader *reader, const dsm__json_node *node,
                        const dsm__field *field, void *record, size_t size) {
  const bool is_inside = field->kind == DSM__FIELD_ITEMS;
  const size_t most = field->most_items > 0                 ? field->most_items
                      : field->kind == DSM__FIELD_TEXT_LIST ? DSM__TEXT_LIST_MAX
                                                            : (size_t)field->max;
  size_t count = 0;
  if (!dsm__json_array(node, (size_t)field->min, most, &count)) {
    return NULL;
  }
  void *const items =
      is_inside ? place_of(field, record) : dsm__arena_array(reader->arena, count, size);
  if (dsm__json_lacks_memory(node->doc, items == NULL)) {
    return NULL;
  }
  if (!is_inside) {
    memcpy(place_of(field, record), &items, sizeof items);
  }
  memcpy((unsigned char *)record + field->count_offset, &count, sizeof count);
  return items;
}

static bool read_item(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *to) {
  if (field->type != NULL) {
    const bool is_only = dsm__record_only(node, field->type);
    return (is_only || field->kind == DSM__FIELD_ITEMS) &&
           dsm__record_read(reader, node, field->type, to) && is_only;
  }
  if (field->kind == DSM__FIELD_COUNT_LIST) {
    return dsm__json_u64(node, (uint64_t)field->min, most_of(reader, field), to);
  }
  const size_t least = (field->flags & DSM__FIELD_IS_TALL) != 0 ? 0 : 1;
  *(const char **)to = "";
  return dsm__json_string(node, least, (size_t)field->max, reader->arena, to);
}

static bool read_list(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__field *field, void *record) {
  const size_t size = field->type != NULL                    ? field->type->size
                      : field->kind == DSM__FIELD_COUNT_LIST ? sizeof(uint64_t)
                                                             : sizeof(const char *);
  unsigned char *to = read_array(reader, node, field, record, size);
  bool is_good = to != NULL;
  dsm__json_node item = dsm__json_item(node, 0);
  for (; to != NULL && dsm__json_is_present(&item); item = dsm__json_next(&item), to += size) {
    is_good = read_item(reader, &item, field, to) && is_good;
  }
  return is_good || field->kind == DSM__FIELD_ITEMS;
}

static bool read_record(const dsm__record_reader *reader, const dsm__json_node *node,
                        const dsm__field *field, void *record) {
  return dsm__record_only(node, field->type) &&
         dsm__record_read(reader, node, field->type, place_of(field, record));
}

/* A struct that is there says so: it has the flag by which it is stated. */
static bool read_members(const dsm__record_reader *reader, const dsm__json_node *node,
                         const dsm__field *field, void *record) {
  const char *keys[DSM__WORDS_MAX];
  const size_t count = dsm__words_keys(field->words, keys);
  const bool is_object = dsm__json_object_only(node, keys, count);
  bool is_good = is_object;
  unsigned char *to = place_of(field, record);
  for (size_t w = 0; is_object && w < count; w++, to += field->type->size) {
    const dsm__json_node member = dsm__json_member(node, keys[w]);
    if (!dsm__json_is_present(&member) || (reader->unwanted_members >> w & 1) != 0) {
      continue;
    }
    const bool is_known = dsm__record_only(&member, field->type);
    *(bool *)(to + field->stated_if.offset) = is_known;
    is_good = is_known && dsm__record_read(reader, &member, field->type, to) && is_good;
  }
  return is_good;
}

static bool read_own(const dsm__record_reader *reader, const dsm__json_node *node,
                     const dsm__field *field, void *record) {
  return field->read(reader, node, record);
}

static value_reader *const readers[DSM__FIELD_KIND_COUNT] = {
    [DSM__FIELD_COUNT] = read_count,   [DSM__FIELD_REAL] = read_real,
    [DSM__FIELD_FLAG] = read_flag,     [DSM__FIELD_WORD] = read_word,
    [DSM__FIELD_WORD_SET] = read_set,  [DSM__FIELD_TEXT] = read_text,
    [DSM__FIELD_COUNTS] = read_counts, [DSM__FIELD_TEXT_LIST] = read_list,
    [DSM__FIELD_RECORD] = read_record, [DSM__FIELD_LIST] = read_list,
    [DSM__FIELD_OWN] = read_own,       [DSM__FIELD_COUNT_LIST] = read_list,
    [DSM__FIELD_ITEMS] = read_list,    [DSM__FIELD_MEMBERS] = read_members,
};

/* Of kinds that are not named here the record has nothing, as it was made. */
static void set_fallback(const dsm__field *field, void *record) {
  void *const value = place_of(field, record);
  if (field->kind == DSM__FIELD_COUNT) {
    *(uint64_t *)value = (uint64_t)field->fallback;
  } else if (field->kind == DSM__FIELD_REAL) {
    *(double *)value = field->fallback;
  } else if (field->kind == DSM__FIELD_FLAG) {
    *(bool *)value = field->fallback > 0;
  } else if (field->kind == DSM__FIELD_WORD || field->kind == DSM__FIELD_WORD_SET) {
    *(unsigned *)value = (unsigned)field->fallback;
  }
}

static bool read_member(const dsm__record_reader *reader, const dsm__json_node *parent,
                        const dsm__field *field, void *record) {
  const dsm__json_node node = dsm__json_member(parent, field->key);
  const bool is_required = (field->flags & DSM__FIELD_IS_REQUIRED) != 0;
  set_fallback(field, record);
  if (dsm__json_is_present(&node)) {
    return readers[field->kind](reader, &node, field, record);
  }
  if (is_required && field->expected != NULL) {
    return dsm__json_require(&node, field->expected);
  }
  return !is_required || readers[field->kind](reader, &node, field, record);
}

/* An object that is being read. */
typedef struct reading {
  const dsm__record_reader *reader;
  const dsm__json_node *node;
  unsigned char *record;
  bool is_good;
} reading;

static bool is_unwanted(void *reader, const dsm__field *field, const void *record) {
  (void)record;
  return (field->flags & ((const dsm__record_reader *)reader)->wanted) == 0;
}

/* Structs in the record itself are wanted for what is in them. */
static bool is_wanted(const dsm__record_reader *reader, const dsm__field *field) {
  dsm__record_reader own = *reader;
  return field->kind == DSM__FIELD_ITEMS || field->kind == DSM__FIELD_MEMBERS
             ? !dsm__record_each(field->type, NULL, is_unwanted, &own)
             : (field->flags & reader->wanted) != 0;
}

static bool read_field(void *context, const dsm__field *field, const void *record) {
  reading *const from = context;
  const bool is_list = field->kind == DSM__FIELD_LIST || field->kind == DSM__FIELD_COUNT_LIST;
  const bool is_others =
      (is_list && !(field->max > 0)) || (field->kind == DSM__FIELD_OWN && field->read == NULL);
  const bool is_due = field->is_read == NULL || field->is_read(record);
  if (is_due && is_wanted(from->reader, field) && readers[field->kind] != NULL && !is_others) {
    /* The field is in the record, or in a part of it. */
    void *const to = from->record + ((const unsigned char *)record - from->record);
    from->is_good = read_member(from->reader, from->node, field, to) && from->is_good;
  }
  return true;
}

bool dsm__record_read(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__record_type *type, void *record) {
  reading from = {.reader = reader, .node = node, .record = record, .is_good = true};
  (void)dsm__record_each(type, record, read_field, &from);
  return from.is_good;
}
