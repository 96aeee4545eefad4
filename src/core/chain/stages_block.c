/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_block.c: stages that are told as operations: names become tensors. */
#include "chain/stages_block.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

/* The operation of a name among the first ones; `count` if there is none. */
static size_t find(const dsm__stages_entry *entry, size_t count, const char *name) {
  size_t i = 0;
  while (i < count && strcmp(entry->operations[i].name, name) != 0) {
    i++;
  }
  return i;
}

static void complain_of_name(const dsm__json_node *item, const dsm__stages_entry *entry,
                             size_t count, const char *name) {
  const char *words[DSM_REMAT_OPERATIONS_MAX + 1] = {DSM__STAGES_INPUT};
  char hint[256];
  for (size_t i = 0; i < count; i++) {
    words[i + 1] = entry->operations[i].name;
  }
  (void)dsm__nearest_hint(name, words, count + 1, hint, sizeof hint);
  dsm__json_error(item, hint, "expected \"%s\" or an operation before, found \"%s\"",
                  DSM__STAGES_INPUT, name);
}

static void check_names(const dsm__json_node *operation, const char *key,
                        const dsm__stages_entry *entry, size_t count,
                        const dsm__stages_names *names) {
  const dsm__json_node list = dsm__json_member(operation, key);
  for (size_t i = 0; i < names->count; i++) {
    const dsm__json_node item = dsm__json_item(&list, i);
    if (strcmp(names->items[i], DSM__STAGES_INPUT) != 0 &&
        find(entry, count, names->items[i]) == count) {
      complain_of_name(&item, entry, count, names->items[i]);
    }
  }
}

static void check_own_name(const dsm__json_node *item, const dsm__stages_entry *entry, size_t i) {
  const dsm__json_node name = dsm__json_member(item, "name");
  if (strcmp(entry->operations[i].name, DSM__STAGES_INPUT) == 0) {
    dsm__json_error(&name, NULL, "expected another name than \"%s\", which is the stage's input",
                    DSM__STAGES_INPUT);
  } else if (find(entry, i, entry->operations[i].name) < i) {
    dsm__json_error(&name, NULL, "expected names that differ, found \"%s\" again",
                    entry->operations[i].name);
  }
}

/* ---- tensors ---- */

/* What an operation reads. */
typedef struct reads {
  dsm__tensors tensors;
  bool is_input;
} reads;

static reads tensors_of(const dsm__stages_entry *entry, size_t count,
                        const dsm__stages_names *names) {
  reads all = {0};
  for (size_t i = 0; i < names->count; i++) {
    const size_t found = find(entry, count, names->items[i]);
    all.is_input = all.is_input || found == count;
    all.tensors |= found == count ? 0 : dsm__tensor(found);
  }
  return all;
}

static reads inputs_of(const dsm__stages_entry *entry, size_t i) {
  const dsm__stages_names *const names = &entry->operations[i].inputs;
  if (names->items != NULL) {
    return tensors_of(entry, i, names);
  }
  return i == 0 ? (reads){.is_input = true} : (reads){.tensors = dsm__tensor(i - 1)};
}

static dsm__remat_operation operation_of(const dsm__stages_entry *entry, size_t i) {
  const dsm__stages_operation *const from = &entry->operations[i];
  const reads inputs = inputs_of(entry, i);
  return (dsm__remat_operation){
      .name = from->name,
      .forward_seconds = from->forward_seconds,
      .backward_seconds = from->backward_seconds,
      .bytes = from->bytes,
      .error_bytes = isfinite(from->error_bytes) ? from->error_bytes : from->bytes,
      .temporary_bytes = from->temporary_bytes,
      .inputs = inputs.tensors,
      .reads_input = inputs.is_input,
      .needs = from->needs.items != NULL ? tensors_of(entry, i + 1, &from->needs).tensors
                                         : inputs.tensors | dsm__tensor(i)};
}

void dsm__stages_check_operations(const dsm__json_node *list, const dsm__stages_entry *entry) {
  const size_t errors_before = dsm__json_doc_error_count(list->doc);
  dsm__tensors read = dsm__tensor(entry->operation_count - 1);
  for (size_t i = 0; i < entry->operation_count; i++) {
    const dsm__json_node item = dsm__json_item(list, i);
    check_own_name(&item, entry, i);
    check_names(&item, "inputs", entry, i, &entry->operations[i].inputs);
    check_names(&item, "backward_needs", entry, i + 1, &entry->operations[i].needs);
    read |= inputs_of(entry, i).tensors;
  }
  for (size_t i = 0;
       i < entry->operation_count && dsm__json_doc_error_count(list->doc) == errors_before; i++) {
    const dsm__json_node item = dsm__json_item(list, i);
    if ((read & dsm__tensor(i)) == 0) {
      dsm__json_error(&item, NULL,
                      "expected an operation that a later one reads, or the last one, found \"%s\"",
                      entry->operations[i].name);
    }
  }
}

/* ---- options ---- */

/* A stage that was made. */
struct dsm__stages_made {
  dsm__remat_block block;
  dsm_remat_stage stage;
};

static bool operations_agree(const dsm__remat_operation *a, const dsm__remat_operation *b) {
  return strcmp(a->name, b->name) == 0 && a->forward_seconds == b->forward_seconds &&
         a->backward_seconds == b->backward_seconds && a->bytes == b->bytes &&
         a->error_bytes == b->error_bytes && a->temporary_bytes == b->temporary_bytes &&
         a->inputs == b->inputs && a->reads_input == b->reads_input && a->needs == b->needs;
}

static bool blocks_agree(const dsm__remat_block *a, const dsm__remat_block *b) {
  bool agree = a->count == b->count && a->input_error_bytes == b->input_error_bytes;
  for (size_t i = 0; agree && i < a->count; i++) {
    agree = operations_agree(&a->operations[i], &b->operations[i]);
  }
  return agree;
}

/* Equal stages may differ in what stands before the first of them: two of each entry. */
bool dsm__stages_blocks_begin(dsm__stages_blocks *blocks, const dsm__stages_document *stages) {
  size_t count = 0;
  for (size_t i = 0; i < stages->entry_count; i++) {
    count += stages->entries[i].operation_count == 0 ? 0 : stages->entries[i].count > 1 ? 2 : 1;
  }
  blocks->work = DSM__REMAT_BLOCK_WORK / (double)(count == 0 ? 1 : count);
  return DSM__RESERVE(blocks->arena, blocks->items, count);
}

bool dsm__stages_block_stage(dsm__stages_blocks *blocks, const dsm__stages_entry *entry,
                             double error_before, dsm_remat_stage *stage) {
  dsm__remat_operation *operations = NULL;
  if (!DSM__RESERVE(blocks->arena, operations, entry->operation_count)) {
    return false;
  }
  for (size_t i = 0; i < entry->operation_count; i++) {
    operations[i] = operation_of(entry, i);
  }
  const dsm__remat_block block = {operations, entry->operation_count, error_before};
  for (size_t i = 0; i < blocks->count; i++) {
    if (blocks_agree(&blocks->items[i].block, &block)) {
      *stage = blocks->items[i].stage;
      return true;
    }
  }
  if (!dsm__remat_block_options(&block, blocks->work, stage, blocks->arena)) {
    return false;
  }
  blocks->items[blocks->count].block = block;
  blocks->items[blocks->count++].stage = *stage;
  return true;
}
