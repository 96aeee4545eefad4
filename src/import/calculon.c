/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calculon.c: applications of Calculon as workloads, and what its systems tell of a system.
 *
 * Source: calculon-ai/calculon, calculon/llm/llm.py (an application: its blocks, and how their
 * parameters are counted, embeddings of 51,200 words among them), calculon/network.py and memory.py
 * (a system: GB of 10^9 bytes, latencies in seconds, networks from the innermost, each with all
 * processors that it joins), systems/ (its examples).
 */
#include <assert.h>

#include "base/units.h"
#include "dsm/system.h"
#include "import/hub/hub.h"
#include "import/json_file.h"

/* ---- applications ---- */

static bool recognise_application(const char *bytes, size_t length, const char *file) {
  static const char *const keys[] = {"hidden",     "feedforward", "seq_size",
                                     "attn_heads", "attn_size",   "num_blocks"};
  (void)file;
  return dsm__import_has_members(bytes, length, keys, DSM__COUNT_OF(keys));
}

static const dsm__hub_family application = {
    .keys = {[DSM__HUB_SEQUENCE] = "seq_size",
             [DSM__HUB_BLOCKS] = "num_blocks",
             [DSM__HUB_HIDDEN] = "hidden",
             [DSM__HUB_HEADS] = "attn_heads",
             [DSM__HUB_HEAD_FEATURES] = "attn_size",
             [DSM__HUB_INNER] = "feedforward"},
};

static void write_application_parameters(const dsm__hub *hub) {
  enum { VOCABULARY = 51200 };
  const uint64_t given = dsm__import_dimension(hub->import, "sequence", sizeof "sequence" - 1);
  const uint64_t stated = dsm__hub_size_at(hub, DSM__HUB_SEQUENCE);
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", given > 0 ? given : stated);
  dsm__hub_parameter(hub, "vocabulary", VOCABULARY);
  dsm__hub_size_parameter(hub, DSM__HUB_BLOCKS);
  dsm__hub_size_parameter(hub, DSM__HUB_HIDDEN);
  dsm__hub_size_parameter(hub, DSM__HUB_HEADS);
  dsm__hub_size_parameter(hub, DSM__HUB_HEAD_FEATURES);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER);
}

