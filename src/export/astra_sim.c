/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * astra_sim.c: a plan as ASTRA-sim's text workload and network file.
 *
 * Source: astra-sim/astra-sim at the tag tutorial-asplos2022: inputs/workload/README.md (the
 * columns), astra-sim/workload/Workload.cc (initialize_workload, decode_involved_dimensions: which
 * axes a strategy sums or gathers along), astra-sim/system/collective/Ring.cc (what the bytes of
 * a collective mean), astra-sim/system/Common.hh (a cycle is a nanosecond);
 * astra-sim/astra-network-analytical: common/network-parser/NetworkParser.cpp and
 * common/NetworkFunction.cpp (a GB is 2^30 bytes).
 *
 * Every cycle of the plan is in one column: what a collective stands for is left to the simulator,
 * all else is computation.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "export/phase.h"
#include "export/target.h"
#include "model/links.h"

/* What ASTRA-sim knows of a pass of a layer. */
typedef struct phase {
  double cycles;
  const char *collective;
  double bytes; /* of a chip */
} phase;

static const phase nothing = {.collective = "NONE"};

typedef struct layer_line {
  phase of[DSM_PASS_COUNT];
} layer_line;

/* ---- strategies ---- */

/*
 * Dimension 0 is X, 1 is Y; an axis of one chip is no dimension. HYBRID_MODEL_DATA sums gradients
 * along dimension 0 and gathers features along the others, HYBRID_DATA_MODEL the other way round.
 */
static const char *strategy_of(const dsm_system *system, dsm_parallelism parallelism) {
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  bool is_data = true; /* of all that are dimensions */
  bool is_model = true;
  bool is_first_model = false;
  for (unsigned a = system->system.axis_count; a-- > 0;) {
    if (system->system.axes[a].chips > 1) {
      is_first_model = dsm_axis_set_has(model, a);
      is_data = is_data && !is_first_model;
      is_model = is_model && is_first_model;
    }
  }
  if (is_data || is_model) {
    return is_data ? "DATA" : "MODEL";
  }
  return is_first_model ? "HYBRID_DATA_MODEL" : "HYBRID_MODEL_DATA";
}

static const char *strategy_of_pass(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  return strategy_of(plan->system, plan->layers[layer].passes[pass].share.parallelism);
}

/* The strategy of a layer is that of its forward pass. */
static const char *strategy_of_layer(const dsm_plan *plan, size_t layer) {
  return strategy_of_pass(plan, layer, DSM_PASS_FORWARD);
}

/* Does a pass go by the strategy of its layer? */
static bool has_strategy(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  return strcmp(strategy_of_pass(plan, layer, pass), strategy_of_layer(plan, layer)) == 0;
}

/* ---- phases ---- */

/* A collective goes by the strategy of its layer, or not at all: then it is computation. */
static phase phase_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  static const char *const names[DSM__COLLECTIVE_COUNT] = {
      [DSM__COLLECTIVE_NONE] = "NONE",
      [DSM__COLLECTIVE_ALL_GATHER] = "ALLGATHER",
      [DSM__COLLECTIVE_REDUCE_SCATTER] = "REDUCESCATTER",
      [DSM__COLLECTIVE_ALL_REDUCE] = "ALLREDUCE"};
  const dsm_layer_plan *const planned = &plan->layers[layer];
  const bool is_backward_alike = pass != DSM_PASS_UPDATE ||
                                 !planned->passes[DSM_PASS_BACKWARD].exists ||
                                 has_strategy(plan, layer, DSM_PASS_BACKWARD);
  if (!planned->passes[pass].exists) {
    return nothing;
  }
  const dsm__export_phase made = dsm__export_phase_of(plan, layer, pass);
  return is_backward_alike && has_strategy(plan, layer, pass)
             ? (phase){made.cycles, names[made.collective], made.bytes}
             : (phase){planned->passes[pass].cycles.total, "NONE", 0};
}

/*
 * Readers stop after the weight gradient of the first line: ASTRA-sim 1 never sums the errors of
 * its input, and computes them only with MODEL. So all of its backward pass is in its update.
 */
static layer_line line_of(const dsm_plan *plan, size_t layer) {
  layer_line line = {.of = {[DSM_PASS_FORWARD] = phase_of(plan, layer, DSM_PASS_FORWARD),
                            [DSM_PASS_BACKWARD] = phase_of(plan, layer, DSM_PASS_BACKWARD),
                            [DSM_PASS_UPDATE] = phase_of(plan, layer, DSM_PASS_UPDATE)}};
  if (layer == 0) {
    const dsm_pass_plan *const backward = &plan->layers[layer].passes[DSM_PASS_BACKWARD];
    line.of[DSM_PASS_BACKWARD] = nothing;
    line.of[DSM_PASS_UPDATE].cycles += backward->exists ? backward->cycles.total : 0;
  }
  return line;
}

static bool has_collective(const dsm_plan *plan, size_t layer) {
  const layer_line line = line_of(plan, layer);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    if (line.of[pass].bytes > 0) {
      return true;
    }
  }
  return false;
}

/* The one strategy of all layers with a collective, since the others go by any; the first layer's
 * where none has one; NULL where they differ. */
static const char *common_strategy(const dsm_plan *plan) {
  const char *common = NULL;
  for (size_t layer = 0; layer < plan->layer_count; layer++) {
    if (has_collective(plan, layer)) {
      const char *const own = strategy_of_layer(plan, layer);
      if (common != NULL && strcmp(common, own) != 0) {
        return NULL;
      }
      common = own;
    }
  }
  return common != NULL ? common : strategy_of_layer(plan, 0);
}

