/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/record.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/companion.h"
#include "base/number_text.h"

static size_t count_in(const dsm__field *field, const void *record) {
  size_t count;
  memcpy(&count, (const unsigned char *)record + field->count_offset, sizeof count);
  return count;
}

static unsigned unsigned_in(const dsm__field *field, const void *record) {
  unsigned value;
  memcpy(&value, dsm__field_in(field, record), sizeof value);
  return value;
}

static const char *text_in(const dsm__field *field, const void *record) {
  return *(const char *const *)dsm__field_in(field, record);
}

/* What is known of a value by its kind alone. */

static bool is_finite(const dsm__field *field, const void *record) {
  return isfinite(*(const double *)dsm__field_in(field, record));
}

static bool is_word(const dsm__field *field, const void *record) {
  return dsm__is_word(field->words, unsigned_in(field, record));
}

static bool is_text(const dsm__field *field, const void *record) {
  return text_in(field, record) != NULL;
}

static bool is_value(const dsm__field *field, const void *record) {
  return ((const dsm__value *)dsm__field_in(field, record))->kind != DSM__VALUE_NONE;
}

bool dsm__field_is_conditional(const dsm__field *field) {
  return field->is_stated != NULL || field->stated_if.of != DSM__FIELD_OWN ||
         (field->flags & (DSM__FIELD_UNLESS_0 | DSM__FIELD_UNLESS_1)) != 0;
}

/* Is what a field has a pointer? */
static bool is_pointer(dsm__field_kind kind) {
  return kind == DSM__FIELD_TEXT || kind == DSM__FIELD_JSON || kind == DSM__FIELD_COUNT_LIST ||
         kind == DSM__FIELD_TEXT_LIST || kind == DSM__FIELD_POINTER || kind == DSM__FIELD_LIST;
}

/* A value as a number; of what is a pointer whether it is there, 1 of what lies in the record. */
static double number_at(dsm__field_kind kind, const void *at) {
  const bool is_bits = kind == DSM__FIELD_WORD || kind == DSM__FIELD_WORD_SET;
  return kind == DSM__FIELD_COUNT  ? (double)*(const uint64_t *)at
         : kind == DSM__FIELD_REAL ? *(const double *)at
         : kind == DSM__FIELD_FLAG ? (double)*(const bool *)at
         : is_bits                 ? (double)*(const unsigned *)at
         : is_pointer(kind)        ? (double)(*(const void *const *)at != NULL)
                                   : 1;
}

double dsm__field_number(const dsm__field *field, const void *record) {
  return field->kind == DSM__FIELD_LIST ? (double)count_in(field, record)
                                        : number_at(field->kind, dsm__field_in(field, record));
}

bool dsm__record_meets(const dsm__condition *condition, const void *record) {
  if (condition->of == DSM__FIELD_OWN) {
    return true;
  }
  const double value = number_at(condition->of, (const unsigned char *)record + condition->offset);
  const bool is_above = value > condition->value;
  const bool is_other = is_above || value < condition->value;
  return condition->how == DSM__IS_ABOVE ? is_above : is_other == (condition->how == DSM__IS_NOT);
}

bool dsm__field_condition_holds(const dsm__field *field, const void *record) {
  const double least = (field->flags & DSM__FIELD_UNLESS_1) != 0 ? 1 : 0;
  if (field->is_stated != NULL) {
    return field->is_stated(record);
  }
  if (field->stated_if.of != DSM__FIELD_OWN) {
    return dsm__record_meets(&field->stated_if, record);
  }
  return !dsm__field_is_conditional(field) || dsm__field_number(field, record) > least;
}

bool dsm__field_is_stated(const dsm__field *field, const void *record) {
  static bool (*const by_kind[DSM__FIELD_KIND_COUNT])(const dsm__field *, const void *) = {
      [DSM__FIELD_REAL] = is_finite, [DSM__FIELD_WORD] = is_word,   [DSM__FIELD_TEXT] = is_text,
      [DSM__FIELD_JSON] = is_text,   [DSM__FIELD_VALUE] = is_value, [DSM__FIELD_POINTER] = is_text,
  };
  if (dsm__field_is_conditional(field) && field->kind != DSM__FIELD_MEMBERS) {
    return dsm__field_condition_holds(field, record);
  }
  return by_kind[field->kind] == NULL || by_kind[field->kind](field, record);
}

static bool each_of_part(const dsm__field *part, const void *record, dsm__field_visitor *visit,
                         void *context) {
  return (record != NULL && !dsm__field_is_stated(part, record)) ||
         dsm__record_each(part->type, record == NULL ? NULL : dsm__field_in(part, record), visit,
                          context);
}

