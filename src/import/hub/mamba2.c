/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mamba2.c: blocks of a scan: values with their gate, keys, queries and rates of one input, a
 * filter of a few positions before the scan, and a product behind it.
 */
#include "dsm/limits.h"
#include "import/hub/hub.h"

/* Heads are those of keys and queries, each with the values of several. */
static void write_scan(const dsm__hub *hub) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "name", "scan");
  dsm__json_put_string(hub->writer, "type", "attention");
  dsm__json_put_string(hub->writer, "heads", "=heads");
  dsm__json_put_string(hub->writer, "head_features", "=state");
  dsm__json_put_string(hub->writer, "value_features", "=inner/heads");
  dsm__json_put_string(hub->writer, "chunk", "=chunk");
  dsm__json_put_string(hub->writer, "positions", "=sequence");
  dsm__json_put_bool(hub->writer, "causal", true);
  dsm__json_put_array(hub->writer, "aux", true);
  dsm__hub_op_write(hub, "multiply", "from", "gate");
  dsm__json_end_array(hub->writer);
  dsm__json_end_object(hub->writer);
}

static void write_block(const dsm__hub *hub, const char *name, const char *repeat,
                        const char *end_norm) {
  const bool has_bias = dsm__hub_flag(hub, "use_bias", false);
  dsm__hub_fc part = {.name = "gate",
                      .in = "=hidden",
                      .out = "=inner",
                      .input_norm = hub->family->norm,
                      .activation = "silu",
                      .has_bias = has_bias};
  dsm__hub_begin_block(hub, name, repeat);
  dsm__hub_fc_write(hub, &part);
  part = (dsm__hub_fc){.name = "rates",
                       .in = "=hidden",
                       .out = "=rates",
                       .input = "@before",
                       .input_norm = hub->family->norm,
                       .input_norm_from = "gate",
                       .has_bias = true,
                       .own_norm = DSM__HUB_LAYER_NORM,
                       .comment = "two more numbers of each: its decay and what passes by"};
  dsm__hub_fc_write(hub, &part);
  part.name = "mixed";
  part.out = "=inner+2*heads*state";
  part.has_bias = has_bias;
  part.own_norm = NULL;
  part.comment = NULL;
  dsm__hub_fc_write(hub, &part);
  dsm__hub_conv_write(hub, &(dsm__hub_conv){.name = "filter", /* each feature has taps of its own */
                                            .in = part.out,
                                            .out = part.out,
                                            .groups = part.out,
                                            .kernel = "=taps",
                                            .positions = "=sequence",
                                            .has_bias = dsm__hub_flag(hub, "use_conv_bias", true),
                                            .activation = "silu"});
  write_scan(hub);
  part = (dsm__hub_fc){.name = "project",
                       .in = "=inner",
                       .out = "=hidden",
                       .input_norm = hub->family->norm,
                       .has_bias = has_bias,
                       .residual = "@before",
                       .norm = end_norm};
  dsm__hub_fc_write(hub, &part);
  dsm__hub_end_block(hub);
}

void dsm__hub_write_mamba2(const dsm__hub *hub) {
  const bool is_base = hub->end == DSM__HUB_BASE;
  const uint64_t blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS);
  const uint64_t hidden = dsm__hub_size_at(hub, DSM__HUB_HIDDEN);
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", dsm__hub_sequence(hub));
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  if (!is_base || blocks > 1) {
    dsm__hub_parameter(hub, "blocks", blocks);
  }
  dsm__hub_parameter(hub, "hidden", hidden);
  dsm__hub_parameter(hub, "inner", hidden * dsm__hub_count_or(hub, "expand", DSM_SIDE_MAX, 2));
  dsm__hub_parameter(hub, "rates", dsm__hub_count_or(hub, "num_heads", DSM_SIDE_MAX, 128));
  dsm__hub_parameter(hub, "heads", dsm__hub_count_or(hub, "n_groups", DSM_SIDE_MAX, 8));
  dsm__hub_parameter(hub, "state", dsm__hub_count_or(hub, "state_size", DSM_SIDE_MAX, 128));
  dsm__hub_parameter(hub, "taps", dsm__hub_count_or(hub, "conv_kernel", DSM_SIDE_MAX, 4));
  dsm__hub_parameter(hub, "chunk", dsm__hub_count_or(hub, "chunk_size", DSM_SIDE_MAX, 256));
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(hub,
                           &(dsm__hub_embedding){.name = "tokens", .vocabulary = "=vocabulary"});
  if (!is_base || blocks > 1) {
    write_block(hub, "mixer", is_base ? "=blocks-1" : "=blocks", NULL);
  }
  if (is_base) {
    write_block(hub, "mixer_end", NULL, hub->family->norm);
  }
  dsm__hub_head_write(hub);
  dsm__hub_end_layers(hub);
}
