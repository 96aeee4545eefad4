/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hub.c: which family a configuration is of, and what all of them have. */
#include "import/hub/hub.h"

#include <stdio.h>
#include <string.h>

#include "import/json_file.h"
#include "workload/name_index.h"

enum { TYPES_BYTES = 1024, NAMES_BYTES = 1024 };

/* The place of a name in a list; false, reported: it is none of them. What is near one is another
 * network, so that none is suggested. */
static bool read_name(const dsm__json_node *node, const char *names, size_t *place) {
  const char *const text = dsm__json_text(node);
  char found[80];
  *place = 0;
  for (const char *at = names; text != NULL; at += 2, ++*place) {
    const size_t length = strcspn(at, ",");
    if (strlen(text) == length && strncmp(text, at, length) == 0) {
      return true;
    }
    at += length;
    if (*at == '\0') {
      break;
    }
  }
  dsm__json_error(node, NULL, "expected %s, found %s", names,
                  dsm__json_found(node, found, sizeof found));
  return false;
}

/* Of a class that the family does not have, as its name ends. */
static bool read_end_by_name(const dsm__json_node *node, size_t *end) {
  static const char *const ends[] = {
      [DSM__HUB_BASE] = "Model",
      [DSM__HUB_MAIN] = "ForCausalLM",
      [DSM__HUB_CLASSES] = "ForSequenceClassification",
  };
  const char *const text = dsm__json_text(node);
  for (size_t i = 0; text != NULL && i < DSM__COUNT_OF(ends); i++) {
    const size_t length = strlen(ends[i]);
    if (strlen(text) > length && strcmp(text + strlen(text) - length, ends[i]) == 0) {
      *end = i;
      return true;
    }
  }
  char found[80];
  dsm__json_error(node, NULL, "expected a class such as ...%s, found %s", ends[DSM__HUB_MAIN],
                  dsm__json_found(node, found, sizeof found));
  return false;
}

/* What the first of the architectures ends with. False, reported, where that is not known. */
static bool read_end(dsm__hub *hub) {
  const dsm__json_node list = dsm__hub_member(hub, "architectures");
  const dsm__json_node first = dsm__json_item(&list, 0);
  const char *const classes = hub->family->classes;
  size_t end = hub->family->builds_base ? DSM__HUB_BASE : DSM__HUB_MAIN;
  size_t count = 0;
  if (!dsm__json_is_present(&list) || dsm__json_is_null(&list)) {
    dsm__import_note(hub->import, &list, "the file names no class, so the %s of %s is built",
                     end == DSM__HUB_BASE ? "first" : "second", classes);
  } else if (!dsm__json_array(&list, 1, 1, &count) ||
             !(hub->reads != NULL ? read_end_by_name(&first, &end)
                                  : read_name(&first, classes, &end))) {
    return false;
  }
  hub->end = (dsm__hub_end)end;
  return true;
}

/* The row of a type; the count of them where there is none. */
static size_t find_family(const char *type) {
  size_t i = 0;
  while (i < dsm__hub_family_count && strcmp(dsm__hub_families[i].type, type) != 0) {
    i++;
  }
  return i;
}

/* By what is asked for, whatever the file says. */
static bool read_other_family(dsm__hub *hub, const char *as) {
  const size_t family = find_family(as);
  hub->family = &dsm__hub_families[family < dsm__hub_family_count ? family : 0];
  if (family == dsm__hub_family_count) {
    dsm__json_error(hub->config, NULL, "expected to read it as a type of its table, found \"%s\"",
                    as);
  }
  return family < dsm__hub_family_count;
}

static bool read_family(dsm__hub *hub, const dsm__json_node *type) {
  char types[TYPES_BYTES];
  size_t length = 0;
  size_t family = 0;
  for (size_t i = 0; i < dsm__hub_family_count; i++) {
    length += (size_t)snprintf(types + length, sizeof types - length, "%s%s", i == 0 ? "" : ", ",
                               dsm__hub_families[i].type);
  }
  const bool is_known = read_name(type, types, &family);
  hub->family = &dsm__hub_families[family];
  return is_known;
}

/* By the type; or by sizes of old configurations, which have none and are told so. */
static bool recognise(const char *bytes, size_t length, const char *file) {
  static const char *const keys[] = {"model_type"};
  static const char *const sizes[] = {"hidden_size", "num_attention_heads", "num_hidden_layers"};
  (void)file;
  return dsm__import_has_members(bytes, length, keys, DSM__COUNT_OF(keys)) ||
         dsm__import_has_members(bytes, length, sizes, DSM__COUNT_OF(sizes));
}

