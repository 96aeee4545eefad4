/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_table.h: what every distinct layer costs while nothing is held on chip, with the DySM
 * factors among which the search may choose (section 8); and answers about passes of layers, from
 * the memo where it has them. */
#ifndef DSM_SEARCH_LAYER_TABLE_H
#define DSM_SEARCH_LAYER_TABLE_H

#include "base/deadline.h"
#include "dsm/plan.h"
#include "plan/core_splits.h"
#include "plan/holding.h"
#include "plan/strategy_rules.h"
#include "search/cost.h"
#include "search/distinct.h"
#include "search/memo.h"

/** How a layer is run beside its parallelisms has a number. Without timesteps that is its factor's:
 * factor number k is 2^k. With timesteps it is 0, or of an lstm whose input products are hoisted
 * DSM__RUN_HOISTED. */
enum { DSM__FACTORS_MAX = 64, DSM__RUN_HOISTED = 1 };

typedef struct dsm__factors {
  unsigned count;      /**< of factors that some layer may use, at least 1 */
  bool is_uniform;     /**< one factor for all convolutions, 1 for the rest */
  unsigned conv_index; /**< that one */
  bool may_hoist;      /**< some lstm */
} dsm__factors;

/** Numbers of ways to run some layer. */
static inline unsigned dsm__run_count(const dsm__factors *factors) {
  return factors->may_hoist && factors->count < 2 ? 2 : factors->count;
}

static inline bool dsm__is_run_hoisted(const dsm_layer *layer, unsigned index) {
  return layer->timesteps != 1 && index == DSM__RUN_HOISTED;
}

static inline uint64_t dsm__factor_of(unsigned index) {
  return (uint64_t)1 << index;
}

/** The factors that options, machine and minibatch leave; conv_index is 0. */
dsm__factors dsm__factors_derive(const dsm_workload *workload, const dsm_machine *machine,
                                 const dsm_explore_options *options);

/** May a layer be run by number `index`? */
bool dsm__factor_is_allowed(const dsm__factors *factors, const dsm_layer *layer, unsigned index);

/** What counts of layers before its end, that no earlier zone has. */
typedef struct dsm__zone {
  size_t end;
  dsm__reductions reductions;
} dsm__zone;

/** Rows of what classes choose: of layers in no zone, and of each zone. */
enum { DSM__ZONES_MAX = 5, DSM__ZONE_ROWS = DSM__ZONES_MAX + 1 };

/** Everything that costs are computed from, shared by all parts of a search. */
typedef struct dsm__search_inputs {
  const dsm_workload *workload;
  const dsm_machine *machine;
  dsm_precision precision; /**< of the workload on it */
  const dsm_explore_options *options;
  uint64_t micro_batches;                  /**< in a step, of which the workload is one; 0: one */
  double in_flight;                        /**< whose activations are kept at a time; 0: one */
  dsm__prices prices;                      /**< of what is chosen: the objective */
  bool is_staged;                          /**< on the chips of a stage of several */
  bool is_handed;                          /**< each segment hands over to the next one along */
  unsigned handed_axis;                    /**< this axis, which paths count */
  const bool *is_cut;                      /**< of a part of a network, behind which of its layers
                                              segments of the whole end; NULL: it is the whole */
  double preloaded_bytes;                  /**< of a core's scratchpad (section 10) */
  const dsm__reductions *reductions;       /**< see dsm__layer_setting */
  const dsm__zone *zones;                  /**< of the first layers, in place of these */
  size_t zone_count;                       /**< at most DSM__ZONES_MAX */
  double hidden_moves;                     /**< of what relayouts of the last micro-batch take on
                                                the way back, how much does not count */
  const dsm__reductions *class_reductions; /**< of each class in no zone, and in each, in place of
                                                the zone's; NULL: none */
  const size_t *class_of;                  /**< of each layer, where there are those, */
  size_t class_count;                      /**< and of how many classes they are */
  const dsm__table_cut
      *owner_cuts; /**< of each layer, see dsm__layer_setting; NULL: none is known */
  const dsm__table_cut *fixed_cuts; /**< of each layer, how it has to cut its weights, where that is
                                       known; NULL: of none */
  dsm__deadline *deadline;          /**< of the whole search; NULL: none */
  dsm__memo *memo; /**< what earlier explorations found; only for one thread; NULL: none */
  uint32_t memo_contexts[DSM_PASS_COUNT]; /**< see dsm__memo_begin */
} dsm__search_inputs;

/** In which row a layer is: 0, or that of a zone. */
static inline size_t dsm__zone_row(const dsm__search_inputs *inputs, size_t layer_index) {
  size_t zone = 0;
  while (zone < inputs->zone_count && layer_index >= inputs->zones[zone].end) {
    zone++;
  }
  return zone < inputs->zone_count ? zone + 1 : 0;
}

/** The parallelisms that a layer may have; data where it has to have other roles, which stands for
 * them where layers are only told apart. */
static inline dsm_parallelism_set dsm__search_parallelisms(const dsm__search_inputs *inputs,
                                                           const dsm_layer *layer) {
  const dsm_parallelism_set allowed =
      dsm__allowed_parallelisms(layer, inputs->options, inputs->machine->system);
  return allowed != 0 ? allowed : DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
}

/** May a layer cut its weights as it does with these parallelisms? */
bool dsm__is_table_open(const dsm__search_inputs *inputs, size_t layer_index,
                        const dsm_pass_layouts *layouts);