/* Of what companions add to it. */
static bool each_added(const dsm__record_type *type, const void *record, dsm__field_visitor *visit,
                       void *context) {
  bool goes_on = true;
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    const dsm__companion *const from = dsm__companions[c];
    for (size_t p = 0; p < from->part_count && goes_on; p++) {
      goes_on =
          from->parts[p].to != type || each_of_part(&from->parts[p].part, record, visit, context);
    }
  }
  return goes_on;
}

bool dsm__record_each(const dsm__record_type *type, const void *record, dsm__field_visitor *visit,
                      void *context) {
  for (size_t i = 0; i < type->field_count; i++) {
    const dsm__field *const field = &type->fields[i];
    const bool goes_on = field->kind != DSM__FIELD_PART ? visit(context, field, record)
                         : field->type == NULL          ? each_added(type, record, visit, context)
                                               : each_of_part(field, record, visit, context);
    if (!goes_on) {
      return false;
    }
  }
  return true;
}

/* Columns that are gathered. */
typedef struct gathering {
  const dsm__field **columns;
  size_t count;
} gathering;

static bool add_column(void *context, const dsm__field *field, const void *record) {
  gathering *const to = context;
  (void)record;
  if ((field->flags & DSM__FIELD_IS_COLUMN) != 0) {
    assert(to->count < DSM__FIELDS_MAX);
    to->columns[to->count++] = field;
  }
  return true;
}

size_t dsm__record_columns(const dsm__record_type *type,
                           const dsm__field *columns[DSM__FIELDS_MAX]) {
  gathering to = {.columns = columns};
  (void)dsm__record_each(type, NULL, add_column, &to);
  return to.count;
}

/* A field that is looked for by its key. */
typedef struct search {
  const char *key;
  const dsm__field *found;
  const void *record;
} search;

static bool is_another(void *context, const dsm__field *field, const void *record) {
  search *const wanted = context;
  if (strcmp(field->key, wanted->key) != 0) {
    return true;
  }
  wanted->found = field;
  wanted->record = record;
  return false;
}

const dsm__field *dsm__record_field(const dsm__record_type *type, const char *key,
                                    const void **record) {
  search wanted = {.key = key};
  (void)dsm__record_each(type, record == NULL ? NULL : *record, is_another, &wanted);
  if (record != NULL && wanted.found != NULL) {
    *record = wanted.record;
  }
  return wanted.found;
}

const char *dsm__record_key_at(const dsm__record_type *type, size_t offset) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (type->fields[i].offset == offset) {
      return type->fields[i].key;
    }
  }
  return NULL;
}

/* ---- text ---- */

/* What appends the text of a value; `nothing` stands for one that is not there. */
typedef void text_maker(const dsm__field *field, const void *record, const char *nothing,
                        dsm__text_buffer *out);

static void put_count(const dsm__field *field, const void *record, const char *nothing,
                      dsm__text_buffer *out) {
  (void)nothing;
  dsm__text_printf(out, "%" PRIu64, *(const uint64_t *)dsm__field_in(field, record));
}

static void put_real(const dsm__field *field, const void *record, const char *nothing,
                     dsm__text_buffer *out) {
  char text[DSM__NUMBER_TEXT_SIZE];
  (void)nothing;
  (void)dsm__double_to_text(*(const double *)dsm__field_in(field, record), text);
  dsm__text_puts(out, text);
}

static void put_flag(const dsm__field *field, const void *record, const char *nothing,
                     dsm__text_buffer *out) {
  (void)nothing;
  dsm__text_puts(out, *(const bool *)dsm__field_in(field, record) ? "true" : "false");
}

static void put_word(const dsm__field *field, const void *record, const char *nothing,
                     dsm__text_buffer *out) {
  (void)nothing;
  dsm__text_puts(out, dsm__word_key(field->words, unsigned_in(field, record)));
}

static void put_text(const dsm__field *field, const void *record, const char *nothing,
                     dsm__text_buffer *out) {
  (void)nothing;
  dsm__text_puts(out, text_in(field, record));
}

/* "hybrid+reuse". */
static void put_set(const dsm__field *field, const void *record, const char *nothing,
                    dsm__text_buffer *out) {
  const unsigned set = unsigned_in(field, record);
  dsm__text_puts(out, set == 0 ? nothing : dsm__words_join(field->words, set, "+").text);
}

