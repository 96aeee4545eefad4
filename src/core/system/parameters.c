/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/system_internal.h"

#include <assert.h>
#include <string.h>

#include "base/element_types.h"
#include "system/technology_rows.h"

static const dsm__word interconnect_words[] = {
    [DSM_INTERCONNECT_RING].key = "ring",
    [DSM_INTERCONNECT_CROSSBAR].key = "crossbar",
    [DSM_INTERCONNECT_MESH].key = "mesh",
    [DSM_INTERCONNECT_NONE].key = "none",
};
static DSM__WORDS(interconnects, "interconnect", interconnect_words, DSM_INTERCONNECT_COUNT);

#define LABEL_WORD(name, word) [DSM_INTERCONNECT_LABEL_##name].key = (word),
static const dsm__word label_words[] = {[DSM_INTERCONNECT_LABEL_KIND].key = "kind",
                                        DSM_INTERCONNECT_LABELS(LABEL_WORD)};
static DSM__WORDS(labels, "label of an interconnect", label_words, DSM_INTERCONNECT_LABEL_COUNT);

static const dsm__word topology_words[] = {
    [DSM_TOPOLOGY_TORUS_2D].key = "torus_2d", [DSM_TOPOLOGY_AXES].key = "axes"};
static DSM__WORDS(topologies, "topology", topology_words, DSM_TOPOLOGY_COUNT);

#define LINK_KIND_WORD(name, word) [DSM_LINK_KIND_##name].key = (word),
static const dsm__word link_kind_words[] = {DSM_LINK_KINDS(LINK_KIND_WORD)};
DSM__WORDS(dsm__link_kinds, "link kind", link_kind_words, DSM_LINK_KIND_COUNT);

static const dsm__word collectives_words[] = {
    [DSM_COLLECTIVES_NESTED].key = "nested",
    [DSM_COLLECTIVES_RING].key = "ring",
};
static DSM__WORDS(collectives, "way of collectives", collectives_words, DSM_COLLECTIVES_COUNT);

static const dsm__word collective_order_words[] = {
    [DSM_COLLECTIVE_ORDER_GIVEN].key = "given",
    [DSM_COLLECTIVE_ORDER_BEST].key = "best",
    [DSM_COLLECTIVE_ORDER_BOTH_HALVES].key = "both_halves",
};
static DSM__WORDS(collective_orders, "order of collectives", collective_order_words,
                  DSM_COLLECTIVE_ORDER_COUNT);

static const dsm__word layout_move_words[] = {
    [DSM_LAYOUT_MOVE_NONE].key = "none",
    [DSM_LAYOUT_MOVE_ALWAYS].key = "always",
    [DSM_LAYOUT_MOVE_EXACT].key = "exact",
};
static DSM__WORDS(layout_moves, "way to move held tensors", layout_move_words,
                  DSM_LAYOUT_MOVE_COUNT);

static const dsm__word role_search_words[] = {
    [DSM_ROLE_SEARCH_PAPER].key = "paper",
    [DSM_ROLE_SEARCH_ALL].key = "all",
};
static DSM__WORDS(role_searches, "roles that are searched", role_search_words,
                  DSM_ROLE_SEARCH_COUNT);

static const dsm__word auxiliary_traffic_words[] = {
    [DSM_AUXILIARY_TRAFFIC_NONE].key = "none",
    [DSM_AUXILIARY_TRAFFIC_FUSED].key = "fused",
    [DSM_AUXILIARY_TRAFFIC_UNFUSED].key = "unfused",
};
static DSM__WORDS(auxiliary_traffics, "traffic of auxiliary operations", auxiliary_traffic_words,
                  DSM_AUXILIARY_TRAFFIC_COUNT);

static const dsm__word kept_inputs_words[] = {
    [DSM_KEPT_INPUTS_NONE].key = "none",
    [DSM_KEPT_INPUTS_WITHOUT_ACTIVATIONS].key = "without_activations",
    [DSM_KEPT_INPUTS_ALL].key = "all",
};
static DSM__WORDS(kept_inputs, "inputs that are kept", kept_inputs_words, DSM_KEPT_INPUTS_COUNT);

static const dsm__word tiling_words[] = {
    [DSM_TILING_PAPER].key = "paper",
    [DSM_TILING_BLOCKED].key = "blocked",
};
static DSM__WORDS(tilings, "tiling", tiling_words, DSM_TILING_COUNT);

static const dsm__word media_words[] = {
    [DSM_MEDIUM_BOARD].key = "board",
    [DSM_MEDIUM_CABLE].key = "cable",
    [DSM_MEDIUM_OPTICS].key = "optics",
};
static DSM__WORDS(media, "medium of links", media_words, DSM_MEDIUM_COUNT);

static const dsm__word memory_interface_words[] = {
    [DSM_MEMORY_INTERFACE_HBM2E].key = "hbm2e",
    [DSM_MEMORY_INTERFACE_DDR5].key = "ddr5",
};
static DSM__WORDS(memory_interfaces, "interface to memory", memory_interface_words,
                  DSM_MEMORY_INTERFACE_COUNT);

static const dsm__word link_interface_words[] = {
    [DSM_LINK_INTERFACE_NVLINK3].key = "nvlink3",
    [DSM_LINK_INTERFACE_NVLINK4].key = "nvlink4",
    [DSM_LINK_INTERFACE_INFINITY_FABRIC].key = "infinity_fabric",
    [DSM_LINK_INTERFACE_PCIE5].key = "pcie5",
};
static DSM__WORDS(link_interfaces, "interface of links", link_interface_words,
                  DSM_LINK_INTERFACE_COUNT);

static const dsm__word flag_words[] = {{.key = "false"}, {.key = "true"}};
static DSM__WORDS(flags, "flag", flag_words, 2);

/* Smallest and largest rate, frequency or capacity: with them no time or volume can overflow. */
#define RATE_MIN DSM__RATE_MIN
#define RATE_MAX DSM__RATE_MAX
/* Largest factor on bytes. */
#define FACTOR_MAX 1024

enum {
  MIXED = DSM__PARAMETER_MIXED,
  SOFTWARE = DSM__PARAMETER_SOFTWARE,
  SOFTWARE_COST = DSM__PARAMETER_SOFTWARE | DSM__PARAMETER_COST
};

static bool has_tiles(const dsm_system *system) {
  return system->model.tile_schedule;
}

