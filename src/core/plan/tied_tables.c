/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/tied_tables.h"

#include <string.h>

#include "plan/step_stages.h"

bool dsm__has_tied_layers(const dsm_workload *workload) {
  bool is_any = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any = is_any || workload->layers[i].is_tied;
  }
  return is_any;
}

size_t dsm__tie_owner(const dsm_workload *workload, size_t index) {
  const dsm_layer *const layer = &workload->layers[index];
  const char *const name = layer->is_tied ? workload->specs[layer->spec_index].tied_to : NULL;
  size_t owner = 0;
  while (name != NULL && owner < workload->layer_count &&
         strcmp(workload->specs[workload->layers[owner].spec_index].name, name) != 0) {
    owner++;
  }
  return name == NULL || owner == workload->layer_count ? SIZE_MAX : owner;
}

/* Rows of a table of words, or of the weights of an fc. */
static uint64_t rows_of(const dsm_layer_spec *spec) {
  return spec->type == DSM_LAYER_EMBEDDING ? spec->vocabulary : spec->in;
}

/* Rows are an fc's inputs, and what an embedding cuts where it cuts inputs. Of a square table the
 * words of the embedding are the outputs of the fc. */
static bool is_seen_transposed(const dsm_layer_spec *owner, const dsm_layer_spec *tied) {
  return rows_of(owner) == tied->out &&
         (owner->type != tied->type || rows_of(owner) != rows_of(tied));
}

dsm__table_cut dsm__owner_cut_seen(const dsm_workload *workload, size_t owner, size_t index,
                                   dsm__table_cut cut) {
  const dsm_layer_spec *const of = &workload->specs[workload->layers[owner].spec_index];
  const dsm_layer_spec *const by = &workload->specs[workload->layers[index].spec_index];
  return is_seen_transposed(of, by) ? dsm__table_transposed(cut) : cut;
}

static bool is_pipelined(const dsm__decisions *decisions, size_t index) {
  bool is_any = false;
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    const dsm__pipeline_decision *const group = &decisions->pipelines[g];
    is_any =
        is_any || (index >= group->first_layer && index < group->first_layer + group->layer_count);
  }
  return is_any;
}

dsm__table_cut dsm__owner_cut_of(const dsm_workload *workload, const dsm_machine *machine,
                                 const dsm__decisions *decisions, size_t index) {
  const size_t owner = workload->layers[index].is_tied ? dsm__tie_owner(workload, index) : SIZE_MAX;
  if (owner == SIZE_MAX || dsm__is_tied_apart(workload, &decisions->stages, index) ||
      is_pipelined(decisions, owner) || is_pipelined(decisions, index)) {
    return (dsm__table_cut){.is_known = false};
  }
  const dsm__table_cut cut =
      dsm__table_cut_of(&workload->layers[owner], machine, &decisions->layers[owner].layouts);
  return dsm__owner_cut_seen(workload, owner, index, cut);
}