/* "in 2 ij 8": loops that are not divided are left out. */
static void put_parts(const dsm__field *field, const void *record, const char *nothing,
                      dsm__text_buffer *out) {
  const uint64_t *const parts = dsm__field_in(field, record);
  const char *separator = "";
  for (size_t w = 0; w < field->words->count; w++) {
    if (parts[w] != 1) {
      dsm__text_printf(out, "%s%s %" PRIu64, separator, dsm__word_key(field->words, w), parts[w]);
      separator = " ";
    }
  }
  dsm__text_puts(out, separator[0] == '\0' ? nothing : "");
}

/* "features 8 ij 1 mb 4": all fields of a record. */
static void put_fields(const dsm__field *field, const void *record, const char *nothing,
                       dsm__text_buffer *out) {
  const dsm__record_type *const type = field->type;
  for (size_t i = 0; i < type->field_count; i++) {
    dsm__text_printf(out, "%s%s ", i == 0 ? "" : " ", type->fields[i].key);
    dsm__field_put_text(&type->fields[i], NULL, dsm__field_in(field, record), nothing, out);
  }
}

/* "fc1;fc2". */
static void put_texts(const dsm__field *field, const void *record, const char *nothing,
                      dsm__text_buffer *out) {
  const char *const *const texts = *(const char *const *const *)dsm__field_in(field, record);
  const size_t count = count_in(field, record);
  for (size_t i = 0; i < count; i++) {
    dsm__text_puts(out, i == 0 ? "" : ";");
    dsm__text_puts(out, texts[i]);
  }
  dsm__text_puts(out, count == 0 ? nothing : "");
}

static void put_value(const dsm__field *field, const void *record, const char *nothing,
                      dsm__text_buffer *out) {
  const dsm__value *const value = dsm__field_in(field, record);
  char text[DSM__NUMBER_TEXT_SIZE];
  if (value->kind == DSM__VALUE_NUMBER && isfinite(value->number)) {
    (void)dsm__double_to_text(value->number, text);
    dsm__text_puts(out, text);
  } else if (value->kind == DSM__VALUE_FLAG) {
    dsm__text_puts(out, value->number > 0 ? "true" : "false");
  } else {
    dsm__text_puts(out, value->kind == DSM__VALUE_TEXT ? value->text : nothing);
  }
}

void dsm__field_put_text(const dsm__field *of, const dsm__renaming *renaming, const void *record,
                         const char *nothing, dsm__text_buffer *out) {
  static text_maker *const makers[DSM__FIELD_KIND_COUNT] = {
      [DSM__FIELD_COUNT] = put_count,   [DSM__FIELD_REAL] = put_real,
      [DSM__FIELD_FLAG] = put_flag,     [DSM__FIELD_WORD] = put_word,
      [DSM__FIELD_WORD_SET] = put_set,  [DSM__FIELD_TEXT] = put_text,
      [DSM__FIELD_JSON] = put_text,     [DSM__FIELD_COUNTS] = put_parts,
      [DSM__FIELD_RECORD] = put_fields, [DSM__FIELD_TEXT_LIST] = put_texts,
      [DSM__FIELD_VALUE] = put_value,
  };
  dsm__field field = *of;
  field.words = dsm__words_in(renaming, of->words);
  if (!dsm__field_is_stated(of, record)) {
    dsm__text_puts(out, nothing);
  } else if (makers[field.kind] != NULL) {
    makers[field.kind](&field, record, nothing, out);
  }
}

/* ---- writing ---- */

typedef void value_writer(dsm__json_writer *writer, const dsm__field *field, const void *record);

static const dsm__words *words_in(const dsm__json_writer *writer, const dsm__field *field) {
  return dsm__words_in(writer->renaming, field->words);
}

static void write_count(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_u64(writer, *(const uint64_t *)dsm__field_in(field, record));
}

static void write_real(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_double(writer, *(const double *)dsm__field_in(field, record));
}

static void write_flag(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_bool(writer, *(const bool *)dsm__field_in(field, record));
}

static void write_word(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_string(writer,
                         dsm__word_key(words_in(writer, field), unsigned_in(field, record)));
}

static void write_set(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_word_set(writer, words_in(writer, field), unsigned_in(field, record));
}

static void write_text(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_string(writer, text_in(field, record));
}

static void write_json(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__json_write_json(writer, text_in(field, record));
}

static void write_counts(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  const uint64_t *const counts = dsm__field_in(field, record);
  dsm__json_begin_object(writer, true);
  for (size_t w = 0; w < field->words->count; w++) {
    dsm__json_put_u64(writer, dsm__word_key(field->words, w), counts[w]);
  }
  dsm__json_end_object(writer);
}

