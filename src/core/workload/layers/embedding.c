/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * embedding.c: rows of a table, one for each of a sample's positions: nothing is multiplied, and of
 * the table no more is fetched than the rows that are asked for. A table of one row leaves nothing
 * to choose: whatever it reads, each position has this row; one of none has learned positions
 * alone.
 */
#include <string.h>

#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

static void read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node tied = dsm__json_member(node, "tied_to");
  spec->in = 1; /* a number of a row, at each position */
  dsm__positions_read(spec, node);
  dsm__json_optional_bool(node, "learned_positions", false, &spec->has_learned_positions);
  dsm__json_required_u64(node, "vocabulary", "the number of rows of the table",
                         spec->has_learned_positions ? 0 : 1, DSM_DIMENSION_MAX, &spec->vocabulary);
  if (dsm__json_is_present(&tied)) {
    dsm__json_string(&tied, 1, DSM_NAME_BYTES_MAX, arena, &spec->tied_to);
    if (spec->has_learned_positions) {
      dsm__json_error(&tied, "another embedding, of one row, can have them",
                      "expected no \"tied_to\" beside learned positions, found one");
    }
  }
}

static void write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__positions_put(writer, spec);
  dsm__json_put_u64(writer, "vocabulary", spec->vocabulary);
  if (is_full || spec->has_learned_positions) {
    dsm__json_put_bool(writer, "learned_positions", spec->has_learned_positions);
  }
  dsm__json_put_text(writer, "tied_to", spec->tied_to);
}

/* Sound, or an image: features with sizes. Words beside it are an input of their own, which the
 * network's does not tell. */
static bool reads_beside_input(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  return spec->input_count == 1 && strcmp(spec->inputs[0], DSM__INPUT_NAME) == 0 &&
         lowering->parts[0].features > 1;
}

/* A few rows of their own, such as tokens beside the patches of an image, are not looked up. */
static bool check(const dsm__lowering *lowering) {
  enum { TOKENS_MAX = 8 };
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm__delivery *const read = &lowering->gathered;
  const uint64_t numbers = read->features; /* as all of them are flattened */
  if (numbers == spec->feature.rows || spec->vocabulary <= TOKENS_MAX ||
      reads_beside_input(lowering)) {
    return true;
  }
  const dsm__json_node positions = dsm__layer_entry_member(lowering->layer, "positions");
  dsm__json_error(&positions, "an embedding reads the number of a row for each position",
                  "expected %llu, which the layer's inputs deliver, found %llu",
                  (unsigned long long)numbers, (unsigned long long)spec->feature.rows);
  return false;
}

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const uint64_t rows = spec->vocabulary + (spec->has_learned_positions ? spec->feature.rows : 0);
  const uint64_t tables =
      (spec->vocabulary > 0 ? 1U : 0U) + (spec->has_learned_positions ? 1U : 0U);
  *primary = dsm__loops_of_features(1, spec->out);
  primary->ij = spec->feature.rows;
  primary->timesteps = spec->timesteps;
  primary->is_tied = spec->tied_to != NULL;
  primary->weight_elements = rows * spec->out;
  primary->lookup_elements = tables * spec->feature.rows * spec->out;
}

const dsm__layer_kind dsm__embedding_kind = {
    .states_features = DSM__STATES_OUT,
    .read = read,
    .write = write,
    .keeps_positions = true,
    .never_backward = true,
    .reads_numbers = true,
    .has_timesteps = true,
    .check = check,
    .lower = lower,
};
