/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bottlenecks.c: which passes lose most of the step, and what they lose it to, in sentences. Equal
 * layers, wherever in the network they are, are one bottleneck together. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "model/engine.h"
#include "model/names.h"
#include "report/folded_name.h"
#include "report/loss.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"
#include "report/table/storage_text.h"
#include "report/table/text_page.h"

/* A pass of equal layers and the cycles that it loses in all of them. */
typedef struct bottleneck_pass {
  const dsm_layer_plan *layer; /* the first of them; NULL: the wait for data, of no pass */
  size_t row;                  /* of the folding */
  size_t count;                /* of layers */
  dsm_pass pass;
  double lost;
} bottleneck_pass;

typedef struct bottleneck_list {
  bottleneck_pass items[DSM__BOTTLENECKS_MAX];
  size_t count;
} bottleneck_list;

/* Keeps the list in falling order; of equals the earlier stays before the later. */
static void consider(bottleneck_list *list, bottleneck_pass candidate) {
  size_t at = list->count;
  while (at > 0 && list->items[at - 1].lost < candidate.lost) {
    at--;
  }
  if (at == DSM__BOTTLENECKS_MAX) {
    return;
  }
  const size_t kept = list->count < DSM__BOTTLENECKS_MAX ? list->count : DSM__BOTTLENECKS_MAX - 1;
  memmove(&list->items[at + 1], &list->items[at], (kept - at) * sizeof *list->items);
  list->items[at] = candidate;
  list->count = kept + 1;
}

static bottleneck_list find_bottlenecks(const dsm_plan *plan, const dsm__folding *equal) {
  bottleneck_list list = {.count = 0};
  for (size_t row = 0; row < equal->row_count; row++) {
    const dsm__fold_row *const of = &equal->rows[row];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[of->first].passes[p];
      const double lost = pass->exists ? pass->cycles.total - pass->ideal_cycles : 0;
      if (lost > 0) {
        consider(&list, (bottleneck_pass){.layer = &plan->layers[of->first],
                                          .row = row,
                                          .count = of->count,
                                          .pass = (dsm_pass)p,
                                          .lost = (double)of->count * lost});
      }
    }
  }
  const double waiting = dsm__step_cycles(plan) - plan->result.step_cycles;
  if (waiting > 0) {
    consider(&list, (bottleneck_pass){.lost = waiting});
  }
  return list;
}

/* How long a group of a pass occupies each link, and which it occupies longest. */
typedef struct group_links {
  double cycles[DSM_LINK_COUNT];
  dsm_link slowest;
} group_links;

static group_links links_of(const dsm_pass_plan *pass, dsm_group group) {
  group_links links = {.slowest = DSM_LINK_AXIS};
  for (size_t i = 0; i < pass->transfer_count; i++) {
    if (pass->transfers[i].group == group) {
      links.cycles[pass->transfers[i].link] += pass->transfers[i].cycles;
    }
  }
  for (int l = 1; l < DSM_LINK_COUNT; l++) {
    links.slowest = links.cycles[l] > links.cycles[links.slowest] ? (dsm_link)l : links.slowest;
  }
  return links;
}

/* The transfer that occupies a group's slowest link longest, as "rotate_x on link_x"; empty if the
 * group carries nothing. */
static const char *busiest_transfer(dsm__page *page, const dsm_pass_plan *pass, dsm_group group) {
  const group_links links = links_of(pass, group);
  const dsm_plan_transfer *busiest = NULL;
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[i];
    if (transfer->group == group && transfer->link == links.slowest &&
        (busiest == NULL || transfer->cycles > busiest->cycles)) {
      busiest = transfer;
    }
  }
  return busiest == NULL
             ? ""
             : dsm__page_text(page, " (%s%s on %s)",
                              busiest->cycles < links.cycles[links.slowest] ? "most of it " : "",
                              dsm__page_word(page, &dsm__move_words,
                                             dsm__move_of(busiest->transfer, busiest->axis)),
                              dsm__page_word(page, &dsm__link_words, links.slowest));
}

/* The invocations that compute longest in a step. */
static const dsm_invocation *busiest_invocation(const dsm_pass_plan *pass) {
  const dsm_invocation *busiest = &pass->invocations[0];
  for (unsigned i = 1; i < pass->invocation_count; i++) {
    const dsm_invocation *const other = &pass->invocations[i];
    if ((double)other->count * other->cost.primary >
        (double)busiest->count * busiest->cost.primary) {
      busiest = other;
    }
  }
  return busiest;
}

