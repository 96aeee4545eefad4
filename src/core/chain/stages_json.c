/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_json.c: the format "dsm-stages/1". */
#include <math.h>
#include <string.h>

#include "chain/stages_block.h"
#include "chain/stages_record.h"
#include "dsm/limits.h"
#include "plan/plan_record.h"

enum { NUMBER_BYTES_MAX = 5 }; /* of equal stages: "_2000" */

/* What is being read. */
typedef struct stages_reader {
  dsm_remat_chain *chain;
  dsm__stages_document stages;
} stages_reader;

/* ---- stages with options ---- */

static void check_options(const dsm__json_node *item, const dsm__stages_entry *entry) {
  const dsm__json_node output = dsm__json_member(item, "output_bytes");
  const dsm__json_node list = dsm__json_member(item, "options");
  if (!dsm__json_require(&output, "the size of the stage's output")) {
    return;
  }
  for (size_t k = 0; k < entry->option_count; k++) {
    const dsm__json_node option = dsm__json_item(&list, k);
    const dsm__json_node saved = dsm__json_member(&option, "saved_bytes");
    if (entry->options[k].saved_bytes < entry->output_bytes) {
      dsm__json_error(&saved, NULL, "expected at least output_bytes, %.17g, found %.17g",
                      entry->output_bytes, entry->options[k].saved_bytes);
    }
  }
}

/* ---- stages with operations ---- */

/* What follows of operations is not said beside them. */
static void refuse_beside_operations(const dsm__json_node *item) {
  static const char *const keys[] = {"options", "output_bytes", "error_bytes", "forward_seconds",
                                     "temporary_bytes"};
  for (size_t i = 0; i < DSM__COUNT_OF(keys); i++) {
    const dsm__json_node member = dsm__json_member(item, keys[i]);
    if (dsm__json_is_present(&member)) {
      dsm__json_error(&member, NULL, "expected no %s beside operations, of which it follows",
                      keys[i]);
    }
  }
}

/* ---- stages ---- */

static void check_stage(const dsm__json_node *item, const dsm__stages_entry *entry) {
  const dsm__json_node name = dsm__json_member(item, "name");
  const dsm__json_node operations = dsm__json_member(item, "operations");
  const dsm__json_node options = dsm__json_member(item, "options");
  if (entry->count > 1 && strlen(entry->name) > DSM__GROUP_NAME_BYTES_MAX - NUMBER_BYTES_MAX) {
    dsm__json_error(&name, NULL, "expected a name with room for the number behind it, found \"%s\"",
                    entry->name);
  }
  if (dsm__json_is_present(&operations)) {
    refuse_beside_operations(item);
    dsm__stages_check_operations(&operations, entry);
  } else if (dsm__json_require(&options, "a list of options, or of operations")) {
    check_options(item, entry);
  }
}

/* How many stages there are in all; too many are reported. */
static size_t count_stages(const stages_reader *reader, const dsm__json_node *list) {
  uint64_t count = 0;
  for (size_t i = 0; i < reader->stages.entry_count; i++) {
    count += reader->stages.entries[i].count;
    if (count > DSM_REMAT_STAGES_MAX) {
      const dsm__json_node item = dsm__json_item(list, i);
      dsm__json_error(&item, NULL, "expected at most %d stages in all, found more",
                      DSM_REMAT_STAGES_MAX);
      return 0;
    }
  }
  return (size_t)count;
}

/* ---- the chain ---- */

static dsm_remat_stage stage_of(const dsm__stages_entry *entry) {
  return (dsm_remat_stage){
      .output_bytes = entry->output_bytes,
      .error_bytes = isfinite(entry->error_bytes) ? entry->error_bytes : entry->output_bytes,
      .forward_seconds = isfinite(entry->forward_seconds) ? entry->forward_seconds
                                                          : entry->options[0].forward_seconds,
      .temporary_bytes = entry->temporary_bytes,
      .options = entry->options,
      .option_count = entry->option_count};
}

/* The stages of an entry, from place `at` on. */
static bool add_stages(stages_reader *reader, dsm__stages_blocks *blocks, dsm_remat_stage *stages,
                       size_t at, const dsm__stages_entry *entry) {
  for (size_t i = 0; i < entry->count; i++, at++) {
    const double error_before =
        at == 0 ? reader->stages.input_error_bytes : stages[at - 1].error_bytes;
    dsm_remat_stage *const stage = &stages[at];
    if (entry->operation_count == 0) {
      *stage = stage_of(entry);
    } else if (!dsm__stages_block_stage(blocks, entry, error_before, stage)) {
      return false;
    }
    stage->is_recomputable = entry->is_recomputable;
    stage->name = entry->count == 1
                      ? entry->name
                      : dsm__arena_printf(reader->chain->arena, "%s_%zu", entry->name, i + 1);
    if (stage->name == NULL) {
      return false;
    }
  }
  return true;
}