/* What the configuration calls itself, without the name of its owner; or what its file is called,
 * unless that is what all of them are called. */
static const char *name_of(const dsm__hub *hub, const char *type) {
  const dsm__json_node node = dsm__hub_member(hub, "_name_or_path");
  const char *const text = dsm__json_text(&node);
  const char *const slash = text == NULL ? NULL : strrchr(text, '/');
  const char *const name = slash == NULL ? text : slash + 1;
  if (name != NULL && dsm__is_plain_name(name)) {
    return name;
  }
  const char *const stem = dsm__import_file_stem(hub->import);
  const bool is_own = strcmp(stem, "config") != 0 && strcmp(stem, "network") != 0;
  return is_own ? stem : type;
}

/* Lists keys that a row of another type did not ask for. */
static void note_unread(const dsm__hub *hub) {
  char names[NAMES_BYTES] = "";
  size_t length = 0;
  size_t more = 0;
  for (dsm__json_node each = dsm__json_first_member(hub->config); dsm__json_is_present(&each);
       each = dsm__json_next(&each)) {
    const char *const key = dsm__json_key(&each);
    bool is_read = false;
    for (size_t i = 0; i < hub->reads->count; i++) {
      is_read = is_read || strcmp(hub->reads->keys[i], key) == 0;
    }
    if (!is_read && length + strlen(key) + 3 < sizeof names && dsm__is_plain_name(key)) {
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                 length == 0 ? "" : ", ", key);
    } else if (!is_read) {
      more++;
    }
  }
  char others[32] = "";
  if (more > 0) {
    (void)snprintf(others, sizeof others, " and %zu more", more);
  }
  dsm__import_note(hub->import, hub->config, "is read as %s; keys that are not read: %s%s",
                   hub->family->type, length == 0 ? "none" : names, others);
}

static void write(dsm__import *import, dsm__json_writer *writer) {
  const char *const as = import->options->as;
  dsm__hub_reads reads = {.count = 0};
  dsm__hub hub = {.import = import,
                  .config = &import->root,
                  .writer = writer,
                  .reads = as == NULL ? NULL : &reads};
  const dsm__json_node type = dsm__hub_member(&hub, "model_type");
  if (as == NULL && !dsm__json_require(&type, "the family of the model, which old "
                                              "ones leave out (\"bert\" of BERT)")) {
    return;
  }
  if (!(as == NULL ? read_family(&hub, &type) : read_other_family(&hub, as)) || !read_end(&hub)) {
    return;
  }
  const char *const type_text = dsm__json_text(&type);
  const bool is_named = type_text != NULL && dsm__is_plain_name(type_text);
  dsm__import_begin_workload(import, writer, name_of(&hub, is_named ? type_text : hub.family->type),
                             "config.json of a hub of models (transformers)");
  dsm__json_put_string(writer, "optimizer", dsm_optimizer_name(DSM_OPTIMIZER_ADAM_MIXED));
  if (!import->options->is_strict) { /* an assumption, and no approximation */
    dsm__import_note(import, &type,
                     "training is with adam_mixed, unless workload.optimizer says otherwise");
  }
  dsm__hub_refuse_flags(&hub);
  dsm__hub_note_left_out(&hub);
  dsm__hub_note_score_dropout(&hub, hub.family->score_dropout);
  hub.family->put == NULL ? dsm__hub_write_decoder(&hub) : hub.family->put(&hub);
  if (as != NULL) {
    note_unread(&hub);
  }
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__hub_reader = {
    .word = "hub_config",
    .help = "configuration of a hub of models (config.json of transformers)",
    .is_json = true,
    .recognise = recognise,
    .write = write,
};

void dsm__hub_head_write(const dsm__hub *hub) {
  const bool shares = dsm__hub_flag(hub, "tie_word_embeddings", hub->family->is_tied);
  const bool has_words = hub->end == DSM__HUB_MAIN;
  if (hub->end != DSM__HUB_BASE) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = has_words ? "head" : "classifier",
                                          .in = "=hidden",
                                          .out = has_words ? "=vocabulary" : "=classes",
                                          .input_norm = hub->family->norm,
                                          .tied_to = has_words && shares ? "tokens" : NULL,
                                          .has_bias = has_words && hub->family->has_head_bias});
  }
}
