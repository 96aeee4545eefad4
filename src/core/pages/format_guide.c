/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pages/pages.h"

#include <string.h>

#include "base/text_buffer.h"

/* Schemas do not nest deeper. */
#define PATH_SIZE 512

typedef struct walk {
  dsm__json_node definitions;
  FILE *out;
  pages_key_visitor *visit;
  bool is_in_choice; /* walks what stands in a list of one of two sorts of objects */
  bool failed;       /* out of memory */
} walk;

static const char *text_at(const dsm__json_node *object, const char *key) {
  const dsm__json_node member = dsm__json_member(object, key);
  const char *const text = dsm__json_text(&member);
  return text == NULL ? "" : text;
}

static bool has(const dsm__json_node *object, const char *key) {
  return dsm__json_has(object, key);
}

/* The definition that a schema refers to, or the schema itself. */
static dsm__json_node resolved(const walk *w, const dsm__json_node *schema) {
  static const char own[] = "#/$defs/";
  const char *const target = text_at(schema, "$ref");
  return strncmp(target, own, sizeof own - 1) == 0
             ? dsm__json_member(&w->definitions, target + sizeof own - 1)
             : *schema;
}

/* ---- values ---- */

static void describe(const walk *w, const dsm__json_node *schema, dsm__text_buffer *to);

/* Several things, joined. */
static void describe_items(const walk *w, const dsm__json_node *list, const char *separator,
                           bool are_schemas, dsm__text_buffer *to) {
  dsm__json_node item = dsm__json_item(list, 0);
  for (bool is_first = true; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    dsm__text_puts(to, is_first ? "" : separator);
    if (are_schemas) {
      describe(w, &item, to);
    } else if (dsm__json_is_string(&item)) {
      dsm__text_puts(to, dsm__json_text(&item));
    } else {
      dsm__json_compact(&item, to);
    }
    is_first = false;
  }
}

static void describe_range(const dsm__json_node *schema, dsm__text_buffer *to) {
  static const struct {
    const char *key;
    const char *words;
  } limits[] = {{"minimum", " from "}, {"exclusiveMinimum", " above "}, {"maximum", " to "}};
  const bool is_open = !has(schema, "minimum") && !has(schema, "exclusiveMinimum");
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const dsm__json_node limit = dsm__json_member(schema, limits[i].key);
    if (dsm__json_is_present(&limit)) {
      dsm__text_puts(to, is_open ? " of at most " : limits[i].words);
      dsm__json_compact(&limit, to);
    }
  }
}

static void describe_list(const walk *w, const dsm__json_node *schema, dsm__text_buffer *to) {
  const dsm__json_node least = dsm__json_member(schema, "minItems");
  const dsm__json_node most = dsm__json_member(schema, "maxItems");
  const dsm__json_node items = dsm__json_member(schema, "items");
  double from = 0;
  double to_count = 0;
  const bool has_least = dsm__json_is_number(&least, &from);
  const bool has_most = dsm__json_is_number(&most, &to_count);
  dsm__text_puts(to, "a list");
  if (has_least && has_most && from == to_count) {
    dsm__text_printf(to, " of %.0f", from);
  } else if (has_most) {
    dsm__text_printf(to, " of at most %.0f", to_count);
  }
  const dsm__json_node each = resolved(w, &items);
  if (has(&each, "then")) {
    const dsm__json_node one = dsm__json_member(&each, "else");
    dsm__text_puts(to, ", each ");
    describe(w, &one, to);
  } else if (dsm__json_is_present(&items)) {
    dsm__text_puts(to, ", each ");
    describe(w, &items, to);
  }
}