static bool make_chain(stages_reader *reader, size_t stage_count) {
  dsm_remat_chain *const chain = reader->chain;
  dsm_remat_stage *stages = NULL;
  dsm__stages_blocks blocks = {.arena = chain->arena};
  bool is_made = DSM__RESERVE(chain->arena, stages, stage_count) &&
                 dsm__stages_blocks_begin(&blocks, &reader->stages);
  size_t at = 0;
  for (size_t i = 0; is_made && i < reader->stages.entry_count; i++) {
    const dsm__stages_entry *const entry = &reader->stages.entries[i];
    is_made = add_stages(reader, &blocks, stages, at, entry);
    at += (size_t)entry->count;
  }
  const dsm__stages_document *const from = &reader->stages;
  dsm__arena *const arena = chain->arena;
  *chain = (dsm_remat_chain){.name = from->name,
                             .source = from->source,
                             .minibatch = from->minibatch,
                             .input_bytes = from->input_bytes,
                             .input_error_bytes = from->input_error_bytes,
                             .budget_bytes = isfinite(from->budget_bytes) ? from->budget_bytes : 0,
                             .link_bytes_per_second = from->link_bytes_per_second,
                             .stages = stages,
                             .stage_count = stage_count,
                             .arena = arena};
  return is_made;
}

static void read_stages(dsm_remat_chain *chain, const dsm__json_node *root) {
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  const dsm__record_reader records = {.arena = chain->arena, .wanted = DSM__FIELD_IS_READ};
  const dsm__json_node list = dsm__json_member(root, "stages");
  stages_reader reader = {.chain = chain};
  if (!dsm__document_only(root, &dsm__stages_record) ||
      !dsm__record_read(&records, root, &dsm__stages_record, &reader.stages)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < reader.stages.entry_count; i++, item = dsm__json_next(&item)) {
    check_stage(&item, &reader.stages.entries[i]);
  }
  if (dsm__json_doc_error_count(root->doc) != errors_before) {
    return;
  }
  const size_t stage_count = count_stages(&reader, &list);
  if (stage_count > 0 && !make_chain(&reader, stage_count)) {
    dsm__json_set_out_of_memory(root->doc);
  }
}

DSM__DESCRIPTION(dsm__stages_description, STAGES, "dsm-stages/1", dsm_remat_chain,
                 dsm__remat_chain_new, read_stages, dsm_remat_chain_free);
DSM__DESCRIPTION_READERS(dsm__stages_description, dsm_remat_chain, dsm_remat_chain_parse,
                         dsm_remat_chain_load);

/* ---- written ---- */

static dsm__stages_entry entry_of(const dsm_remat_stage *stage) {
  return (dsm__stages_entry){.name = stage->name,
                             .count = 1,
                             .output_bytes = stage->output_bytes,
                             .error_bytes = stage->error_bytes,
                             .forward_seconds = stage->forward_seconds,
                             .temporary_bytes = stage->temporary_bytes,
                             .is_recomputable = stage->is_recomputable,
                             .options = stage->options,
                             .option_count = stage->option_count};
}

char *dsm_remat_chain_print(const dsm_remat_chain *chain) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__stages_entry *entries = NULL;
  dsm__text_buffer out = {0};
  if (DSM__RESERVE(arena, entries, chain->stage_count)) {
    for (size_t s = 0; s < chain->stage_count; s++) {
      entries[s] = entry_of(&chain->stages[s]);
    }
    const dsm__stages_document stages = {
        .name = chain->name,
        .source = chain->source,
        .minibatch = chain->minibatch,
        .input_bytes = chain->input_bytes,
        .input_error_bytes = chain->input_error_bytes,
        .budget_bytes = chain->budget_bytes > 0 ? chain->budget_bytes : HUGE_VAL,
        .link_bytes_per_second = chain->link_bytes_per_second,
        .entries = entries,
        .entry_count = chain->stage_count};
    dsm__json_writer writer = {.out = &out};
    dsm__record_write(&writer, &dsm__stages_record, &stages);
    dsm__json_finish(&writer);
  } else {
    out.failed = true;
  }
  dsm__arena_free(arena);
  return dsm__text_finish(&out);
}
