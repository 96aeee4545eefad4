/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/companion.h"
#include "base/diag_add.h"
#include "export/target.h"
#include "report/data/export_files.h"

static const dsm__exporter targets[] = {
    [DSM_EXPORT_ASTRA_SIM] = {.can_express = dsm__astra_sim_can_express,
                              .files = {{"workload.txt", dsm__astra_sim_write_workload},
                                        {"network.yml", dsm__astra_sim_write_network}}},
    [DSM_EXPORT_CHAKRA] = {.can_express = dsm__astra_sim_can_express,
                           .files = {{"step.0.et", dsm__chakra_write_trace},
                                     {"network.yml", dsm__astra_sim_write_network}}},
    [DSM_EXPORT_STAGES] = {.can_express = NULL}, /* of partitions */
#define LAUNCH(of, file)                                                                           \
  {                                                                                                \
    .can_express = dsm__##of##_can_express, .files = {                                             \
      {file, dsm__##of##_write},                                                                   \
      {"notes.txt", dsm__##of##_write_notes}                                                       \
    }                                                                                              \
  }
    [DSM_EXPORT_MEGATRON] = LAUNCH(megatron, "megatron_args.txt"),
    [DSM_EXPORT_TORCHTITAN] = LAUNCH(torchtitan, "torchtitan.toml"),
    [DSM_EXPORT_DEEPSPEED] = LAUNCH(deepspeed, "ds_config.json"),
    [DSM_EXPORT_MAXTEXT] = LAUNCH(maxtext, "maxtext.yml"),
    [DSM_EXPORT_VLLM] = {.can_express = NULL}, /* of answers of serving */
    [DSM_EXPORT_TENSORRT_LLM] = {.can_express = NULL},
    [DSM_EXPORT_SGLANG] = {.can_express = NULL},
};
_Static_assert(DSM__COUNT_OF(targets) == DSM_EXPORT_TARGET_COUNT, "a row for each target");

static const dsm__word target_words[] = {[DSM_EXPORT_ASTRA_SIM].key = "astra-sim",
                                         [DSM_EXPORT_CHAKRA].key = "chakra",
                                         [DSM_EXPORT_STAGES].key = "stages",
                                         [DSM_EXPORT_MEGATRON].key = "megatron",
                                         [DSM_EXPORT_TORCHTITAN].key = "torchtitan",
                                         [DSM_EXPORT_DEEPSPEED].key = "deepspeed",
                                         [DSM_EXPORT_MAXTEXT].key = "maxtext",
                                         [DSM_EXPORT_VLLM].key = "vllm",
                                         [DSM_EXPORT_TENSORRT_LLM].key = "tensorrt-llm",
                                         [DSM_EXPORT_SGLANG].key = "sglang"};
static DSM__NAMED_WORDS(target_kinds, "target of exports", target_words, DSM_EXPORT_TARGET_COUNT,
                        dsm_export_target, dsm_export_target_name);
DSM__PARSED_WORDS(target_kinds, dsm_export_target, dsm_export_target_parse);

dsm_status dsm_export_plan(dsm_export **made, const dsm_plan *plan, dsm_export_target target,
                           dsm_diags *diags) {
  *made = NULL;
  const dsm__exporter *const row = &targets[target];
  if (row->can_express == NULL) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected %s for %s",
                       target == DSM_EXPORT_STAGES ? "a plan of dsm partition"
                                                   : "an answer of dsm serve",
                       dsm_export_target_name(target));
  }
  if (!row->can_express(plan, diags)) {
    return DSM_ERROR_INFEASIBLE;
  }
  dsm_export *const out = DSM__ARENA_OWNER(dsm_export);
  dsm_status status = out == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  for (size_t i = 0; i < DSM_EXPORT_FILES_MAX && row->files[i].name != NULL && status == DSM_OK;
       i++) {
    dsm__text_buffer text = {0};
    row->files[i].write(&text, plan);
    status = dsm__export_add(out, row->files[i].name, text.failed ? NULL : text.text, text.length,
                             diags);
    dsm__text_fini(&text);
  }
  return dsm__export_finish(made, out, status);
}

/* ---- for the tables of formats ---- */

static const dsm__words *const words[] = {&target_kinds};

const dsm__companion dsm__companion_export = {DSM__WORD_LISTS(words)};