/* ---- texts ---- */

/* The least that ASTRA-sim can wait: an update delay or a latency of 0 ends it. Its update delay
 * follows each collective of a layer, so the weight update cannot be there. */
enum { least_ns = 1 };

/* ASTRA-sim's cycles, which are nanoseconds. */
static void put_cycles(dsm__text_buffer *out, const dsm_plan *plan, double cycles) {
  const double nanoseconds = cycles / plan->system->core.frequency_GHz;
  dsm__text_printf(out, "\t%.0f", round(nanoseconds > 0 ? nanoseconds : 0));
}

static void put_line(dsm__text_buffer *out, const dsm_plan *plan, size_t layer, const char *name) {
  const layer_line line = line_of(plan, layer);
  dsm__text_puts(out, name);
  dsm__text_puts(out, "\t-1");
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    put_cycles(out, plan, line.of[pass].cycles);
    dsm__text_printf(out, "\t%s\t%.0f", line.of[pass].collective, round(line.of[pass].bytes));
  }
  dsm__text_printf(out, "\t%d", least_ns);
}

void dsm__astra_sim_write_workload(dsm__text_buffer *out, const dsm_plan *plan) {
  dsm__arena *const arena = dsm__arena_new();
  const char **const names = arena == NULL ? NULL : dsm__export_names(plan, arena);
  const char *const common = common_strategy(plan);
  out->failed = out->failed || names == NULL;
  dsm__text_printf(out, "%s\n%zu\n", common != NULL ? common : "HYBRID_CUSTOMIZED",
                   plan->layer_count);
  for (size_t layer = 0; layer < plan->layer_count && names != NULL; layer++) {
    put_line(out, plan, layer, names[layer]);
    if (common == NULL) {
      dsm__text_printf(out, "\t%s", strategy_of_layer(plan, layer));
    }
    dsm__text_puts(out, "\n");
  }
  dsm__arena_free(arena);
}

/* What can be used of the bandwidth. */
static void put_bandwidth(dsm__text_buffer *out, const dsm_network_axis *of) {
  char text[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(
      of->bandwidth_GBps * of->efficiency_ratio * DSM__BYTES_PER_GB / DSM__BYTES_PER_GIB, text);
  dsm__text_puts(out, text);
}

static void put_latency(dsm__text_buffer *out, const dsm_network_axis *of) {
  const double latency_ns = of->latency_us * DSM__NS_PER_US;
  dsm__text_printf(out, "%.1f", latency_ns > least_ns ? latency_ns : (double)least_ns);
}

/* An axis of one chip is no dimension: ASTRA-sim wants at least two in each. */
void dsm__astra_sim_write_network(dsm__text_buffer *out, const dsm_plan *plan) {
  dsm_network_axis dimensions[DSM_AXES_MAX];
  size_t count = 0;
  for (unsigned a = 0; a < plan->system->system.axis_count; a++) {
    if (plan->system->system.axes[a].chips > 1) {
      dimensions[count++] = plan->system->system.axes[a];
    }
  }
  dsm__text_puts(out, "topology: [");
  for (size_t d = 0; d < count; d++) {
    dsm__text_puts(out, d == 0 ? " " : ", ");
    dsm__text_puts(out, dsm__link_row_of(&dimensions[d])->has_ports ? "Switch" : "Ring");
  }
  dsm__text_puts(out, " ]\nnpus_count: [");
  for (size_t d = 0; d < count; d++) {
    dsm__text_printf(out, "%s %" PRIu64, d == 0 ? "" : ",", dimensions[d].chips);
  }
  dsm__text_puts(out, " ]\nbandwidth: [");
  for (size_t d = 0; d < count; d++) {
    dsm__text_puts(out, d == 0 ? " " : ", ");
    put_bandwidth(out, &dimensions[d]);
  }
  dsm__text_puts(out, " ]  # GB/s, of 2^30 bytes\nlatency: [");
  for (size_t d = 0; d < count; d++) {
    dsm__text_puts(out, d == 0 ? " " : ", ");
    put_latency(out, &dimensions[d]);
  }
  dsm__text_puts(out, " ]  # ns\n");
}

/* Its parallelisms are those of data and model, of which what roles exchange is none. */
static bool is_of_data_and_model(const dsm_plan *plan, dsm_diags *diags) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists && dsm_parallelism_has_roles(pass->share.parallelism)) {
        char path[64];
        (void)snprintf(path, sizeof path, "$.layers[%zu].passes.%s.parallelism", i,
                       dsm_pass_name((dsm_pass)p));
        dsm__diags_add(
            diags, DSM_SEVERITY_ERROR, (dsm__place){.path = path},
            "explore without the optimizations spatial, tensor and expert makes such a plan",
            "expected data and model parallelism, since ASTRA-sim has no other roles of "
            "axes, found \"%s\"",
            dsm_plan_parallelism_name(plan, pass->share.parallelism));
        return false;
      }
    }
  }
  return true;
}

bool dsm__astra_sim_can_express(const dsm_plan *plan, dsm_diags *diags) {
  if (dsm_system_chips(plan->system) == 1) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.path = "$.system.system"}, NULL,
                   "expected 2 chips or more, since ASTRA-sim simulates a network, found 1");
    return false;
  }
  if (plan->stages.count > 1) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.path = "$.stages"},
                   "explore without the optimization stages makes such a plan",
                   "expected a step of all chips together, found %zu stages", plan->stages.count);
    return false;
  }
  return is_of_data_and_model(plan, diags);
}
