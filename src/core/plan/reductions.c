/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/reductions.h"

#include "model/chip_link.h"
#include "plan/keeping.h"

/* A sum; its way back; a way back without a sum, which begins by itself. */
enum { SUM, WAY_BACK, WAY_BACK_ALONE };

/* Its members are those along the axes that it has bytes on. */
static unsigned collective_of(const dsm_traffic *traffic, unsigned kind) {
  unsigned axes = 0;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    axes |= traffic->bytes[DSM_LINK_AXIS + a] > 0 ? 1U << a : 0;
  }
  return axes == 0 ? DSM__NO_COLLECTIVE : (kind << DSM_AXES_MAX) + axes;
}

static dsm__joined joined_of(const dsm_weight_traffic *traffic) {
  const unsigned sum = collective_of(&traffic->sum_of_gradients, SUM);
  const unsigned way_back = sum == DSM__NO_COLLECTIVE ? WAY_BACK_ALONE : WAY_BACK;
  return (dsm__joined){sum, collective_of(&traffic->broadcast_weights, way_back)};
}

static void share(dsm_traffic *traffic, const dsm__reductions *reductions, unsigned collective) {
  const bool is_joined = collective != DSM__NO_COLLECTIVE;
  traffic->latency_cycles *= (is_joined ? reductions->shares[collective] : 1) * reductions->weight;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] *= reductions->weight;
  }
}

/*
 * Source: section 5. Symbols: latency * share. Limits: a share of 1 is a collective of its own.
 */
void dsm__share_reductions(dsm_weight_traffic *traffic, const dsm__reductions *reductions) {
  const dsm__joined joined = joined_of(traffic);
  share(&traffic->sum_of_gradients, reductions, joined.sum_of_gradients);
  share(&traffic->broadcast_weights, reductions, joined.broadcast_weights);
  const double counted = 1 - reductions->hidden[DSM_PASS_UPDATE];
  traffic->weight_update.latency_cycles *= counted;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->weight_update.bytes[l] *= counted;
  }
}

static void join(dsm__collectives *collectives, unsigned collective, const dsm_traffic *traffic) {
  if (collective != DSM__NO_COLLECTIVE) {
    collectives->layers[collective]++;
    collectives->latency_cycles[collective] = traffic->latency_cycles; /* of all the same */
  }
}

void dsm__collectives_derive(dsm__collectives *collectives, const dsm_workload *workload,
                             const dsm_machine *machine, dsm_mode mode,
                             const dsm__decisions *decisions, dsm__joined *joined) {
  const dsm_precision precision = dsm_precision_of(workload, machine->system);
  *collectives = (dsm__collectives){{0}, {0}};
  size_t next_group = 0;
  for (size_t i = 0; joined != NULL && i < workload->layer_count; i++) {
    joined[i] = (dsm__joined){DSM__NO_COLLECTIVE, DSM__NO_COLLECTIVE};
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    if (next_group < decisions->pipeline_count &&
        i == decisions->pipelines[next_group].first_layer) {
      i += decisions->pipelines[next_group++].layer_count - 1;
    } else if (dsm_pass_exists(layer, mode, DSM_PASS_UPDATE)) {
      const dsm__layer_decision *const decision = &decisions->layers[i];
      dsm_weight_traffic traffic =
          dsm__sharded_weight_traffic(layer, machine, precision, &decision->layouts,
                                      dsm__is_update_sharded(machine, decision->layer.shard));
      if (decision->layer.shard >= DSM_SHARDING_WEIGHTS) {
        traffic.broadcast_weights = (dsm_traffic){.latency_cycles = 0};
      }
      const dsm__joined own = joined_of(&traffic);
      join(collectives, own.sum_of_gradients, &traffic.sum_of_gradients);
      join(collectives, own.broadcast_weights, &traffic.broadcast_weights);
      if (joined != NULL) {
        joined[i] = own;
      }
    }
  }
}

double dsm__collectives_latency(const dsm__collectives *collectives) {
  double cycles = 0;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    cycles += collectives->latency_cycles[c];
  }
  return cycles;
}

dsm__reductions dsm__even_shares(const dsm__collectives *collectives) {
  dsm__reductions reductions = {.weight = 1};
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    const size_t layers = collectives->layers[c];
    reductions.shares[c] = layers == 0 ? 1 : 1 / (double)layers;
  }
  return reductions;
}

dsm__reductions dsm__whole_shares(double weight) {
  dsm__reductions reductions = {.weight = weight};
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    reductions.shares[c] = 1;
  }
  return reductions;
}
