/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/json_doc.h"
#include "base/order.h"
#include "base/words.h"
#include "dsm/limits.h"

/* Parameters that build on each other: bounds the recursion. */
enum { DEPTH_MAX = 32 };

/* ---- names ---- */

DSM__ORDER_OF(compare_names, dsm__parameter, strcmp(a->name, b->name));

static int compare_name(const void *key, const void *parameter) {
  return strcmp(key, ((const dsm__parameter *)parameter)->name);
}

/* The names of all but one of them; of which NULL is none. */
static size_t list_names(const dsm__json_parameters *parameters, const char *but,
                         const char *names[DSM_PARAMETERS_MAX]) {
  size_t count = 0;
  for (size_t i = 0; i < parameters->count; i++) {
    const char *const name = parameters->items[i].name;
    if (but == NULL || strcmp(name, but) != 0) {
      names[count++] = name;
    }
  }
  return count;
}

/* The document's parameter that somebody probably meant. */
static void hint_name(const dsm__json_parameters *parameters, const char *name, char *hint,
                      size_t size) {
  const char *names[DSM_PARAMETERS_MAX];
  const size_t count = list_names(parameters, NULL, names);
  (void)dsm__nearest_hint(name, names, count, hint, size);
}

/* An override that makes something else is as good as one with an unknown key. */
static void refuse_name(const dsm__json_parameters *parameters, const dsm__json_node *member,
                        const char *expected) {
  const char *names[DSM_PARAMETERS_MAX];
  char hint[2 * DSM_NAME_BYTES_MAX] = "";
  char found[DSM_NAME_BYTES_MAX] = "";
  const size_t count = list_names(parameters, member->key, names);
  dsm__json_quote(found, sizeof found, "", member->key);
  (void)dsm__nearest_hint(member->key, names, count, hint, sizeof hint);
  dsm__json_error(member, hint, "expected %s, found %s", expected, found);
  dsm__json_note_unknown(member, hint, names, count);
}

static bool is_name(const char *name) {
  return dsm__is_identifier(name) && strlen(name) <= DSM_NAME_BYTES_MAX;
}

/* Members with names that are none are reported once all others are known. */
static void read_names(dsm__json_parameters *parameters) {
  DSM__JSON_EACH(member, &parameters->list) {
    if (is_name(member.key) && parameters->count < DSM_PARAMETERS_MAX) {
      parameters->items[parameters->count++] = (dsm__parameter){.name = member.key, .node = member};
    } else if (is_name(member.key)) {
      dsm__json_error(&parameters->list, NULL, "expected at most %d parameters, found more",
                      DSM_PARAMETERS_MAX);
      parameters->count = 0;
      parameters->is_wrong = true;
      return;
    }
  }
  qsort(parameters->items, parameters->count, sizeof parameters->items[0], compare_names);
  DSM__JSON_EACH(member, &parameters->list) {
    if (!is_name(member.key)) {
      refuse_name(parameters, &member, "a name of letters, digits and _ that begins with no digit");
    }
  }
}

static size_t count_members(const dsm__json_node *object) {
  size_t count = 0;
  DSM__JSON_EACH(member, object) {
    count++;
  }
  return count < DSM_PARAMETERS_MAX ? count : DSM_PARAMETERS_MAX;
}

void dsm__json_parameters_open(dsm__json_parameters *parameters, const dsm__json_node *object) {
  dsm__json_doc *const doc = object->doc;
  *parameters = (dsm__json_parameters){.list = dsm__json_member(object, "parameters")};
  doc->parameters = parameters;
  if (!dsm__json_is_present(&parameters->list)) {
    return;
  }
  if (!dsm__json_is_object(&parameters->list)) {
    char found[DSM_NAME_BYTES_MAX];
    dsm__json_error(&parameters->list, NULL, "expected an object of names and numbers, found %s",
                    dsm__json_found(&parameters->list, found, sizeof found));
    parameters->is_wrong = true;
    return;
  }
  const size_t count = count_members(&parameters->list);
  parameters->items = dsm__arena_array(doc->arena, count, sizeof parameters->items[0]);
  if (dsm__json_lacks_memory(doc, parameters->items == NULL)) {
    return;
  }
  read_names(parameters);
}

/* ---- values ---- */

bool dsm__json_is_expression(const dsm__json_node *node) {
  const char *const text = dsm__json_text(node);
  return text != NULL && node->doc->parameters != NULL && dsm__is_expression(text);
}

const char *dsm__json_expression_hint(const dsm__json_node *node) {
  static const char parts[] = "+-*/()_ 0123456789"
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const char *const text = dsm__json_text(node);
  const dsm__json_parameters *const parameters = node->doc->parameters;
  if (text == NULL || parameters == NULL || text[strspn(text, parts)] != '\0') {
    return NULL;
  }
  const bool is_computed = strpbrk(text, "+-*/(") != NULL;
  const bool is_parameter =
      parameters->count > 0 && bsearch(text, parameters->items, parameters->count,
                                       sizeof parameters->items[0], compare_name) != NULL;
  return is_computed || is_parameter ? "an expression begins with \"=\"" : NULL;
}