static void write_application(dsm__import *import, dsm__json_writer *writer) {
  const dsm__hub hub = {
      .import = import, .config = &import->root, .writer = writer, .family = &application};
  dsm__import_note(import, &import->root,
                   "has no vocabulary: embeddings are of 51200 words, as Calculon counts them, and "
                   "there is no product behind the blocks");
  dsm__import_begin_workload(import, writer, dsm__import_file_stem(import),
                             "application of Calculon");
  write_application_parameters(&hub);
  dsm__hub_begin_layers(&hub);
  dsm__hub_embedding_write(&hub, &(dsm__hub_embedding){.name = "tokens",
                                                       .vocabulary = "=vocabulary",
                                                       .has_learned_positions = true});
  dsm__hub_block_write(&hub,
                       &(dsm__hub_block){.norm = DSM__HUB_LAYER_NORM,
                                         .activation = "gelu",
                                         .has_head_features = true,
                                         .has_qkv_bias = true,
                                         .has_out_bias = true,
                                         .has_inner_bias = true,
                                         .has_dropout = true},
                       "block", "=blocks", NULL);
  dsm__hub_end_layers(&hub);
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__calculon_reader = {
    .word = "calculon",
    .help = "application of Calculon (JSON)",
    .is_json = true,
    .recognise = recognise_application,
    .write = write_application,
};

/* ---- systems ---- */

static bool recognise_system(const char *bytes, size_t length, const char *file) {
  static const char *const keys[] = {"matrix", "vector", "mem1", "networks"};
  (void)file;
  return dsm__import_has_members(bytes, length, keys, DSM__COUNT_OF(keys));
}

static double required(const dsm__json_node *object, const char *key, const char *meaning,
                       dsm__json_range range) {
  double value = range.max;
  return dsm__json_required_double(object, key, meaning, range, &value) ? value : range.max;
}

/* The efficiency of large transfers is the first of the list. */
static double efficiency_of(const dsm__json_node *memory) {
  const dsm__json_node list = dsm__json_member(memory, "MB_efficiency");
  const dsm__json_node first = dsm__json_item(&list, 0);
  const dsm__json_node node = dsm__json_item(&first, 1);
  const dsm__json_range range = {.min = 1e-6, .max = 1};
  double value = 1;
  size_t count = 0;
  if (!dsm__json_is_present(&list) || !dsm__json_array(&list, 1, DSM_SIDE_MAX, &count) ||
      !dsm__json_array(&first, 2, 2, &count) || !dsm__json_double(&node, range, &value)) {
    return 1;
  }
  return value;
}

static void write_memory(const dsm__import *import, dsm__json_writer *writer) {
  const dsm__json_range range = {.min = 1e-3, .max = 1e9};
  const dsm__json_node memory = dsm__json_member(&import->root, "mem1");
  if (!dsm__json_require(&memory, "the memory of a processor")) {
    return;
  }
  dsm__json_put_object(writer, "chip", true);
  dsm__json_put_object(writer, "memory", true);
  dsm__json_put_double(writer, "capacity_GB",
                       required(&memory, "GiB", "its capacity", range) * DSM__BYTES_PER_GIB /
                           DSM__BYTES_PER_GB);
  dsm__json_put_double(writer, "bandwidth_GBps", required(&memory, "GBps", "its bandwidth", range));
  dsm__json_put_double(writer, "efficiency_ratio", efficiency_of(&memory));
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

/* Groups of the network before that one of these joins. */
static uint64_t groups_in(const dsm__import *import, const dsm__json_node *network,
                          uint64_t inner) {
  const dsm__json_node node = dsm__json_member(network, "size");
  uint64_t size = inner;
  if (!dsm__json_required_u64(network, "size", "the processors that it joins", 1, DSM_DIMENSION_MAX,
                              &size)) {
    return 1;
  }
  const uint64_t groups = size / inner;
  const uint64_t taken = groups * inner;
  const uint64_t most = inner * DSM_SIDE_MAX;
  if (taken != size) {
    dsm__import_note(import, &node, "is read as %llu, a multiple of the %llu of the network before",
                     (unsigned long long)taken, (unsigned long long)inner);
  }
  if (groups < 1 || groups > DSM_SIDE_MAX) {
    dsm__json_error(&node, NULL, "expected %llu to %llu, found %llu", (unsigned long long)inner,
                    (unsigned long long)most, (unsigned long long)size);
    return 1;
  }
  return groups;
}

static void note_volumes(const dsm__import *import, const dsm__json_node *network) {
  const dsm__json_node usage = dsm__json_member(network, "processor_usage");
  const dsm__json_node ops = dsm__json_member(network, "ops");
  double share = 0;
  if (dsm__json_is_number(&usage, &share) && share > 0) {
    dsm__import_note(import, &usage, "is left out: collectives take no time of the arrays");
  }
  if (dsm__json_is_present(&ops)) {
    dsm__import_note(import, &ops, "is left out: what collectives send is as the axis makes it");
  }
}

static uint64_t write_axis(const dsm__import *import, dsm__json_writer *writer,
                           const dsm__json_node *network, size_t index, uint64_t inner) {
  const dsm__json_range rate = {.min = 1e-6, .max = 1e9};
  const dsm__json_range share = {.min = 1e-6, .max = 1};
  const dsm__json_range seconds = {.min = 0, .max = 1};
  const uint64_t chips = groups_in(import, network, inner);
  static const char *const names[] = {"net0", "net1", "net2"};
  _Static_assert(DSM__COUNT_OF(names) >= DSM_AXES_MAX, "an axis has a name");
  assert(index < DSM_AXES_MAX);
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", names[index]);
  dsm__json_put_u64(writer, "chips", chips);
  dsm__json_put_string(writer, "link", "switch");
  dsm__json_put_double(writer, "bandwidth_GBps",
                       required(network, "bandwidth", "the bandwidth of a processor", rate));
  dsm__json_put_double(writer, "efficiency_ratio",
                       required(network, "efficiency", "a share of the bandwidth", share));
  dsm__json_put_double(writer, "latency_us",
                       required(network, "latency", "a number of seconds", seconds) *
                           DSM__US_PER_SECOND);
  dsm__json_end_object(writer);
  note_volumes(import, network);
  return inner * chips;
}

static void write_networks(const dsm__import *import, dsm__json_writer *writer) {
  const dsm__json_node list = dsm__json_member(&import->root, "networks");
  uint64_t inner = 1;
  size_t count = 0;
  if (!dsm__json_array(&list, 1, DSM_AXES_MAX, &count)) {
    return;
  }
  dsm__json_put_object(writer, "system", false);
  dsm__json_put_array(writer, "axes", false);
  for (size_t i = 0; i < count; i++) {
    const dsm__json_node network = dsm__json_item(&list, i);
    inner = write_axis(import, writer, &network, i, inner);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
  dsm__import_note(import, &list, "does not say what joins processors: switches are assumed");
}

/* What a description of a system has in another form, or not at all. */
static void note_rest(const dsm__import *import) {
  static const struct {
    const char *key;
    const char *note;
  } rest[] = {
      {"matrix", "is left out: a rate is not an array; describe array and core"},
      {"vector", "is left out: describe the vector unit of a core"},
      {"mem2", "is left out: a chip has one memory"},
      {"processing_mode", "is left out: what overlaps is of the model"},
  };
  for (size_t i = 0; i < DSM__COUNT_OF(rest); i++) {
    const dsm__json_node node = dsm__json_member(&import->root, rest[i].key);
    if (dsm__json_is_present(&node)) {
      dsm__import_note(import, &node, "%s", rest[i].note);
    }
  }
}

static void write_system(dsm__import *import, dsm__json_writer *writer) {
  dsm__import_begin_system(import, writer, "system of Calculon: memory and networks");
  write_memory(import, writer);
  write_networks(import, writer);
  note_rest(import);
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__calculon_system_reader = {
    .word = "calculon_system",
    .help = "system of Calculon (JSON), what it tells of a system",
    .is_json = true,
    .is_system = true,
    .recognise = recognise_system,
    .write = write_system,
};