static bool has_attention_kernels(const dsm_system *system) {
  return system->model.tile_schedule && system->model.fused_attention;
}

/* Auxiliary operations that need sums over their operands move them whichever way there is. */
static bool has_traffic_of_sums(const dsm_system *system) {
  return system->model.auxiliary_traffic != DSM_AUXILIARY_TRAFFIC_NONE;
}

static bool has_traffic_of_all(const dsm_system *system) {
  return system->model.auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
}

/* clang-format off: one parameter a line, its source below */
#define COUNT(path, field, required, max, fallback, unit, source)                                  \
  {                                                                                                \
    path, DSM__PARAMETER_COUNT, offsetof(dsm_system, field), NULL, required, false, 1, max,        \
        fallback, unit, source, 0, false, NULL, NULL                                               \
  }
#define RATE(path, field, unit)                                                                    \
  {                                                                                                \
    path, DSM__PARAMETER_REAL, offsetof(dsm_system, field), NULL, true, false, DSM__RATE_MIN,      \
        RATE_MAX, 0, unit, NULL, 0, false, NULL, NULL                                              \
  }
#define REAL(path, field, nature, min, max, fallback, unit, source)                                \
  {                                                                                                \
    path, DSM__PARAMETER_REAL, offsetof(dsm_system, field), NULL, false, nature, min, max,         \
        fallback, unit, source, 0, false, NULL, NULL                                               \
  }
/* What takes time, room or bytes: the less the better. */
#define COST(path, field, min, max, fallback, unit, source)                                        \
  {                                                                                                \
    path, DSM__PARAMETER_REAL, offsetof(dsm_system, field), NULL, false, true, min, max, fallback, \
        unit, source, 0, false, NULL, NULL                                                         \
  }
#define FLAG(path, field, fallback, source)                                                        \
  {                                                                                                \
    path, DSM__PARAMETER_FLAG, offsetof(dsm_system, field), &flags, false, false, 0, 1, fallback,  \
        "flag", source, 0, false, NULL, NULL                                                       \
  }
#define WORD(path, words, field, required, fallback, source)                                       \
  {                                                                                                \
    path, DSM__PARAMETER_WORD, offsetof(dsm_system, field), &(words), required, false, 0, 0,       \
        fallback, "word", source, 0, false, NULL, NULL                                             \
  }

/* What real machines have and the paper's do not: its default changes nothing. */
#define NEUTRAL(path, of_kind, field, words, nature, min, max, fallback, unit, source, help)       \
  {                                                                                                \
    path, DSM__PARAMETER_##of_kind, offsetof(dsm_system, field), words, false, nature, min, max,   \
        fallback, unit, source, 0, true, help, NULL                                                \
  }

/* That work only where something is switched on: then they are stated, whatever they are. */
#define SWITCHED(path, of_kind, field, nature, min, max, fallback, unit, source, help, is_used)    \
  {                                                                                                \
    path, DSM__PARAMETER_##of_kind, offsetof(dsm_system, field), NULL, false, nature, min, max,    \
        fallback, unit, source, 0, true, help, is_used                                             \
  }

/* Of an axis, and required of it; and such as change nothing. */
#define AXIS_OWN(a, key, of_kind, words, min, max, unit, help)                                     \
  {                                                                                                \
    "system.axes." #a "." #key, DSM__PARAMETER_##of_kind,                                          \
        offsetof(dsm_system, system.axes[a].key), words, true, false, min, max, 0, unit, NULL,     \
        (a) + 1, false, help, NULL                                                                 \
  }
#define AXIS_NEUTRAL(a, key, of_kind, words, nature, min, max, fallback, unit, source, help)       \
  {                                                                                                \
    "system.axes." #a "." #key, DSM__PARAMETER_##of_kind,                                          \
        offsetof(dsm_system, system.axes[a].key), words, false, nature, min, max, fallback, unit,  \
        source, (a) + 1, true, help, NULL                                                          \
  }
#define AXIS(a)                                                                                    \
  AXIS_OWN(a, chips, COUNT, NULL, 1, DSM_CHIPS_MAX, "chips", "Chips along the axis."),             \
      AXIS_OWN(a, link, WORD, &dsm__link_kinds, 0, 0, "word",                                      \
               "What joins the chips along the axis."),                                            \
      AXIS_OWN(a, bandwidth_GBps, REAL, NULL, DSM__RATE_MIN, RATE_MAX, "10^9 bytes/s",             \
               "Bandwidth of a chip's link, one way."),                                            \
      AXIS_NEUTRAL(a, efficiency_ratio, REAL, NULL, SOFTWARE, 1e-6, 1, 1, "ratio",                 \
                   "assumption: all of the bandwidth is usable",                                   \
                   "Share of the bandwidth that transfers sustain."),                              \
      AXIS_NEUTRAL(a, latency_us, REAL, NULL, true, 0, 1e6, 0, "10^-6 s",                          \
                   "assumption: a step from chip to chip takes no time of its own",                \
                   "Latency of each step of a collective, from a chip to the next."),              \
      AXIS_NEUTRAL(a, both_ways, FLAG, &flags, false, 0, 1, false, "flag",                         \
                   "assumption: transfers go one way round, as in the paper",                      \
                   "Transfers use links in both directions: a collective takes half the steps, "   \
                   "and all-to-alls on rings go at twice the rate."),                              \
      AXIS_NEUTRAL(a, chips_per_port, COUNT, NULL, false, 1, DSM_CHIPS_MAX, 1, "chips",            \
                   "assumption: each chip has a port of its own",                                  \
                   "Chips along the inner axes that share a port, which has that many times the "  \
                   "bandwidth of a link."),                                                        \
      AXIS_NEUTRAL(a, group_chips, COUNT, NULL, false, 1, DSM_CHIPS_MAX, 1, "chips",               \
                   "assumption: each chip has a leaf switch, or is a group, of its own",           \
                   "Chips of the axis on a leaf switch of a fat_tree, or in a group of a "         \
                   "dragonfly."),                                                                  \
      AXIS_NEUTRAL(a, oversubscription, REAL, NULL, true, 1, 1024, 1, "ratio",                     \
                   "assumption: a leaf switch has as many links up as down",                       \
                   "Of a fat_tree: bandwidth of the links of a leaf's chips over that of its "     \
                   "links to the switches above."),                                                \
      AXIS_NEUTRAL(a, global_links, REAL, NULL, false, 1e-6, 1e6, 1, "links",                      \
                   "assumption: one link between each two groups",                                 \
                   "Of a dragonfly: links between each two groups, in links of a chip."),          \
      AXIS_NEUTRAL(a, protocols, FLAG, &flags, false, 0, 1, false, "flag",                         \
                   "assumption: every collective takes the system's base and the axis's latency",  \
                   "Collectives that stay along such axes go by the fastest of "                   \
                   "system.protocols, in place of system.collective_base_us and latency_us.")