static void describe_type(const walk *w, const dsm__json_node *schema, const char *type,
                          dsm__text_buffer *to) {
  static const struct {
    const char *type;
    const char *words;
  } types[] = {{"string", "a string"}, {"boolean", "true or false"}, {"integer", "a whole number"},
               {"number", "a number"}, {"object", "an object"},      {"null", "null"}};
  const bool is_expression =
      strcmp(type, "string") == 0 && strcmp(text_at(schema, "pattern"), "^=") == 0;
  for (size_t i = 0; i < sizeof types / sizeof *types && !is_expression; i++) {
    dsm__text_puts(to, strcmp(type, types[i].type) == 0 ? types[i].words : "");
  }
  dsm__text_puts(to, is_expression ? "an expression" : "");
  if (strcmp(type, "array") == 0) {
    describe_list(w, schema, to);
  } else if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0) {
    describe_range(schema, to);
  } else if (strcmp(type, "object") == 0 && !has(schema, "properties")) {
    const dsm__json_node others = dsm__json_member(schema, "additionalProperties");
    if (dsm__json_is_object(&others)) {
      dsm__text_puts(to, ", each member ");
      describe(w, &others, to);
    }
  }
}

/* What a schema allows, in words. */
static void describe(const walk *w, const dsm__json_node *schema, dsm__text_buffer *to) {
  const dsm__json_node meant = resolved(w, schema);
  const char *const target = text_at(&meant, "$ref");
  const dsm__json_node words = dsm__json_member(&meant, "enum");
  const dsm__json_node only = dsm__json_member(&meant, "const");
  const dsm__json_node any = dsm__json_member(&meant, "anyOf");
  const dsm__json_node type = dsm__json_member(&meant, "type");
  if (target[0] != '\0') { /* dsm-workload-1.schema.json */
    const char *const name = target + strcspn(target, "-") + 1;
    const int length = (int)strcspn(name, "-");
    dsm__text_printf(to, "a %.*s, as in dsm-%.*s(5)", length, name, length, name);
  } else if (dsm__json_is_present(&words)) {
    dsm__text_puts(to, "one of ");
    describe_items(w, &words, ", ", false, to);
  } else if (dsm__json_is_present(&only)) {
    dsm__json_compact(&only, to);
  } else if (dsm__json_is_string(&type)) {
    describe_type(w, &meant, dsm__json_text(&type), to);
  } else if (dsm__json_is_list(&type)) {
    dsm__json_node each = dsm__json_item(&type, 0);
    for (bool is_first = true; dsm__json_is_present(&each); each = dsm__json_next(&each)) {
      dsm__text_puts(to, is_first ? "" : " or ");
      describe_type(w, &meant, dsm__json_text(&each), to);
      is_first = false;
    }
  } else if (dsm__json_is_present(&any)) {
    describe_items(w, &any, " or ", true, to);
  }
}

/* ---- keys ---- */

static bool has_item(const dsm__json_node *list, const char *word) {
  dsm__json_node item = dsm__json_item(list, 0);
  for (; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    const char *const text = dsm__json_text(&item);
    if (text != NULL && strcmp(text, word) == 0) {
      return true;
    }
  }
  return false;
}

/* Where an object's type says which of its keys are required: "required of conv". */
static void put_conditions(const dsm__json_node *object, const char *key, dsm__text_buffer *to) {
  const dsm__json_node rules = dsm__json_member(object, "allOf");
  dsm__json_node rule = dsm__json_item(&rules, 0);
  const char *separator = "; required of ";
  for (; dsm__json_is_present(&rule); rule = dsm__json_next(&rule)) {
    const dsm__json_node condition = dsm__json_member(&rule, "if");
    const dsm__json_node conditions = dsm__json_member(&condition, "properties");
    const dsm__json_node first = dsm__json_first_member(&conditions);
    const dsm__json_node consequence = dsm__json_member(&rule, "then");
    const dsm__json_node required = dsm__json_member(&consequence, "required");
    if (has_item(&required, key) && has(&first, "const")) {
      dsm__text_printf(to, "%s%s", separator, text_at(&first, "const"));
      separator = ", ";
    }
  }
}

