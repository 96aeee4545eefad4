/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compulsory_links.c: what a layer sends along an axis, as little as any choice of parallelisms for
 * its passes lets it. Relayouts between layers come on top.
 */
#include "compulsory_links.h"

enum { AXES = DSM_AXES_MAX };

/* Bit a: axis a shares features. */
typedef unsigned layout;

static bool is_model(layout of, int axis) {
  return (of >> axis & 1U) != 0;
}

typedef struct subject {
  const dsm_workload *workload;
  const dsm_layer *layer;
  const dsm_assumptions *model;
  double length[AXES]; /* chips along each axis; 1 where there is none */
  layout layout_count;
  int axis;
} subject;

/* Along the axes before one, or all (AXES). */
static double parts_before(const subject *s, int axis, layout of, bool of_features) {
  double count = 1;
  for (int a = 0; a < axis; a++) {
    count *= is_model(of, a) == of_features ? s->length[a] : 1;
  }
  return count;
}

static double parts(const subject *s, layout of, bool of_features) {
  return parts_before(s, AXES, of, of_features);
}

static double runs(const subject *s) {
  return (double)s->workload->minibatch * (double)s->layer->timesteps;
}

/* Features of all runs turn around an axis that shares them, once a turn of all axes before it. */
static double rotated(const subject *s, layout of, double bytes_per_element) {
  if (!is_model(of, s->axis) || s->length[s->axis] <= 1 || s->layer->lookup_elements > 0) {
    return 0;
  }
  const double full = (double)s->layer->input_elements * runs(s) / parts(s, of, false);
  const double turns = parts_before(s, s->axis, of, true);
  const double hops = s->length[s->axis] - (s->model->exact_rotation ? 1 : 0);
  return full / turns * hops / s->length[s->axis] * bytes_per_element;
}

/* A ring reduction, or the way back, of a chip's part along the axes that share samples. */
static double reduced(const subject *s, layout of, double bytes_per_element) {
  if (is_model(of, s->axis) || s->layer->is_tied) { /* a tied layer's are exchanged by the other */
    return 0;
  }
  const double bytes = (double)s->layer->weight_elements / parts(s, of, true) * bytes_per_element;
  const double before = parts_before(s, s->axis, of, false);
  return bytes / before * (s->length[s->axis] - 1) / s->length[s->axis];
}

/* Weights that go back to the chips that share samples in forward or backward: to all of them, or
 * where all that sum update all, to those that did not sum. */
static double returned(const subject *s, layout spread, layout update, double bytes_per_element) {
  if (s->model->sharded_update) {
    return reduced(s, spread, bytes_per_element);
  }
  if (is_model(spread, s->axis) || !is_model(update, s->axis) || s->layer->is_tied) {
    return 0;
  }
  double before = 1;
  for (int a = 0; a < s->axis; a++) {
    before *= !is_model(spread, a) && is_model(update, a) ? s->length[a] : 1;
  }
  const double bytes =
      (double)s->layer->weight_elements / parts(s, spread, true) * bytes_per_element;
  return bytes / before * (s->length[s->axis] - 1) / s->length[s->axis];
}

/* A tensor that changes from one layout to another, all-to-all. */
static double moved(const subject *s, layout from, layout to, double sample_bytes) {
  if (is_model(from, s->axis) == is_model(to, s->axis)) {
    return 0;
  }
  const double length = s->length[s->axis];
  const double squared = length * length - ((uint64_t)length % 2 == 1 ? 1 : 0);
  const double hops = s->model->two_way_relayout ? squared / (4 * length) : (length - 1) / 2;
  return sample_bytes * runs(s) / (s->length[0] * s->length[1] * s->length[2]) * hops;
}

/* What a layer states of an element, or else what the workload does. */
static double stated(double own, double of_workload) {
  return own > 0 ? own : of_workload;
}

/* Gradients are summed in the layout of update; weights go to where forward or backward shares
 * samples. */
static double trained(const subject *s, layout forward, layout backward, layout update) {
  const dsm_layer *const layer = s->layer;
  const dsm_workload *const w = s->workload;
  const layout spread = layer->has_backward ? forward & backward : forward;
  const double of_weight =
      stated(layer->bytes.weights, w->weight_bytes > 0 ? w->weight_bytes : w->element_bytes);
  const double of_input = stated(layer->bytes.input, w->element_bytes);
  const double of_output = stated(layer->bytes.output, w->element_bytes);
  const double times = s->model->sharded_update ? 1 : 2; /* an all-reduce */
  const double wide =
      s->model->partial_sum_bytes > 0 ? s->model->partial_sum_bytes : w->partial_sum_bytes;
  return rotated(s, forward, of_input) + rotated(s, update, of_input) +
         (layer->has_backward ? rotated(s, backward, wide) : 0) +
         times * reduced(s, update, w->gradient_bytes) + returned(s, spread, update, of_weight) +
         moved(s, forward, update, (double)layer->input_elements * of_input) +
         moved(s, backward, update, (double)layer->stored_elements * of_output);
}

static double least(const subject *s) {
  double bytes = trained(s, 0, 0, 0);
  for (layout f = 0; s->layer->groups == 1 && f < s->layout_count; f++) {
    for (layout b = 0; b < s->layout_count; b++) {
      for (layout u = 0; u < s->layout_count; u++) {
        const double one = trained(s, f, b, u);
        bytes = one < bytes ? one : bytes;
      }
    }
  }
  return bytes;
}

double compulsory_link_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                             size_t layer, dsm_link link) {
  const dsm_network *const network = &system->system;
  subject s = {
      .workload = workload,
      .layer = &workload->layers[layer],
      .model = &system->model,
      .length = {1, 1, 1},
      .layout_count = 1U << network->axis_count,
      .axis = (int)link - DSM_LINK_AXIS,
  };
  for (unsigned a = 0; a < network->axis_count; a++) {
    s.length[a] = (double)network->axes[a].chips;
  }
  /* Inference by data moves nothing; a stage of a pipeline has a torus of its own. */
  const bool is_bound = mode == DSM_MODE_TRAINING && s.layer->gates == 0 &&
                        s.layer->lookup_elements == 0 && s.layer->operand_groups == 0;
  return is_bound && s.layer->weight_elements > 0 ? least(&s) : 0;
}