/** How the owner of a tied layer cuts its weights, where that is known. */
static inline dsm__table_cut dsm__known_owner_cut(const dsm__search_inputs *inputs,
                                                  size_t layer_index) {
  return inputs->owner_cuts != NULL ? inputs->owner_cuts[layer_index]
                                    : (dsm__table_cut){.is_known = false};
}

/** How a layer runs with a factor and with nothing held. */
dsm__layer_setting dsm__open_setting(const dsm__search_inputs *inputs, const dsm_layer *layer,
                                     uint64_t factor);

/** The same, run by number `index`. */
dsm__layer_setting dsm__run_setting(const dsm__search_inputs *inputs, const dsm_layer *layer,
                                    unsigned index);

/** A pair of parallelisms, of forward and of backward: what neighbouring layers see of a layer. */
enum { DSM__PAIRS = DSM_PARALLELISM_COUNT * DSM_PARALLELISM_COUNT };

/** All pairs of the first `count` parallelisms, in order. */
#define DSM__EACH_PAIR(pair, count)                                                                \
  unsigned pair = 0;                                                                               \
  (pair) < (count)*DSM_PARALLELISM_COUNT;                                                          \
  (pair) = dsm__pair_next(pair, count)

static inline unsigned dsm__pair_next(unsigned pair, unsigned count) {
  return (pair + 1) % DSM_PARALLELISM_COUNT == count % DSM_PARALLELISM_COUNT
             ? pair + 1 + (DSM_PARALLELISM_COUNT - count)
             : pair + 1;
}

static inline unsigned dsm__pair_of(dsm_parallelism forward, dsm_parallelism backward) {
  return (unsigned)forward * DSM_PARALLELISM_COUNT + (unsigned)backward;
}
static inline dsm_parallelism dsm__pair_forward(unsigned pair) {
  return (dsm_parallelism)(pair / DSM_PARALLELISM_COUNT);
}
static inline dsm_parallelism dsm__pair_backward(unsigned pair) {
  return (dsm_parallelism)(pair % DSM_PARALLELISM_COUNT);
}

/** The best of a layer for a pair. */
typedef struct dsm__open_choice {
  double cost; /**< all passes, reductions and moves inside the layer; infinite: not allowed */
  dsm_parallelism update;
  unsigned factor_index;
} dsm__open_choice;

typedef struct dsm__layer_table {
  const dsm__search_inputs *inputs;
  dsm__distinct distinct;
  dsm__core_splits splits;
  const uint32_t *shapes; /**< of each class, its number in the memo; NULL: nothing is kept */
  unsigned factor_count;  /**< numbers of ways to run a layer */
  dsm__factors factors;   /**< all that there are; conv_index is that of none */
  double *pass_cycles;    /**< see dsm__pass_cycles */
  dsm__open_choice (*choices)[DSM__PAIRS]; /**< see dsm__choices_of */
  uint64_t evaluations;
  bool are_alike_kept; /**< choices have each parallelism, also where an axis of one chip makes no
                            difference between two */
} dsm__layer_table;

/** Scores all passes of all distinct layers with all parallelisms and factors, on up to
 * options->thread_count threads; false if out of memory. The table borrows inputs. */
bool dsm__layer_table_fill(dsm__layer_table *table, const dsm__search_inputs *inputs,
                           const dsm__factors *factors, dsm__arena *arena);

/** What a layer chooses: a row for each class, and as many for each zone; then the same of hoisted
 * layers. */
static inline const dsm__open_choice *dsm__choices_of(const dsm__layer_table *table,
                                                      size_t layer_index, bool is_hoisted) {
  const size_t row = (is_hoisted ? DSM__ZONE_ROWS : 0U) + dsm__zone_row(table->inputs, layer_index);
  return table->choices[table->distinct.class_of[layer_index] + row * table->distinct.count];
}

/** Fills choices, once the table is filled; for uniform factors once for each of them. */
void dsm__layer_table_choose(const dsm__layer_table *table, const dsm__factors *factors);

/** Cycles of a pass of a class of layers; infinite where not allowed, 0 where it does not exist. */
static inline double *dsm__pass_cycles(const dsm__layer_table *table, size_t class_index,
                                       dsm_pass pass, dsm_parallelism parallelism,
                                       unsigned factor_index) {
  const size_t row =
      (class_index * DSM_PASS_COUNT + (size_t)pass) * DSM_PARALLELISM_COUNT + (size_t)parallelism;
  return &table->pass_cycles[row * table->factor_count + factor_index];
}

/** What a whole layer costs with nothing held, for any layouts: infinite where not allowed. */
double dsm__open_cost(const dsm__layer_table *table, size_t class_index,
                      const dsm_pass_layouts *layouts, unsigned factor_index);

/** The layer that stands for a class. */
static inline const dsm_layer *dsm__class_layer(const dsm__layer_table *table, size_t class_index) {
  return &table->inputs->workload->layers[table->distinct.representative[class_index]];
}

/** A pass of a layer of a class, as it is run. */
typedef struct dsm__recalled_pass {
  const dsm__layer_table *table;
  size_t class_index;
  const dsm__layer_setting *setting;
  dsm_pass pass;
  dsm_parallelism parallelism;
} dsm__recalled_pass;

/** dsm__best_pass_find, or dsm__least_pass_find where no splits are wanted, with the table's core
 * splits, of which only some are looked at once the time is over; the kernel may stay where the
 * options have reuse. Kept for later. */
dsm__best_pass dsm__recall_pass(const dsm__recalled_pass *of, bool are_splits_wanted);

/** What was kept of a kind of score; false if nothing was. */
bool dsm__recall_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score *score);

/** Keeps a score of which nothing was kept. */
void dsm__keep_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score score);

#endif