/* ---- what a pass loses most to: what it is bound by, useful work aside ---- */

typedef struct cause {
  const char *phrase;
  const char *detail;
  double cycles;
} cause;

/* Why arrays are idle while they compute: features do not fill them, or shares differ in size. */
static const char *array_filling(dsm__page *page, const dsm_plan *plan,
                                 const bottleneck_pass *bottleneck) {
  const dsm_array *const array = &plan->system->array;
  const dsm_invocation *const busiest =
      busiest_invocation(&bottleneck->layer->passes[bottleneck->pass]);
  const bool is_backward = bottleneck->pass == DSM_PASS_BACKWARD;
  const uint64_t rows = busiest->array.n[is_backward ? DSM_DIM_OUT : DSM_DIM_IN];
  const uint64_t columns = busiest->array.n[is_backward ? DSM_DIM_IN : DSM_DIM_OUT];
  const uint64_t column_macs = array->columns * plan->system->pe.simd_macs;
  if (busiest->computing == DSM_COMPUTING_VECTOR_UNIT) {
    return " (the vector units compute it, as they are faster here)";
  }
  if (busiest->tile.n[DSM_TILE_PARTS] > 0) {
    return dsm__page_text(page, " (waves of tiles of %" PRIu64 " x %" PRIu64 " outputs)",
                          busiest->tile.n[DSM_TILE_ROWS], busiest->tile.n[DSM_TILE_COLUMNS]);
  }
  if (array->unroll_kernel_on_rows || plan->system->chip.peak_TFLOPS > 0) {
    return "";
  }
  if (rows >= array->rows && columns >= column_macs) {
    return " (the arrays are full, but shares are uneven)";
  }
  return dsm__page_text(
      page, " (an array takes %" PRIu64 " x %" PRIu64 " features, gets %" PRIu64 " x %" PRIu64 ")",
      array->rows, column_macs, rows, columns);
}

static const char *start_count(dsm__page *page, const dsm_plan *plan,
                               const bottleneck_pass *bottleneck) {
  const dsm_pass_plan *const pass = &bottleneck->layer->passes[bottleneck->pass];
  double invocations = 0;
  if (plan->system->array.block_cycles > 0) {
    return " and changing their blocks of weights";
  }
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    invocations += (double)pass->invocations[i].count;
  }
  const double starts = invocations * (double)pass->share.model_ways;
  return dsm__page_text(page, " (%s time%s%s, at %s cycle%s)", dsm__figure_fixed(starts, 0).text,
                        dsm__plural(starts), bottleneck->count > 1 ? " each" : "",
                        dsm__figure_short(plan->system->array.startup_cycles, 4).text,
                        dsm__plural(plan->system->array.startup_cycles));
}

/* What transfers that computation is hidden behind decide: what is left of the total. */
static double stream_cycles(const dsm_pass_plan *pass) {
  const double *const cycles = pass->resources.cycles;
  double others = cycles[DSM_BOUND_COMPUTE] + cycles[DSM_BOUND_STARTUP] +
                  cycles[DSM_BOUND_SCRATCHPAD] + cycles[DSM_BOUND_AUXILIARY] +
                  cycles[DSM_BOUND_AUXILIARY_MEMORY];
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    others += pass->group_cycles[g];
  }
  return pass->cycles.total - others;
}

/* Useful work is not lost: it is done by the arrays, or hidden behind transfers: those that stream,
 * or a hand-over that takes longer than a whole step of a pipeline. */
static dsm_resources lost_resources(const dsm_plan *plan, const dsm_pass_plan *pass) {
  dsm_resources lost = pass->resources;
  const bool is_behind_hand_over =
      plan->system->model.overlapped_hand_over && pass->group_cycles[DSM_GROUP_HAND_OVER] > 0;
  const dsm_group hiding = is_behind_hand_over ? DSM_GROUP_HAND_OVER : DSM_GROUP_STREAM;
  const double computing = fmin(pass->ideal_cycles, lost.cycles[DSM_BOUND_COMPUTE]);
  lost.cycles[DSM_BOUND_COMPUTE] -= computing;
  lost.cycles[dsm_bound_of_link(links_of(pass, hiding).slowest)] -= pass->ideal_cycles - computing;
  return lost;
}