static void write_reals(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  const double *const reals = dsm__field_in(field, record);
  dsm__json_begin_object(writer, true);
  for (size_t w = 0; w < field->words->count; w++) {
    if (reals[w] > 0 || reals[w] < 0) {
      dsm__json_put_double(writer, dsm__word_key(words_in(writer, field), w), reals[w]);
    }
  }
  dsm__json_end_object(writer);
}

static void write_list(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  const void *const at = dsm__field_in(field, record);
  const void *const list = field->kind == DSM__FIELD_ITEMS ? at : *(const void *const *)at;
  const size_t count = count_in(field, record);
  dsm__json_begin_array(writer, field->type == NULL && (field->flags & DSM__FIELD_IS_TALL) == 0);
  for (size_t i = 0; i < count; i++) {
    if (field->kind == DSM__FIELD_COUNT_LIST) {
      dsm__json_write_u64(writer, ((const uint64_t *)list)[i]);
    } else if (field->kind == DSM__FIELD_TEXT_LIST) {
      dsm__json_write_string(writer, ((const char *const *)list)[i]);
    } else if (field->type != NULL) {
      dsm__record_write(writer, field->type, (const unsigned char *)list + i * field->type->size);
    }
  }
  dsm__json_end_array(writer);
}

const void *dsm__field_struct(const dsm__field *field, const void *record) {
  const void *const at = dsm__field_in(field, record);
  return field->kind == DSM__FIELD_POINTER ? *(const void *const *)at : at;
}

static void write_record(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  dsm__record_write(writer, field->type, dsm__field_struct(field, record));
}

static void write_members(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  const unsigned char *one = dsm__field_in(field, record);
  dsm__json_begin_object(writer, false);
  for (size_t w = 0; w < field->words->count; w++, one += field->type->size) {
    if (dsm__field_condition_holds(field, one)) {
      dsm__json_write_key(writer, dsm__word_key(field->words, w));
      dsm__record_write(writer, field->type, one);
    }
  }
  dsm__json_end_object(writer);
}

static void write_value(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  const dsm__value *const value = dsm__field_in(field, record);
  if (value->kind == DSM__VALUE_NUMBER && isfinite(value->number)) {
    dsm__json_write_double(writer, value->number);
  } else if (value->kind == DSM__VALUE_FLAG) {
    dsm__json_write_bool(writer, value->number > 0);
  } else if (value->kind == DSM__VALUE_TEXT) {
    dsm__json_write_string(writer, value->text);
  } else {
    dsm__json_write_null(writer);
  }
}

static void write_own(dsm__json_writer *writer, const dsm__field *field, const void *record) {
  field->write(writer, record);
}

/* Parts have no value of their own: their fields stand among the others. */
static value_writer *const writers[DSM__FIELD_KIND_COUNT] = {
    [DSM__FIELD_COUNT] = write_count,     [DSM__FIELD_REAL] = write_real,
    [DSM__FIELD_FLAG] = write_flag,       [DSM__FIELD_WORD] = write_word,
    [DSM__FIELD_WORD_SET] = write_set,    [DSM__FIELD_TEXT] = write_text,
    [DSM__FIELD_JSON] = write_json,       [DSM__FIELD_COUNTS] = write_counts,
    [DSM__FIELD_REALS] = write_reals,     [DSM__FIELD_COUNT_LIST] = write_list,
    [DSM__FIELD_TEXT_LIST] = write_list,  [DSM__FIELD_RECORD] = write_record,
    [DSM__FIELD_LIST] = write_list,       [DSM__FIELD_ITEMS] = write_list,
    [DSM__FIELD_MEMBERS] = write_members, [DSM__FIELD_OWN] = write_own,
    [DSM__FIELD_VALUE] = write_value,     [DSM__FIELD_POINTER] = write_record,
};

static bool put_field(void *context, const dsm__field *field, const void *record) {
  dsm__json_writer *const writer = context;
  if (dsm__field_is_stated(field, record)) {
    dsm__json_write_key(writer, field->key);
    writers[field->kind](writer, field, record);
  } else if ((field->flags & DSM__FIELD_IS_NULLABLE) != 0) {
    dsm__json_write_key(writer, field->key);
    dsm__json_write_null(writer);
  }
  return true;
}

void dsm__record_write_into(dsm__json_writer *writer, const dsm__record_type *type,
                            const void *record) {
  dsm__json_put_text(writer, "format", type->format);
  (void)dsm__record_each(type, record, put_field, writer);
}

void dsm__record_write(dsm__json_writer *writer, const dsm__record_type *type, const void *record) {
  dsm__json_begin_object(writer, type->is_inline);
  dsm__record_write_into(writer, type, record);
  dsm__json_end_object(writer);
}
