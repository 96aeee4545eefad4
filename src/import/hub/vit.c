/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vit.c: encoders of the patches of an image, and a classification of the first position. */
#include "dsm/limits.h"
#include "import/hub/hub.h"

enum { IMAGE = 224, PATCH = 16, CHANNELS = 3 };

/* One number, or a list of two equal ones. */
static uint64_t side(const dsm__hub *hub, const char *key, uint64_t fallback) {
  const dsm__json_node node = dsm__hub_member(hub, key);
  if (!dsm__json_is_list(&node)) {
    return dsm__hub_count_or(hub, key, DSM_SIDE_MAX, fallback);
  }
  uint64_t sides[2] = {1, 1};
  size_t count = 0;
  if (dsm__json_array(&node, 2, 2, &count)) {
    for (size_t i = 0; i < count; i++) {
      const dsm__json_node item = dsm__json_item(&node, i);
      (void)dsm__json_u64(&item, 1, DSM_SIDE_MAX, &sides[i]);
    }
    if (sides[0] != sides[1]) {
      dsm__json_error(&node, NULL, "expected two equal sides, found %llu and %llu",
                      (unsigned long long)sides[0], (unsigned long long)sides[1]);
    }
  }
  return sides[0];
}

/* Patches in a row: the last pixels that fill none are left out, as the model does. */
static uint64_t patches_of(const dsm__hub *hub, uint64_t image, uint64_t patch) {
  if (patch > image) {
    const dsm__json_node node = dsm__hub_member(hub, "patch_size");
    dsm__json_error(&node, NULL, "expected at most the image_size, %llu, found %llu",
                    (unsigned long long)image, (unsigned long long)patch);
    return 1;
  }
  return image / patch;
}

static void write_parameters(const dsm__hub *hub) {
  const uint64_t image = side(hub, "image_size", IMAGE);
  const uint64_t patch = side(hub, "patch_size", PATCH);
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS);
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "channels",
                     dsm__hub_count_or(hub, "num_channels", DSM_SIDE_MAX, CHANNELS));
  dsm__hub_parameter(hub, "patch", patch);
  dsm__hub_parameter(hub, "patches", patches_of(hub, image, patch));
  dsm__hub_parameter_text(hub, "sequence", "=patches*patches+1");
  dsm__hub_size_parameter(hub, DSM__HUB_BLOCKS);
  dsm__hub_parameter(hub, "hidden", dsm__hub_features_of_heads(hub, heads));
  dsm__hub_parameter(hub, "heads", heads);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER);
  if (hub->end == DSM__HUB_MAIN) {
    dsm__hub_parameter(hub, "classes", dsm__hub_classes(hub));
  }
}

/* A classifier has no pooler, and the base model no classes. */
static void write_end(const dsm__hub *hub) {
  const bool has_classes = hub->end == DSM__HUB_MAIN;
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = has_classes ? "classifier" : "pooler",
                                        .in = "=hidden",
                                        .out = has_classes ? "=classes" : "=hidden",
                                        .input_norm = DSM__HUB_LAYER_NORM,
                                        .selects_first = true,
                                        .has_bias = true,
                                        .activation = has_classes ? NULL : "tanh"});
}

static void note_sequence(const dsm__hub *hub) {
  const dsm__json_node node = dsm__hub_member(hub, "image_size");
  if (dsm__import_dimension(hub->import, "sequence", sizeof "sequence" - 1) > 0) {
    dsm__import_note(hub->import, &node, "the sequence is what the image and its patches make it");
  }
}

/* The class token is a table of one row, which stands beside the patches; its place among them goes
 * through their product too. */
static void write_embeddings(const dsm__hub *hub, bool has_dropout) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "patches",
                                        .in = "=channels*patch*patch",
                                        .out = "=hidden",
                                        .positions = "=sequence",
                                        .has_bias = true});
  dsm__hub_embedding_write(hub, &(dsm__hub_embedding){.name = "tokens",
                                                      .input = "@input",
                                                      .has_learned_positions = true,
                                                      .residual = "patches",
                                                      .has_dropout = has_dropout});
}

void dsm__hub_write_vit(const dsm__hub *hub) {
  const bool has_dropout = dsm__hub_has_dropout(hub, hub->family->dropout);
  note_sequence(hub);
  write_parameters(hub);
  dsm__hub_begin_layers(hub);
  write_embeddings(hub, has_dropout);
  dsm__hub_block_write(hub,
                       &(dsm__hub_block){.norm = DSM__HUB_LAYER_NORM,
                                         .activation = dsm__hub_activation(hub),
                                         .has_qkv_bias = dsm__hub_flag(hub, "qkv_bias", true),
                                         .has_out_bias = true,
                                         .has_inner_bias = true,
                                         .has_dropout = has_dropout},
                       "encoder", "=blocks", NULL);
  write_end(hub);
  dsm__hub_end_layers(hub);
}