/* What tiles wait for a link that nothing else of the pass does; 0 where computation is hidden
 * behind transfers. */
static double tile_cycles(const dsm_plan *plan, const dsm_pass_plan *pass, dsm_bound bound) {
  if (!dsm__engine_of(plan->system)->has_tiles || pass->cycles.overlapped_visible > 0) {
    return 0;
  }
  double waiting = pass->resources.cycles[bound];
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    const bool is_its = dsm_bound_of_link(links_of(pass, (dsm_group)g).slowest) == bound;
    waiting -= is_its ? pass->group_cycles[g] : 0;
  }
  return waiting;
}

/* Of the groups that are longest on a link the one that takes most. */
static cause link_cause(dsm__page *page, const dsm_plan *plan, const dsm_pass_plan *pass,
                        dsm_bound bound) {
  static const double nearly_all = 0.95;
  const double of_tiles = tile_cycles(plan, pass, bound);
  if (of_tiles > pass->resources.cycles[bound] / 2) {
    return (cause){.phrase = bound == DSM_BOUND_AUXILIARY_MEMORY
                                 ? "adding up partial sums"
                                 : "tiles that wait for their operands",
                   .detail = ""};
  }
  dsm_group most = DSM_GROUP_STREAM;
  double most_cycles = 0;
  double sum = 0;
  for (int g = 0; g < DSM_GROUP_LINKS_END; g++) {
    const double cycles = g == DSM_GROUP_STREAM
                              ? stream_cycles(pass)
                              : pass->group_cycles[g] - pass->group_latency_cycles[g];
    if (cycles > 0 && dsm_bound_of_link(links_of(pass, (dsm_group)g).slowest) == bound) {
      sum += cycles;
      most = cycles > most_cycles ? (dsm_group)g : most;
      most_cycles = fmax(cycles, most_cycles);
    }
  }
  const char *const phrase = most == DSM_GROUP_STREAM
                                 ? "transfers that take longer than the computation"
                                 : dsm__word_text(&dsm__group_words, most);
  return (cause){
      .phrase = most_cycles < nearly_all * sum
                    ? dsm__page_text(page, "%s, mostly %s",
                                     dsm__page_word(page, &dsm__bound_words, bound), phrase)
                    : phrase,
      .detail = busiest_transfer(page, pass, most),
  };
}

/* The group that waits longest for steps from chip to chip. */
static const char *latency_detail(dsm__page *page, const dsm_pass_plan *pass) {
  dsm_group most = DSM_GROUP_STREAM;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    most = pass->group_latency_cycles[g] > pass->group_latency_cycles[most] ? (dsm_group)g : most;
  }
  return dsm__page_text(page, " (most of it in %s)", dsm__word_key(&dsm__group_words, most));
}

static cause main_cause(dsm__page *page, const dsm_plan *plan, const bottleneck_pass *bottleneck) {
  static const char *const phrases[DSM_BOUND_COUNT] = {
      [DSM_BOUND_COMPUTE] = "array underuse",
      [DSM_BOUND_STARTUP] = "starting the arrays",
      [DSM_BOUND_SCRATCHPAD] = "loading weights into the arrays",
      [DSM_BOUND_AUXILIARY] = "auxiliary operations",
      [DSM_BOUND_OVERHEAD] = "starting and issuing kernels",
      [DSM_BOUND_BUBBLE] = "waiting for other stages",
      [DSM_BOUND_LATENCY] = "the latency of steps between chips",
      [DSM_BOUND_AUXILIARY_MEMORY] = "what auxiliary operations read and write",
  };
  const dsm_pass_plan *const pass = &bottleneck->layer->passes[bottleneck->pass];
  const double again = pass->group_cycles[DSM_GROUP_RECOMPUTE];
  if (again > (pass->cycles.total - pass->ideal_cycles) / 2) {
    return (cause){.phrase = dsm__word_text(&dsm__group_words, DSM_GROUP_RECOMPUTE),
                   .detail = "",
                   .cycles = (double)bottleneck->count * again};
  }
  const dsm_resources lost = lost_resources(plan, pass);
  const dsm_bound bound = dsm_resources_bound(&lost);
  cause found = {.phrase = phrases[bound], .detail = ""};
  if (found.phrase == NULL) { /* a link */
    found = link_cause(page, plan, pass, bound);
  } else if (bound == DSM_BOUND_LATENCY) {
    found.detail = latency_detail(page, pass);
  } else if (bound == DSM_BOUND_COMPUTE) {
    found.detail = array_filling(page, plan, bottleneck);
  } else if (bound == DSM_BOUND_STARTUP && dsm__engine_of(plan->system)->has_tiles) {
    found.phrase = "starting tiles";
  } else if (bound == DSM_BOUND_STARTUP) {
    found.detail = start_count(page, plan, bottleneck);
  }
  found.cycles = (double)bottleneck->count * lost.cycles[bound];
  return found;
}

