/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "report/data/export_target.h"
#include "report/data/records.h"

static const dsm__exporter targets[] = {
    [DSM_EXPORT_ASTRA_SIM] = {.can_express = dsm__astra_sim_can_express,
                              .files = {{"workload.txt", dsm__astra_sim_write_workload},
                                        {"network.yml", dsm__astra_sim_write_network}}},
    [DSM_EXPORT_CHAKRA] = {.can_express = dsm__astra_sim_can_express,
                           .files = {{"step.0.et", dsm__chakra_write_trace},
                                     {"network.yml", dsm__astra_sim_write_network}}},
    [DSM_EXPORT_STAGES] = {.can_express = NULL}, /* of partitions */
};
_Static_assert(DSM__COUNT_OF(targets) == DSM_EXPORT_TARGET_COUNT, "a row for each target");

static const dsm__word target_words[] = {[DSM_EXPORT_ASTRA_SIM].key = "astra-sim",
                                         [DSM_EXPORT_CHAKRA].key = "chakra",
                                         [DSM_EXPORT_STAGES].key = "stages"};
DSM__NAMED_WORDS(dsm__export_target_words, "target of exports", target_words,
                 DSM_EXPORT_TARGET_COUNT, dsm_export_target, dsm_export_target_name);
DSM__PARSED_WORDS(dsm__export_target_words, dsm_export_target, dsm_export_target_parse);

/* A file, in the arena; no text if out of memory. */
static dsm_named_text text_of(const dsm__export_file *file, const dsm_plan *plan,
                              dsm__arena *arena) {
  dsm__text_buffer out = {0};
  file->write(&out, plan);
  const dsm_named_text text = {
      .name = file->name,
      .text =
          out.failed || out.text == NULL ? NULL : dsm__arena_strndup(arena, out.text, out.length),
      .length = out.length,
  };
  dsm__text_fini(&out);
  return text;
}

dsm_status dsm_export_plan(dsm_export **made, const dsm_plan *plan, dsm_export_target target,
                           dsm_diags *diags) {
  *made = NULL;
  const dsm__exporter *const row = &targets[target];
  if (row->can_express == NULL) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected a plan of dsm partition for %s",
                       dsm_export_target_name(target));
  }
  if (!row->can_express(plan, diags)) {
    return DSM_ERROR_INFEASIBLE;
  }
  dsm_export *const out = DSM__ARENA_OWNER(dsm_export);
  if (out == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < DSM_EXPORT_FILES_MAX && row->files[i].name != NULL; i++) {
    out->files[i] = text_of(&row->files[i], plan, out->arena);
    if (out->files[i].text == NULL) {
      dsm_export_free(out);
      return dsm__out_of_memory(diags);
    }
    out->file_count = i + 1;
  }
  *made = out;
  return DSM_OK;
}

void dsm_export_free(dsm_export *made) {
  if (made != NULL) {
    dsm__arena_free(made->arena);
  }
}
