/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hub.c: which family a configuration is of, and what all of them have. */
#include "import/hub/hub.h"

#include <string.h>

#include "import/json_file.h"
#include "workload/name_index.h"

/* The families, by "model_type": how each writes itself, the end where no class is named, and its
 * classes, in the order of their ends. */
static const char types[] = "bert, gpt2, gpt_neox, llama, mistral, mixtral, qwen2, t5, vit";
static const struct {
  void (*put)(const dsm__hub *hub);
  dsm__hub_end fallback;
  const char *classes;
} families[] = {
    {dsm__hub_write_bert, DSM__HUB_BASE,
     "BertModel, BertForMaskedLM, BertForSequenceClassification"},
    {dsm__hub_write_gpt2, DSM__HUB_MAIN,
     "GPT2Model, GPT2LMHeadModel, GPT2ForSequenceClassification"},
#define FAMILY(put, name)                                                                          \
  { put, DSM__HUB_MAIN, name "Model, " name "ForCausalLM, " name "ForSequenceClassification" }
    FAMILY(dsm__hub_write_gpt_neox, "GPTNeoX"),
    FAMILY(dsm__hub_write_llama, "Llama"),
    FAMILY(dsm__hub_write_mistral, "Mistral"),
    FAMILY(dsm__hub_write_mixtral, "Mixtral"),
    FAMILY(dsm__hub_write_qwen2, "Qwen2"),
    {dsm__hub_write_t5, DSM__HUB_MAIN, "T5EncoderModel, T5ForConditionalGeneration"},
    {dsm__hub_write_vit, DSM__HUB_BASE, "ViTModel, ViTForImageClassification"},
};

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

/* What the first of the architectures ends with. False, reported, where that is not known. */
static bool read_end(dsm__hub *hub, size_t family) {
  const dsm__json_node list = dsm__json_member(hub->config, "architectures");
  const dsm__json_node first = dsm__json_item(&list, 0);
  size_t end = families[family].fallback;
  size_t count = 0;
  if (!dsm__json_is_present(&list) || dsm__json_is_null(&list)) {
    dsm__import_note(hub->import, &list, "the file names no class, so the %s of %s is built",
                     end == DSM__HUB_BASE ? "first" : "second", families[family].classes);
  } else if (!dsm__json_array(&list, 1, 1, &count) ||
             !read_name(&first, families[family].classes, &end)) {
    return false;
  }
  hub->end = (dsm__hub_end)end;
  return true;
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
  const dsm__json_node node = dsm__json_member(hub->config, "_name_or_path");
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

static void write(dsm__import *import, dsm__json_writer *writer) {
  dsm__hub hub = {.import = import, .config = &import->root, .writer = writer};
  const dsm__json_node type = dsm__json_member(&import->root, "model_type");
  size_t family = 0;
  if (!dsm__json_require(&type, "the family of the model, which old "
                                "ones leave out (\"bert\" of BERT)") ||
      !read_name(&type, types, &family) || !read_end(&hub, family)) {
    return;
  }
  dsm__import_begin_workload(import, writer, name_of(&hub, dsm__json_text(&type)),
                             "config.json of a hub of models (transformers)");
  dsm__json_put_string(writer, "optimizer", dsm_optimizer_name(DSM_OPTIMIZER_ADAM_MIXED));
  if (!import->options->is_strict) { /* an assumption, and no approximation */
    dsm__import_note(import, &type,
                     "training is with adam_mixed, unless workload.optimizer says otherwise");
  }
  families[family].put(&hub);
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__hub_reader = {
    .word = "hub_config",
    .help = "configuration of a hub of models (config.json of transformers)",
    .is_json = true,
    .recognise = recognise,
    .write = write,
};

void dsm__hub_blocks_parameter(const dsm__hub *hub, uint64_t blocks) {
  if (hub->end != DSM__HUB_BASE || blocks > 1) {
    dsm__hub_parameter(hub, "blocks", blocks);
  }
}

void dsm__hub_decoder_write(const dsm__hub *hub, uint64_t blocks, const char *norm,
                            dsm__hub_layers *put, const void *of) {
  const bool is_base = hub->end == DSM__HUB_BASE;
  if (!is_base || blocks > 1) {
    dsm__hub_begin_block(hub, "decoder", is_base ? "=blocks-1" : "=blocks");
    put(hub, of, NULL);
    dsm__hub_end_block(hub);
  }
  if (is_base) {
    dsm__hub_begin_block(hub, "decoder_end", NULL);
    put(hub, of, norm);
    dsm__hub_end_block(hub);
  }
}

void dsm__hub_head_write(const dsm__hub *hub, const char *norm, bool is_tied) {
  const bool shares = dsm__hub_flag(hub, "tie_word_embeddings", is_tied);
  const bool has_words = hub->end == DSM__HUB_MAIN;
  if (hub->end != DSM__HUB_BASE) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = has_words ? "head" : "classifier",
                                          .in = "=hidden",
                                          .out = has_words ? "=vocabulary" : "=classes",
                                          .input_norm = norm,
                                          .tied_to = has_words && shares ? "tokens" : NULL});
  }
}