/* "conv1 update", "24 x encoder.0..23.score backward"; NULL if out of memory. */
static const char *subject_of(dsm__page *page, const dsm_plan *plan, const dsm__folding *equal,
                              const bottleneck_pass *bottleneck) {
  const char *const name = dsm__fold_row_name(page->arena, plan, equal, bottleneck->row);
  const char *const pass = dsm_pass_name(bottleneck->pass);
  return name == NULL ? NULL
         : bottleneck->count > 1
             ? dsm__page_text(page, "%zu x %s %s", bottleneck->count, name, pass)
             : dsm__page_text(page, "%s %s", name, pass);
}

/* How much of the step its chips wait for data, and what would end that. */
static const char *waiting_sentence(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_storage *const storage = &plan->result.storage;
  const double share = dsm__share(storage->waiting_seconds, plan->result.step_seconds);
  const char *const cure =
      storage->state.bound == DSM_STORAGE_BOUND_FAST
          ? "fast storage is slower than what the chips take"
      : plan->options.mode == DSM_MODE_INFERENCE
          ? "the capacity tier is slower than what the chips take, and inference reads each sample "
            "once"
          : dsm__page_text(page, "mini-epochs that are trained on %s leave %s",
                           dsm__times_text(page, storage->state.stall_free_repeat),
                           dsm__fast_is_slow(&storage->job) ? "that for fast storage alone"
                                                            : "none");
  return dsm__page_text(page, "waiting for data: %s %% of the step; %s.",
                        dsm__figure_percent(share).text, cure);
}

static const char *pass_sentence(dsm__page *page, const dsm_plan *plan, const dsm__folding *equal,
                                 const bottleneck_pass *bottleneck) {
  const char *const subject = subject_of(page, plan, equal, bottleneck);
  const cause most = main_cause(page, plan, bottleneck);
  return dsm__page_text(
      page, "%s: %s %% of the step, of which %s %% goes to %s%s.", dsm__page_kept(page, subject),
      dsm__figure_percent(dsm__share(bottleneck->lost, dsm__step_cycles(plan))).text,
      dsm__figure_fixed(100 * dsm__share(most.cycles, bottleneck->lost), 0).text, most.phrase,
      most.detail);
}

size_t dsm__plan_bottleneck_sentences(dsm__page *page, const dsm_plan *plan,
                                      const char *sentences[DSM__BOTTLENECKS_MAX]) {
  dsm__folding equal;
  if (!dsm__fold_equal(&equal, plan, page->style.is_unfolded, page->arena)) {
    page->out.failed = true;
    return 0;
  }
  const bottleneck_list list = find_bottlenecks(plan, &equal);
  for (size_t i = 0; i < list.count; i++) {
    sentences[i] = list.items[i].layer == NULL ? waiting_sentence(page, plan)
                                               : pass_sentence(page, plan, &equal, &list.items[i]);
  }
  return list.count;
}

void dsm__plan_bottlenecks(dsm__page *page, const dsm_plan *plan) {
  const char *sentences[DSM__BOTTLENECKS_MAX];
  const size_t count = dsm__plan_bottleneck_sentences(page, plan, sentences);
  if (count == 0) {
    return;
  }
  dsm__page_heading(page, "Most is lost in");
  for (size_t i = 0; i < count; i++) {
    dsm__page_labelled(page, 3, dsm__page_text(page, "%zu.", i + 1), "%s", sentences[i]);
  }
}