/* Is the key at the path one of those that a description without a base has to have? */
static bool is_required_of_whole(const dsm__json_node *whole, const char *path) {
  char key[64];
  const size_t length = strcspn(path, ".[");
  (void)snprintf(key, sizeof key, "%.*s", (int)length, path);
  if (path[length] == '\0') {
    const dsm__json_node required = dsm__json_member(whole, "required");
    return has_item(&required, key);
  }
  const dsm__json_node properties = dsm__json_member(whole, "properties");
  const dsm__json_node inner = dsm__json_member(&properties, key);
  const dsm__json_node items = dsm__json_member(&inner, "items");
  const char *const rest = strchr(path + length, '.');
  return rest != NULL && is_required_of_whole(path[length] == '[' ? &items : &inner, rest + 1);
}

static void put_value(const walk *w, const dsm__json_node *object, const dsm__json_node *schema,
                      const char *path, const char *key, dsm__text_buffer *to) {
  const dsm__json_node meant = resolved(w, schema);
  const dsm__json_node own = dsm__json_member(schema, "default");
  const dsm__json_node of_definition = dsm__json_member(&meant, "default");
  const dsm__json_node *const fallback = dsm__json_is_present(&own) ? &own : &of_definition;
  const dsm__json_node required = dsm__json_member(object, "required");
  describe(w, schema, to);
  if (dsm__json_is_present(fallback)) {
    dsm__text_puts(to, "; default ");
    dsm__json_compact(fallback, to);
  }
  const dsm__json_node whole = dsm__json_member(&w->definitions, "whole");
  dsm__text_puts(to, has_item(&required, key)             ? "; required"
                     : is_required_of_whole(&whole, path) ? "; required without a base"
                                                          : "");
  put_conditions(object, key, to);
}

static void walk_object(walk *w, const dsm__json_node *object, const char *path);

/* One of two sorts of objects, of which one may have such lists in turn: they are walked once. */
static void walk_choice(walk *w, const dsm__json_node *choice, const char *path) {
  static const char *const sorts[] = {"else", "then"};
  w->is_in_choice = true;
  for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
    const dsm__json_node schema = dsm__json_member(choice, sorts[i]);
    const dsm__json_node sort = resolved(w, &schema);
    walk_object(w, &sort, path);
  }
  w->is_in_choice = false;
}

/* What is in an object, or in the objects of a list. */
static void walk_inside(walk *w, const dsm__json_node *schema, const char *path) {
  const dsm__json_node meant = resolved(w, schema);
  const dsm__json_node items = dsm__json_member(&meant, "items");
  const dsm__json_node each = resolved(w, &items);
  char below[PATH_SIZE];
  if (has(&meant, "properties")) {
    (void)snprintf(below, sizeof below, "%.500s.", path);
    walk_object(w, &meant, below);
  } else if (has(&each, "properties")) {
    (void)snprintf(below, sizeof below, "%.500s[].", path);
    walk_object(w, &each, below);
  } else if (has(&each, "then") && !w->is_in_choice) {
    (void)snprintf(below, sizeof below, "%.500s[].", path);
    walk_choice(w, &each, below);
  }
}

static void walk_object(walk *w, const dsm__json_node *object, const char *path) {
  const dsm__json_node properties = dsm__json_member(object, "properties");
  dsm__json_node schema = dsm__json_first_member(&properties);
  for (; dsm__json_is_present(&schema); schema = dsm__json_next(&schema)) {
    char full[PATH_SIZE];
    dsm__text_buffer value = {0};
    const dsm__json_node meant = resolved(w, &schema);
    const char *const own = text_at(&schema, "description");
    (void)snprintf(full, sizeof full, "%s%s", path, dsm__json_key(&schema));
    put_value(w, object, &schema, full, dsm__json_key(&schema), &value);
    w->failed = w->failed || value.failed;
    w->visit(w->out,
             &(pages_key){.path = full,
                          .value = value.text == NULL ? "" : value.text,
                          .description = own[0] == '\0' ? text_at(&meant, "description") : own});
    dsm__text_fini(&value);
    walk_inside(w, &schema, full);
  }
}

bool pages_visit_keys(FILE *out, const dsm__json_node *schema, pages_key_visitor *visit) {
  walk w = {.definitions = dsm__json_member(schema, "$defs"), .out = out, .visit = visit};
  walk_object(&w, schema, "");
  return !w.failed;
}