static void read_parameter(dsm__parameter *parameter) {
  parameter->state = DSM__PARAMETER_BEING_READ;
  const bool is_good = dsm__json_u64(&parameter->node, 0, DSM_PRODUCT_MAX, &parameter->value);
  parameter->state = is_good ? DSM__PARAMETER_KNOWN : DSM__PARAMETER_WRONG;
}

static bool fail(dsm__expression_flaw *flaw, const char *expected, const char *name) {
  (void)snprintf(flaw->message, sizeof flaw->message, "expected %s, found \"%s\"", expected, name);
  return false;
}

static bool find_value(void *context, const char *name, double *value, dsm__expression_flaw *flaw) {
  dsm__json_parameters *const parameters = context;
  dsm__parameter *const found = parameters->count == 0
                                    ? NULL
                                    : bsearch(name, parameters->items, parameters->count,
                                              sizeof parameters->items[0], compare_name);
  if (found == NULL && parameters->is_wrong) {
    return false;
  }
  if (found == NULL) {
    hint_name(parameters, name, flaw->hint, sizeof flaw->hint);
    return fail(flaw, "a parameter", name);
  }
  if (found->state == DSM__PARAMETER_BEING_READ) {
    return fail(flaw, "a parameter that does not depend on itself", name);
  }
  if (found->state == DSM__PARAMETER_UNREAD && parameters->depth == DEPTH_MAX) {
    return fail(flaw, "fewer parameters that build on each other", name);
  }
  if (found->state == DSM__PARAMETER_UNREAD) {
    parameters->depth++;
    read_parameter(found);
    parameters->depth--;
  }
  *value = (double)found->value;
  return found->state == DSM__PARAMETER_KNOWN;
}

static void remember(const dsm__json_node *node, int64_t value) {
  dsm__json_doc *const doc = node->doc;
  if (!DSM__LIST_PUSH_IN(&doc->parameters->evaluated, doc->arena,
                         (dsm__evaluated){node->item, value})) {
    dsm__json_set_out_of_memory(doc);
  }
}

bool dsm__json_evaluate(const dsm__json_node *node, int64_t *value) {
  const char *const text = dsm__json_text(node);
  dsm__expression_flaw flaw;
  double number = 0;
  if (dsm__expression_value(text, DSM__EXPRESSION_WHOLE, find_value, node->doc->parameters, &number,
                            &flaw)) {
    *value = (int64_t)number;
    remember(node, *value);
    return true;
  }
  if (flaw.message[0] == '\0') { /* a parameter is wrong, which was reported there */
    node->doc->error_count++;
    return false;
  }
  char shown[DSM_NAME_BYTES_MAX];
  dsm__json_quote(shown, sizeof shown, "", text);
  dsm__json_error(node, flaw.hint, "in %s: %s", shown, flaw.message);
  return false;
}

/* ---- findings ---- */

/* Appends what a single node is, where it is an expression that was read. */
static void append_value(const dsm__json_parameters *parameters, const cJSON *item, char *text,
                         size_t size) {
  for (size_t i = parameters->evaluated.count; i-- > 0;) {
    const dsm__evaluated *const each = &parameters->evaluated.items[i];
    if (each->item == item) {
      const size_t used = strlen(text);
      char shown[DSM_NAME_BYTES_MAX];
      dsm__json_quote(shown, sizeof shown, "", item->valuestring);
      (void)snprintf(text + used, size - used, "%s%s is %" PRId64, used > 0 ? "; " : "", shown,
                     each->value);
      return;
    }
  }
}

void dsm__json_append_evaluated(const dsm__json_node *node, char *text, size_t size) {
  const dsm__json_parameters *const parameters = node->doc->parameters;
  if (parameters == NULL || node->item == NULL) {
    return;
  }
  append_value(parameters, node->item, text, size);
  const cJSON *each = dsm__json_is_list(node) ? node->item->child : NULL;
  for (; each != NULL; each = each->next) {
    append_value(parameters, each, text, size);
  }
}

/* A parameter that an override sets and that nothing reads is a slip of whoever set it. */
static void report_unread(const dsm__json_parameters *parameters, const dsm__parameter *unread) {
  if (dsm__json_is_overridden(&unread->node)) {
    refuse_name(parameters, &unread->node, "a parameter that something reads");
  } else {
    dsm__json_warning(&unread->node, NULL, "nothing reads the parameter \"%s\"", unread->name);
  }
}

void dsm__json_parameters_close(dsm__json_parameters *parameters) {
  dsm__json_doc *const doc = parameters->list.doc;
  const bool is_all_read = dsm__json_doc_error_count(doc) == 0;
  for (size_t i = 0; i < parameters->count && is_all_read; i++) {
    if (parameters->items[i].state == DSM__PARAMETER_UNREAD) {
      report_unread(parameters, &parameters->items[i]);
    }
  }
  for (size_t i = 0; i < parameters->count; i++) {
    if (parameters->items[i].state == DSM__PARAMETER_UNREAD) {
      read_parameter(&parameters->items[i]);
    }
  }
  doc->parameters = NULL;
}
