/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hub.c: which family a configuration is of, and what all of them have. */
#include "import/hub/hub.h"

#include <string.h>

#include "import/json_file.h"
#include "workload/name_index.h"

/* The families, by "model_type". */
static const dsm__word family_words[] = {
    {.key = "bert"},    {.key = "gpt2"},  {.key = "gpt_neox"}, {.key = "llama"}, {.key = "mistral"},
    {.key = "mixtral"}, {.key = "qwen2"}, {.key = "t5"},       {.key = "vit"},
};
static const dsm__words family_names = {
    .what = "model type", .items = family_words, .count = DSM__COUNT_OF(family_words)};

static void (*const writers[])(const dsm__hub *hub) = {
    dsm__hub_write_bert,  dsm__hub_write_gpt2,    dsm__hub_write_gpt_neox,
    dsm__hub_write_llama, dsm__hub_write_mistral, dsm__hub_write_mixtral,
    dsm__hub_write_qwen2, dsm__hub_write_t5,      dsm__hub_write_vit,
};
_Static_assert(DSM__COUNT_OF(writers) == DSM__COUNT_OF(family_words), "each family has a writer");

static bool recognise(const char *bytes, size_t length, const char *file) {
  static const char *const keys[] = {"model_type"};
  (void)file;
  return dsm__import_has_members(bytes, length, keys, DSM__COUNT_OF(keys));
}

/* What the configuration calls itself, without the name of its owner; or what its file is called,
 * unless that is what all of them are called. */
static const char *name_of(const dsm__hub *hub, size_t family) {
  const dsm__json_node node = dsm__json_member(hub->config, "_name_or_path");
  const char *const text = dsm__json_text(&node);
  const char *const slash = text == NULL ? NULL : strrchr(text, '/');
  const char *const name = slash == NULL ? text : slash + 1;
  if (name != NULL && dsm__is_plain_name(name)) {
    return name;
  }
  const char *const stem = dsm__import_file_stem(hub->import);
  const bool is_own = strcmp(stem, "config") != 0 && strcmp(stem, "network") != 0;
  return is_own ? stem : family_words[family].key;
}

static void write(dsm__import *import, dsm__json_writer *writer) {
  const dsm__hub hub = {.import = import, .config = &import->root, .writer = writer};
  const dsm__json_node type = dsm__json_member(&import->root, "model_type");
  size_t family = 0;
  if (!dsm__json_require(&type, "the family of the model") ||
      !dsm__json_enum(&type, &family_names, &family)) {
    return;
  }
  dsm__import_begin_workload(import, writer, name_of(&hub, family),
                             "config.json of a hub of models (transformers)");
  dsm__json_put_string(writer, "optimizer", dsm_optimizer_name(DSM_OPTIMIZER_ADAM_MIXED));
  if (!import->options->is_strict) { /* an assumption, and no approximation */
    dsm__import_note(import, &type,
                     "is trained with adam_mixed, unless workload.optimizer says otherwise");
  }
  writers[family](&hub);
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__hub_reader = {
    .word = "hub_config",
    .help = "configuration of a hub of models (config.json of transformers)",
    .is_json = true,
    .recognise = recognise,
    .write = write,
};

void dsm__hub_note_head(const dsm__hub *hub, const char *base, const char *what) {
  const dsm__json_node list = dsm__json_member(hub->config, "architectures");
  const char *const architecture = dsm__hub_architecture(hub);
  if (architecture[0] != '\0' && strcmp(architecture, base) != 0) {
    dsm__import_note(hub->import, &list, "the head of %.64s is left out: it is read as %s",
                     architecture, what);
  }
}

void dsm__hub_head_write(const dsm__hub *hub, const char *norm, bool is_tied) {
  const bool shares = dsm__hub_flag(hub, "tie_word_embeddings", is_tied);
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "head",
                                        .in = "=hidden",
                                        .out = "=vocabulary",
                                        .input_norm = norm,
                                        .tied_to = shares ? "tokens" : NULL});
}