/* Of a protocol; `what` it carries; and of one that goes from chip to chip. */
#define PROTOCOL(key, kind, what)                                                                  \
  NEUTRAL("system.protocols." key ".base_us", REAL, system.protocols[kind].base_us, NULL,          \
          SOFTWARE_COST, 0, 1e6, 0, "10^-6 s", "assumption: it begins at once",                    \
          "Time before " what " begins."),                                                         \
      NEUTRAL("system.protocols." key ".efficiency_ratio", REAL,                                   \
              system.protocols[kind].efficiency_ratio, NULL, SOFTWARE | MIXED, 0, 1, 0, "ratio",   \
              "assumption: there is no such protocol",                                             \
              "Share of a link's usable bandwidth that carries its data; below 1e-6: there is "    \
              "no such protocol."),                                                                \
      NEUTRAL("system.protocols." key ".most_GBps", REAL, system.protocols[kind].most_GBps, NULL,  \
              SOFTWARE | MIXED, 0, RATE_MAX, 0, "10^9 bytes/s",                                    \
              "assumption: links alone limit it",                                                  \
              "The most that it moves over a link; 0: no limit.")
#define STEP(key, kind)                                                                            \
  NEUTRAL("system.protocols." key ".step_us", REAL, system.protocols[kind].step_us, NULL,          \
          SOFTWARE_COST, 0, 1e6, 0, "10^-6 s", "assumption: steps take no time of their own",      \
          "Latency of each of its steps, from a chip to the next.")

#define OPERATION_TRAFFIC(key, kind, pass, fallback, source, is_used)                              \
  SWITCHED("model.traffic_" key "_" #pass, REAL, model.traffic[kind].pass, true, 0, FACTOR_MAX,    \
           fallback, "elements/element", source,                                                   \
           "With model.auxiliary_traffic: elements that " key " reads and writes in the " #pass    \
           " pass, for each element of its operand.",                                              \
           is_used)

#define WIDE_TRAFFIC(key, kind, pass, fallback, source)                                            \
  SWITCHED("model.traffic_" key "_wide_" #pass, REAL, model.traffic[kind].pass, true, 0,           \
           FACTOR_MAX, fallback, "elements/element", source,                                       \
           "With model.auxiliary_traffic: elements of 4 bytes that " key " reads and writes in "   \
           "the " #pass " pass, for each element of its operand.",                                 \
           has_traffic_of_sums)

#define MASK_TRAFFIC(key, kind, pass, fallback, source)                                            \
  SWITCHED("model.traffic_" key "_mask_" #pass, REAL, model.traffic[kind].pass, true, 0,           \
           FACTOR_MAX, fallback, "bytes/element", source,                                          \
           "With model.auxiliary_traffic: bytes of masks that " key                                \
           " reads and writes in the " #pass " pass, for each element of its operand.",            \
           has_traffic_of_sums)

#define TYPE_RATE(key, type)                                                                       \
  NEUTRAL("pe.rates." key, REAL, pe.rates[type], NULL, false, 1e-6, 1024, 1, "ratio",              \
          "assumption: all types at the same rate",                                                \
          "Multiply-accumulates that a PE does in a cycle with elements of this type, over those " \
          "with elements of 16 bits.")

#define TYPE_RATE_OR_NONE(key, type, wider)                                                        \
  NEUTRAL("pe.rates." key, REAL, pe.rates[type], NULL, MIXED, 0, 1024, 0, "ratio",                 \
          "assumption: no rate of its own",                                                        \
          "The same with elements of 4 bits; 0: they are widened, and run at the rate of " wider   \
          ".")

const char *const dsm__retired_flags[] = {"model.exact_groups"};
const size_t dsm__retired_flag_count = DSM__COUNT_OF(dsm__retired_flags);

/* Defaults, units and sources: docs/model.md, section 2. */
const dsm__parameter dsm__parameters[] = {
    COUNT("pe.simd_macs", pe.simd_macs, false, DSM_SIDE_MAX, 8, "MACs",
          "assumption: 16 x 8 x 8 = the 1024 MACs a core of the DeepSpatialMatrix paper, "
          "Fig. 10"),
    TYPE_RATE_OR_NONE("int4", DSM_ELEMENT_TYPE_INT4, "int8"),
    TYPE_RATE_OR_NONE("fp4", DSM_ELEMENT_TYPE_FP4, "fp8"),
    TYPE_RATE("int8", DSM_ELEMENT_TYPE_INT8),
    TYPE_RATE("fp8", DSM_ELEMENT_TYPE_FP8),
    TYPE_RATE("fp16", DSM_ELEMENT_TYPE_FP16),
    TYPE_RATE("bf16", DSM_ELEMENT_TYPE_BF16),
    TYPE_RATE("tf32", DSM_ELEMENT_TYPE_TF32),
    TYPE_RATE("fp32", DSM_ELEMENT_TYPE_FP32),
    COUNT("array.rows", array.rows, false, DSM_SIDE_MAX, 16, "PEs", "assumption, as pe.simd_macs"),
    COUNT("array.columns", array.columns, false, DSM_SIDE_MAX, 8, "PEs",
          "assumption, as pe.simd_macs"),
    COST("array.startup_cycles", array.startup_cycles, 0, 1e9, 1000, "cycles",
         "assumption: time to bring the first data in; no source"),
    NEUTRAL("array.efficiency_ratio", REAL, array.efficiency_ratio, NULL, SOFTWARE, 1e-6, 1, 1,
            "ratio", "assumption: the arrays run at their peak",
            "Share of the peak rate that the arrays sustain; it does not affect start-up."),
    NEUTRAL("array.block_cycles", REAL, array.block_cycles, NULL, true, 0, 1e9, 0, "cycles",
            "assumption: the next block of weights is there when one is done (double buffering)",
            "Cycles that an array loses when its block of weights changes; 2 * rows + columns - 2 "
            "if it fills and drains."),
    FLAG("array.unroll_kernel_on_rows", array.unroll_kernel_on_rows, false,
         "assumption: kernel positions follow one another in time"),
    FLAG("array.weights_from_scratchpad", array.weights_from_scratchpad, false,
         "assumption: loading the next weights never limits the array"),
    RATE("core.frequency_GHz", core.frequency_GHz, "GHz"),
    NEUTRAL("core.sustained_frequency_ratio", REAL, core.sustained_frequency_ratio, NULL, false,
            0.01, 1, 1, "ratio", "assumption: cores keep their clock",
            "Share of the clock that arrays, vector units, scratchpads and links of the cores "
            "sustain in training steps; memory and links between chips do not fall with it."),
    NEUTRAL("core.arrays", COUNT, core.arrays, NULL, false, 1, 4096, 1, "arrays",
            "DeepSpatialMatrix paper, II-B: a core has one array",
            "Arrays of a core. They share its scratchpad, and divide its work by output features "
            "or by samples and positions, whichever is faster."),
    NEUTRAL("core.vector_macs_per_cycle", REAL, core.vector_macs_per_cycle, NULL, false, 0, 1e9, 0,
            "MACs/cycle", "assumption: arrays compute everything",
            "Multiply-accumulates a cycle of a core's vector unit, which computes a pass if that "
            "is faster than on the arrays. 0: no vector unit."),
    RATE("core.scratchpad_MiB", core.scratchpad_MiB, "2^20 bytes"),
    RATE("core.scratchpad_bandwidth_GBps", core.scratchpad_bandwidth_GBps, "10^9 bytes/s"),
    REAL("core.sfu_ops_per_cycle", core.sfu_ops_per_cycle, false, DSM__RATE_MIN, RATE_MAX, 16,
         "element-passes/cycle",
         "assumption: a reading of the DeepSpatialMatrix paper, Fig. 10, 64 scratchpad "
         "bytes a cycle over 2 bytes read and 2 written"),
    COST("core.transcendental_passes", core.transcendental_passes, 0, 1e6,
         DSM__TRANSCENDENTAL_PASSES, "element-passes",
         "assumption: passes of a sigmoid, tanh or exponential"),
    COST("core.streaming_buffer_KiB", core.streaming_buffer_KiB, 0, 1e9, 192, "2^10 bytes",
         "assumption: 3 operands, 2 buffers each, of 32 KiB"),
    REAL("core.resident_weight_fraction", core.resident_weight_fraction, SOFTWARE, 0, 1, 0.75,
         "ratio", "assumption: share of the scratchpad for weights kept over timesteps"),
    SWITCHED("core.tile_startup_us", REAL, core.tile_startup_us, SOFTWARE_COST, 0, 1e6, 1,
             "10^-6 s", "assumption: of a GPU, until the first operands of a tile are there",
             "With model.tile_schedule: time before a core begins to compute a tile of outputs.",
             has_tiles),
    SWITCHED("core.tile_least_side", COUNT, core.tile_least_side, SOFTWARE, 1, 1024, 64, "outputs",
             "assumption: of GPUs, whose tiles are of 64 x 64 to 256 x 128 outputs",
             "Least number of rows and of columns of a tile. Larger sides are this number doubled "
             "once or several times, and one side is at most twice the other.",
             has_tiles),
    SWITCHED("core.tile_most_elements", COUNT, core.tile_most_elements, SOFTWARE, 1, 1048576, 32768,
             "outputs", "assumption: of GPUs, 256 x 128 sums in the registers of a core",
             "Largest number of outputs of a tile; the smallest tile is always allowed.",
             has_tiles),
    NEUTRAL("core.shared_operands", COUNT, core.shared_operands, NULL, SOFTWARE, 1, 64, 1, "cores",
            "assumption: each core fetches the operands of its tiles by itself",
            "With model.tile_schedule: cores with neighbouring tiles, of which each operand that "
            "these have in common crosses the links of the cores once; 2 of pairs and clusters of "
            "multiprocessors."),
    NEUTRAL("core.kernel_floor_us", REAL, core.kernel_floor_us, NULL, SOFTWARE_COST, 0, 1e6, 0,
            "10^-6 s", "assumption: nothing but work and starts of tiles",
            "With model.tile_schedule: time that the kernel of a product takes beside its work: "
            "launch, prologue and tail. A fused attention has core.attention_floor_us in its "
            "place."),
    SWITCHED("core.tile_least_rows", COUNT, core.tile_least_rows, SOFTWARE, 1, 128, 16, "rows",
             "assumption: of GPUs, whose matrix units take 16 rows",
             "With model.tile_schedule, in a fused attention: least number of rows of queries in a "
             "tile; the rows of a tile are a multiple of it, at most 128.",
             has_attention_kernels),
    SWITCHED("core.attention_floor_us", REAL, core.attention_floor_us, SOFTWARE_COST, 0, 1e6, 10,
             "10^-6 s", "assumption: of a GPU, the least time of such a kernel",
             "With model.tile_schedule, in a fused attention: time that its kernel takes beside "
             "computing and moving data.",
             has_attention_kernels),
    SWITCHED("core.attention_tile_us", REAL, core.attention_tile_us, SOFTWARE_COST, 0, 1e6, 4,
             "10^-6 s",
             "assumption: of a GPU, until queries and first keys are there, and its sums written",
             "With model.tile_schedule, in a fused attention: time before a core begins to compute "
             "a tile.",
             has_attention_kernels),
    NEUTRAL("core.operation_overhead_us", REAL, core.operation_overhead_us, NULL, SOFTWARE_COST, 0,
            1e6, 0, "10^-6 s", "assumption: an operation starts at once",
            "Section 4: time that each kernel takes beside its work; an invocation has one kernel "
            "for the layer, and one for each auxiliary operation that is a kernel of its own."),
    NEUTRAL("core.issue_us", REAL, core.issue_us, NULL, SOFTWARE_COST, 0, 1e6, 0, "10^-6 s",
            "assumption: operations are issued as fast as they are done",
            "Section 6: least time between two kernels. A pass of the network takes at least as "
            "long as issuing all of its kernels."),
    NEUTRAL("core.graph_overhead_us", REAL, core.graph_overhead_us, NULL, SOFTWARE_COST | MIXED, 0,
            1e6, 0, "10^-6 s", "assumption: servers launch kernels as other runs do",
            "In dsm serve, for core.operation_overhead_us and core.issue_us; 0: these stay."),
    NEUTRAL(
        "chip.peak_TFLOPS", REAL, chip.peak_TFLOPS, NULL, MIXED, 0, 1e9, 0, "10^12 FLOP/s",
        "assumption: arrays and cores say what a chip computes",
        "Section 4: peak rate of a chip with elements of 16 bits, where no more is known of it: "
        "a roofline. pe, array, core, cores and what joins them are then left out."),
    COUNT("chip.cores", chip.cores, true, DSM_CORES_MAX, 0, "cores", NULL),
    WORD("chip.interconnect", interconnects, chip.interconnect, true, 0, NULL),
    NEUTRAL("chip.interconnect_label", WORD, chip.interconnect_label, &labels, SOFTWARE, 0, 0,
            DSM_INTERCONNECT_LABEL_KIND, "word", "the kind of interconnect says it",
            "What links and bounds call the link of the cores: as its kind, ring or "
            "core_links, or a cache on the chip that stands for it. It decides nothing."),
    RATE("chip.core_link_bandwidth_GBps", chip.core_link_bandwidth_GBps, "10^9 bytes/s"),
    NEUTRAL("chip.shared_memory.capacity_MB", REAL, chip.shared_memory.capacity_MB, NULL, MIXED, 0,
            RATE_MAX, 0, "10^6 bytes",
            "DeepSpatialMatrix paper, II-B: nothing between scratchpads and external memory",
            "Section 7: capacity of a memory on the chip that all cores share. Held tensors lie "
            "there, not in the scratchpads. Left out: there is no such memory."),
    NEUTRAL("chip.shared_memory.bandwidth_GBps", REAL, chip.shared_memory.bandwidth_GBps, NULL,
            MIXED, 0, RATE_MAX, 0, "10^9 bytes/s",
            "DeepSpatialMatrix paper, II-B: nothing between scratchpads and external memory",
            "Bandwidth of the shared memory; all that cores read and write passes through it."),
    RATE("chip.memory.capacity_GB", chip.memory.capacity_GB, "10^9 bytes"),
    RATE("chip.memory.bandwidth_GBps", chip.memory.bandwidth_GBps, "10^9 bytes/s"),
    REAL("chip.memory.efficiency_ratio", chip.memory.efficiency_ratio, SOFTWARE, 1e-6, 1, 1,
         "ratio", "assumption: all of the bandwidth is usable"),
    NEUTRAL("chip.memory.tile_minor", COUNT, chip.memory.tile_minor, NULL, SOFTWARE, 1, 65536, 1,
            "elements", "assumption: tensors lie in memory without gaps",
            "The innermost dimension of a tensor in memory is padded to a multiple of this "
            "many elements: samples or features, whichever pads less."),
    NEUTRAL("chip.memory.tile_second", COUNT, chip.memory.tile_second, NULL, SOFTWARE, 1, 65536, 1,
            "elements", "assumption: tensors lie in memory without gaps",
            "The other of these two dimensions is padded to a multiple of this many elements."),
    NEUTRAL("chip.memory.stacks", COUNT, chip.memory.stacks, NULL, false, 1, DSM_CORES_MAX, 1,
            "memories", "assumption: a chip has one memory",
            "Number of memories of a chip; each has an equal part of the samples, with padding of "
            "its own."),
    NEUTRAL("chip.memory.auxiliary_efficiency_ratio", REAL, chip.memory.auxiliary_efficiency_ratio,
            NULL, SOFTWARE | MIXED, 0, 1, 0, "ratio", "assumption: as chip.memory.efficiency_ratio",
            "Share of the peak bandwidth that auxiliary operations sustain; 0: efficiency_ratio."),
    NEUTRAL("chip.memory.reserve_ratio", REAL, chip.memory.reserve_ratio, NULL, SOFTWARE_COST, 0,
            0.99, 0, "ratio", "assumption: mappings may use all of the memory",
            "Section 12: share of the capacity that mappings must leave free for buffers, "
            "fragmentation and contexts."),
    WORD("system.topology", topologies, system.topology, true, 0, NULL),
    COUNT("system.chips_x", system.axes[0].chips, true, DSM_CHIPS_MAX, 0, "chips", NULL),
    COUNT("system.chips_y", system.axes[1].chips, true, DSM_CHIPS_MAX, 0, "chips", NULL),
    RATE("system.link_bandwidth_x_GBps", system.axes[0].bandwidth_GBps, "10^9 bytes/s"),
    RATE("system.link_bandwidth_y_GBps", system.axes[1].bandwidth_GBps, "10^9 bytes/s"),
    AXIS(0),
    AXIS(1),
    AXIS(2),
    NEUTRAL("system.collectives", WORD, system.collectives, &collectives, SOFTWARE, 0, 0,
            DSM_COLLECTIVES_NESTED, "word", "DeepSpatialMatrix paper, II-D: along X, then along Y",
            "How a collective goes over several axes: along one after the other (nested), or along "
            "one ring through all chips (ring)."),
    NEUTRAL("system.collective_order", WORD, system.collective_order, &collective_orders, SOFTWARE,
            0, 0, DSM_COLLECTIVE_ORDER_GIVEN, "word",
            "DeepSpatialMatrix paper, II-D: along X, then along Y",
            "Order of axes in a nested collective: as given, the fastest order, or in parts that "
            "begin along different axes at once."),
    NEUTRAL("system.collective_base_us", REAL, system.collective_base_us, NULL, SOFTWARE_COST, 0,
            1e6, 0, "10^-6 s", "assumption: a collective begins at once",
            "Time that passes before a collective begins."),
    NEUTRAL("system.step_overhead_us", REAL, system.step_overhead_us, NULL, SOFTWARE_COST, 0, 1e9,
            0, "10^-6 s", "assumption: the host is never waited for",
            "In dsm serve: time of the host beside each step: scheduling and sampling."),
    NEUTRAL("system.request_overhead_us", REAL, system.request_overhead_us, NULL, SOFTWARE_COST, 0,
            1e9, 0, "10^-6 s", "assumption: the host is never waited for",
            "In dsm serve: time of the host beside each step, for each of its requests."),
    NEUTRAL("system.cache_link_GBps", REAL, system.cache_link_GBps, NULL, SOFTWARE | MIXED, 0,
            RATE_MAX, 0, "10^9 bytes/s", "assumption: a link of the outermost axis",
            "In dsm serve --disaggregate: rate at which a request's cache goes from one instance "
            "to another; 0: that of a link of the outermost axis."),
    NEUTRAL("system.in_network_reduction", FLAG, system.in_network_reduction, &flags, false, 0, 1,
            false, "flag", "assumption: chips add what they reduce",
            "Switches sum the data that pass them: an all-reduce over a switch moves its bytes "
            "once, or goes by system.protocols.in_network."),
    PROTOCOL("low_latency", DSM_PROTOCOL_LOW_LATENCY,
             "a ring of small packets, half of which are flags,"),
    STEP("low_latency", DSM_PROTOCOL_LOW_LATENCY),
    PROTOCOL("low_latency_128", DSM_PROTOCOL_LOW_LATENCY_128, "a ring of lines of 128 bytes"),
    STEP("low_latency_128", DSM_PROTOCOL_LOW_LATENCY_128),
    PROTOCOL("simple", DSM_PROTOCOL_SIMPLE, "a ring of large packets"),
    STEP("simple", DSM_PROTOCOL_SIMPLE),
    PROTOCOL("all_to_all", DSM_PROTOCOL_ALL_TO_ALL, "an all-to-all"),
    STEP("all_to_all", DSM_PROTOCOL_ALL_TO_ALL),
    PROTOCOL("in_network", DSM_PROTOCOL_IN_NETWORK,
             "an all-reduce that switches do, with system.in_network_reduction,"),
    NEUTRAL("system.protocol_latency_ratio", REAL, system.protocol_latency_ratio, NULL,
            SOFTWARE_COST, 0, 1024, 1, "ratio", "assumption: chips are as fast as those measured",
            "How many times base_us and step_us of system.protocols the chips take."),
    NEUTRAL(
        "storage.fast.capacity_GB", REAL, storage.fast.capacity_GB, NULL, MIXED, 0, RATE_MAX, 0,
        "10^9 bytes", "assumption: data are there when they are needed",
        "Storage (docs/storage.md): capacity that the job has in fast storage near the chips, such "
        "as drives of the nodes or a burst buffer. Left out: the system states no storage."),
    NEUTRAL("storage.fast.bandwidth_GBps", REAL, storage.fast.bandwidth_GBps, NULL, MIXED, 0,
            RATE_MAX, 0, "10^9 bytes/s", "assumption: data are there when they are needed",
            "Bandwidth at which the whole system reads from fast storage."),
    NEUTRAL("storage.capacity.bandwidth_GBps", REAL, storage.capacity.bandwidth_GBps, NULL, MIXED,
            0, RATE_MAX, 0, "10^9 bytes/s", "assumption: data are there when they are needed",
            "Bandwidth at which the job reads from the storage that holds all data sets: its share "
            "of a parallel file system."),
    DSM__TECHNOLOGY_ROWS COST(
        "model.bptt_resident_copies", model.bptt_resident_copies, 0, FACTOR_MAX, 2, "copies",
        "assumption: weights and gradients are both resident in the backward and update "
        "passes of recurrent layers"),
    COST("model.relu_mask_bytes", model.relu_mask_bytes, 0, FACTOR_MAX, 0.125, "bytes/element",
         "assumption: one bit"),
    COST("model.batch_norm_saved_bytes", model.batch_norm_saved_bytes, 0, FACTOR_MAX, 0.125,
         "bytes/element", "assumption: one bit"),
    COST("model.reduce_memory_bytes", model.reduce_memory_bytes, 0, FACTOR_MAX, 1, "bytes/byte",
         "assumption: each gradient byte of the chip crosses the memory bus once in the reduction"),
    COST("model.broadcast_memory_bytes", model.broadcast_memory_bytes, 0, FACTOR_MAX, 1,
         "bytes/byte",
         "assumption: each weight byte of the chip crosses the memory bus once in the broadcast"),
    COST("model.reduce_ring_crossings", model.reduce_ring_crossings, 0, FACTOR_MAX, 2, "bytes/byte",
         "assumption: bytes received from a chip link enter and leave the ring"),
    COST("model.rotate_memory_bytes", model.rotate_memory_bytes, 0, FACTOR_MAX, 1, "bytes/byte",
         "assumption: a rotated byte crosses the memory bus once"),
    COST("model.relayout_memory_bytes", model.relayout_memory_bytes, 0, FACTOR_MAX, 2, "bytes/byte",
         "assumption: read and written"),
    COST("model.weight_update_memory_bytes", model.weight_update_memory_bytes, 0, FACTOR_MAX, 2,
         "bytes/byte", "assumption: read and written"),
    NEUTRAL("model.accumulate_memory_bytes", REAL, model.accumulate_memory_bytes, NULL, true, 0,
            FACTOR_MAX, 0, "bytes/weight",
            "assumption: gradients of micro-batches add up where they are made",
            "Section 8: memory traffic of adding a micro-batch's weight gradient to the sum of "
            "those before it, if that is an operation of its own."),
    REAL("model.partial_sum_bytes", model.partial_sum_bytes, DSM__PARAMETER_COST | MIXED, 0,
         FACTOR_MAX, 0, "bytes", "assumption: partial sums have the bytes that the workload says"),
    FLAG("model.dysm_uniform", model.dysm_uniform, false,
         "assumption: each layer has its own factor of dynamic spatial minibatching"),
    FLAG("model.dysm_accumulate_in_memory", model.dysm_accumulate_in_memory, true,
         "assumption: partial gradients are re-read from memory from the second spatial "
         "minibatch on"),
    FLAG("model.exact_rotation", model.exact_rotation, false,
         "assumption: the last step of a rotation, back to where it began, is charged"),
    FLAG(
        "model.exact_forks", model.exact_forks, false,
        "assumption: the activation gradient of a shortcut is written but not read back and added"),
    FLAG("model.overlapped_hand_over", model.overlapped_hand_over, false,
         "assumption: a stage computes, then hands over"),
    FLAG("model.pipeline_columns", model.pipeline_columns, false,
         "assumption: stages are whole rows of chips"),
    FLAG("model.lstm_gate_errors", model.lstm_gate_errors, false,
         "assumption: the update of an lstm reads the gradients of its H outputs"),
    FLAG("model.statistics_sums", model.statistics_sums, false,
         "assumption: summing statistics over cores is free"),
    FLAG("model.two_way_relayout", model.two_way_relayout, false,
         "assumption: relayouts go one way round each ring of chips"),
    WORD("model.layout_move", layout_moves, model.layout_move, false, DSM_LAYOUT_MOVE_NONE,
         "assumption: any core split finds a held tensor where it is"),
    FLAG("model.charge_held_masks", model.charge_held_masks, false,
         "assumption: masks are on chip with the activation gradient that is held"),
    FLAG("model.prefer_holding", model.prefer_holding, false,
         "assumption: of equally fast mappings the one that holds less"),
    FLAG("model.resident_operands", model.resident_operands, true,
         "assumption: a matmul's second operand is kept over timesteps as weights are"),
    NEUTRAL(
        "model.collective_memory_bytes", REAL, model.collective_memory_bytes, NULL, true, 0,
        FACTOR_MAX, 1, "bytes/byte",
        "assumption: each byte of a chip crosses the memory bus once as it is gathered, and once "
        "as it is summed",
        "Section 5: memory traffic for each byte that chips gather or sum because of their role in "
        "a layer."),
    NEUTRAL("model.feature_statistics", FLAG, model.feature_statistics, &flags, false, 0, 1, false,
            "flag", "assumption: chips that share features know the statistics of all of them",
            "Section 5: chips that share features sum the statistics of layer_norm, rms_norm and "
            "softmax over them."),
    NEUTRAL("model.expert_imbalance", REAL, model.expert_imbalance, NULL, true, 1, FACTOR_MAX, 1,
            "ratio", "assumption: tokens are spread evenly over the chips that share experts",
            "Section 3: with experts on chips of their own, tokens of the busiest chip over the "
            "average."),
    NEUTRAL("model.tile_schedule", FLAG, model.tile_schedule, &flags, false, 0, 1, false, "flag",
            "DeepSpatialMatrix paper, II-E: each core has a part of the loops",
            "Cores compute tiles of outputs, taking the next one as they become free, as on GPUs. "
            "There are no core splits and blocks then."),
    NEUTRAL("model.tiling", WORD, model.tiling, &tilings, false, 0, 0, DSM_TILING_PAPER, "word",
            "assumption: one operand stays in tiles, another is fetched once for each of them",
            "Section 5: how a core processes operands that do not fit its scratchpad: in the "
            "paper's two orders of loops, or also in tiles of all loops."),
    NEUTRAL("model.causal_skip", FLAG, model.causal_skip, &flags, false, 0, 1, true, "flag",
            "assumption: blocks of a score that a mask hides are left out",
            "Section 4: an attention with a causal mask computes only what the mask lets through."),
    NEUTRAL("model.fused_attention", FLAG, model.fused_attention, &flags, false, 0, 1, false,
            "flag", "assumption: scores are stored, as without fused kernels",
            "Section 5: the scores of an attention never leave the chip; its backward pass "
            "recomputes them."),
    NEUTRAL("model.kept_inputs", WORD, model.kept_inputs, &kept_inputs, false, 0, 0,
            DSM_KEPT_INPUTS_NONE, "word",
            "assumption: outputs and normalised inputs are all that training keeps",
            "Section 12: inputs that training keeps for the gradients of auxiliary operations: "
            "none, all but those of activations, or all."),
    NEUTRAL("model.attention_efficiency_ratio", REAL, model.attention_efficiency_ratio, NULL, MIXED,
            0, 1, 0, "ratio", "assumption: as array.efficiency_ratio",
            "With model.tile_schedule, in a fused attention: share of the peak rate that the "
            "arrays sustain, softmax included; 0: that of array.efficiency_ratio."),
    NEUTRAL("model.attention_skips_masked", FLAG, model.attention_skips_masked, &flags, false, 0, 1,
            true, "flag", "assumption: its tiles that a mask hides are left out",
            "With model.tile_schedule, in a fused attention: tiles that a mask hides are left out, "
            "as by model.causal_skip. false: they are computed."),
    NEUTRAL("model.fused_reductions", FLAG, model.fused_reductions, &flags, false, 0, 1, false,
            "flag", "assumption: each layer sums its own gradients",
            "Section 5: weight gradients that are summed along the same axes go in one collective: "
            "its latency is paid once a step, not once a layer."),
    NEUTRAL("model.sharded_update", FLAG, model.sharded_update, &flags, false, 0, 1, true, "flag",
            "DeepSpatialMatrix paper, II-D: each chip updates its part, and weights go back",
            "Section 5: chips that sum a weight's gradients update a part of the weights each. "
            "false: gradients are all-reduced, and each chip updates all the weights that it has, "
            "as in plain frameworks."),
    NEUTRAL("model.overlapped_reduction", FLAG, model.overlapped_reduction, &flags, false, 0, 1,
            false, "flag", "DeepSpatialMatrix paper, II-D: gradients are summed after the update",
            "Section 5: summing weight gradients and sending weights back overlap with the passes "
            "still to come; the last layer's are first."),
    NEUTRAL("model.overlapped_collectives", REAL, model.overlapped_collectives, NULL, false, 0, 1,
            0, "ratio", "assumption: a product waits for what roles gather and scatter",
            "Section 5: share of a layer's gathers, scatters and halos that hides behind its own "
            "product, as frameworks that cut both into pieces do it; not of all-reduces."),
    NEUTRAL("model.overlapped_dispatch", REAL, model.overlapped_dispatch, NULL, false, 0, 1, 0,
            "ratio", "assumption: experts wait for their tokens",
            "Section 5: the same of the all-to-alls of experts, as where one half of a batch "
            "computes while the tokens of the other move."),
    NEUTRAL("model.search", WORD, model.search, &role_searches, false, 0, 0, DSM_ROLE_SEARCH_PAPER,
            "word", "assumption: the paper's roles, whose search is the fastest",
            "Section 11: roles of axes that are searched by default: data and model parallelism "
            "(paper), or all, as with the optimizations spatial, tensor and expert."),
    NEUTRAL("model.search_hoist", FLAG, model.search_hoist, &flags, false, 0, 1, false, "flag",
            "DeepSpatialMatrix paper: an lstm computes timestep by timestep",
            "Section 7: whether training is searched with the optimization hoist by default, as "
            "machines are programmed that compute an lstm's input products at once."),
    NEUTRAL("model.auxiliary_traffic", WORD, model.auxiliary_traffic, &auxiliary_traffics, false, 0,
            0, DSM_AUXILIARY_TRAFFIC_NONE, "word",
            "assumption: auxiliary operations are done along with the operation that computes "
            "their operands",
            "Section 4: which auxiliary operations read and write memory: none; those that need "
            "sums over their operands (fused); or all, each as a kernel of its own (unfused)."),
    OPERATION_TRAFFIC("batch_norm", DSM_OPERATION_BATCH_NORM, forward, 2,
                      "assumption: read and written; its sums are taken where the operand is made",
                      has_traffic_of_sums),
    OPERATION_TRAFFIC(
        "batch_norm",
        DSM_OPERATION_BATCH_NORM, backward, 5,
        "assumption: operand and gradient read twice, first for two sums, a result written",
        has_traffic_of_sums),
    OPERATION_TRAFFIC("layer_norm", DSM_OPERATION_LAYER_NORM, forward, 2,
                      "assumption, as model.traffic_batch_norm_forward", has_traffic_of_sums),
    OPERATION_TRAFFIC("layer_norm", DSM_OPERATION_LAYER_NORM, backward, 5,
                      "assumption, as model.traffic_batch_norm_backward", has_traffic_of_sums),
    OPERATION_TRAFFIC("softmax", DSM_OPERATION_SOFTMAX, forward, 2, "assumption: read and written",
                      has_traffic_of_sums),
    OPERATION_TRAFFIC("softmax", DSM_OPERATION_SOFTMAX, backward, 3,
                      "assumption: result and gradient read, a result written",
                      has_traffic_of_sums),
    OPERATION_TRAFFIC("cross_entropy", DSM_OPERATION_CROSS_ENTROPY, forward, 2,
                      "assumption: read, and copied in single precision", has_traffic_of_sums),
    OPERATION_TRAFFIC("cross_entropy", DSM_OPERATION_CROSS_ENTROPY, backward, 0,
                      "assumption: all of it is in single precision", has_traffic_of_sums),
    WIDE_TRAFFIC("cross_entropy", DSM_OPERATION_CROSS_ENTROPY_WIDE, forward, 3,
                 "assumption: the copy written, read, and its softmax written"),
    WIDE_TRAFFIC("cross_entropy", DSM_OPERATION_CROSS_ENTROPY_WIDE, backward, 3,
                 "assumption: softmax and gradient read, a result written"),
    OPERATION_TRAFFIC("activation", DSM_OPERATION_ACTIVATION, forward, 2,
                      "assumption: read and written", has_traffic_of_all),
    OPERATION_TRAFFIC("activation", DSM_OPERATION_ACTIVATION, backward, 3,
                      "assumption: operand and gradient read, a result written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("bias", DSM_OPERATION_BIAS, forward, 0,
                      "assumption: added where the operand is made", has_traffic_of_all),
    OPERATION_TRAFFIC("bias", DSM_OPERATION_BIAS, backward, 1,
                      "assumption: the gradient read for its sum", has_traffic_of_all),
    OPERATION_TRAFFIC("residual", DSM_OPERATION_RESIDUAL, forward, 1,
                      "assumption: the other operand read", has_traffic_of_all),
    OPERATION_TRAFFIC("residual", DSM_OPERATION_RESIDUAL, backward, 0,
                      "assumption: both operands have the gradient of the sum", has_traffic_of_all),
    OPERATION_TRAFFIC("fork", DSM_OPERATION_FORK, forward, 0,
                      "assumption: all users read the same tensor", has_traffic_of_all),
    OPERATION_TRAFFIC("fork", DSM_OPERATION_FORK, backward, 3,
                      "assumption: two gradients read, their sum written", has_traffic_of_all),
    OPERATION_TRAFFIC("multiply", DSM_OPERATION_MULTIPLY, forward, 1,
                      "assumption: the other operand read", has_traffic_of_all),
    OPERATION_TRAFFIC("multiply", DSM_OPERATION_MULTIPLY, backward, 3,
                      "assumption: both operands read, the other's gradient written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("dropout", DSM_OPERATION_DROPOUT, forward, 2, "assumption: read and written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("dropout", DSM_OPERATION_DROPOUT, backward, 2, "assumption: read and written",
                      has_traffic_of_all),
    MASK_TRAFFIC("dropout", DSM_OPERATION_DROPOUT_MASK, forward, 1,
                 "assumption: a byte an element, written"),
    MASK_TRAFFIC("dropout", DSM_OPERATION_DROPOUT_MASK, backward, 1,
                 "assumption: a byte an element, read"),
    OPERATION_TRAFFIC("rotary", DSM_OPERATION_ROTARY, forward, 2, "assumption: read and written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("rotary", DSM_OPERATION_ROTARY, backward, 2, "assumption: read and written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("copy", DSM_OPERATION_COPY, forward, 2, "assumption: read and written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("copy", DSM_OPERATION_COPY, backward, 2, "assumption: read and written",
                      has_traffic_of_all),
    OPERATION_TRAFFIC("split", DSM_OPERATION_SPLIT, forward, 0,
                      "assumption: its readers read their parts in place", has_traffic_of_all),
    OPERATION_TRAFFIC("split", DSM_OPERATION_SPLIT, backward, 2,
                      "assumption: gradients of the parts read, written side by side",
                      has_traffic_of_all),
    NEUTRAL("model.spread_low", REAL, model.spread_low, NULL, true, 0, 1e6, 0, "ratio",
            "assumption: nothing was measured",
            "10th percentile of measured over predicted time, of measurements that the system was "
            "not calibrated on; it changes no prediction."),
    NEUTRAL("model.spread_high", REAL, model.spread_high, NULL, true, 0, 1e6, 0, "ratio",
            "assumption: nothing was measured", "The same, 90th percentile."),
    NEUTRAL("model.spread_count", COUNT, model.spread_count, NULL, false, 0, DSM_MEASUREMENTS_MAX,
            0, "measurements", "assumption: nothing was measured",
            "Number of measurements behind the spread; the range that they give is shown beside a "
            "predicted step time."),
};
/* clang-format on */

const size_t dsm__parameter_count = DSM__COUNT_OF(dsm__parameters);
_Static_assert(DSM__COUNT_OF(dsm__parameters) <= DSM__PARAMETERS_MAX, "room for all of them");
