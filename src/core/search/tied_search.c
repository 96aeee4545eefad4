/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tied_search.c: branch and bound over the ways in which owners cut their tables.
 *
 * What a tied layer exchanges depends on its own parallelism and on that of its owner, which may be
 * the first layer of a network while it is the last: no edge of a graph knows both. So the network
 * is searched with nothing exchanged at first. No mapping takes less, or needs less memory, and a
 * mapping that exchanges nothing is the fastest. Else the owner of the table that costs most is
 * fixed to each of its cuts, one case for each: in a case the layers that share that table pay what
 * they exchange, which then depends on them alone, and other tables are still free. A case's bound
 * is the answer of its search, or that from which it comes, or what the finder knows of it without
 * a search; cases come in the order of their bounds, and none is searched that is no better than
 * the best mapping known. All mappings are in some case, so that the answer is exact; but of large
 * networks a few cases are searched at most, and the least bound of the others is that of the
 * answer.
 */
#include "search/tied_search.h"

#include <math.h>
#include <string.h>

#include "plan/tied_tables.h"
#include "plan/tolerance.h"

/* Tables whose cuts are decided; what others exchange is in no bound. */
enum { TABLES_MAX = 8 };

/* Searches at most behind the first that have a mapping to beat: of larger networks the square of
 * so many layers over their own, and one at least. What is left open then is a gap. */
enum { SEARCHES_MAX = 1024, LAYERS_MAX = 768, UNBOUNDED_MIN = 32 };

/* No search begins behind so many edges of graphs of roles, once a mapping is known. */
enum { EDGES_MAX = 6000000 };

/* Of more layers, whose searches take long, a gap that is this small is left open. */
enum { SMALL_NETWORK = 128 };
static const double small_gap = 1e-3;

/* Weights that layers share. */
typedef struct table {
  size_t owner;
  dsm__table_cut *cuts;
  size_t count; /* 0: not asked yet */
} table;

/* Mappings in which some tables are cut in one way. Its rank is what the fastest may take, as far
 * as a finder knows. */
typedef struct tied_case {
  dsm__open_case head;
  size_t division;         /* which it came of; 0: none */
  size_t divided;          /* the table whose cut was fixed last */
  bool is_bounded;         /* by the finder, once some mapping was known */
  uint8_t cut[TABLES_MAX]; /* its number + 1; 0: free */
} tied_case;

typedef struct tied_search {
  const dsm__problem *problem;
  const dsm__tied_finder *finder;
  uint64_t edges; /* of graphs of roles before it */
  table tables[TABLES_MAX];
  size_t table_count;
  size_t *owner_of; /* of each layer; SIZE_MAX: it is not tied */
  dsm__table_cut *owner_cuts;
  dsm__table_cut *fixed_cuts;
  dsm_layer_memory *memory; /* scratch */
  size_t divisions;
  dsm__cases cases; /* closed with an infinite bound: it is proven that no mapping of one fits */
  double cost_limit;
  bool is_memory_short;     /* of some case the fastest mapping does not fit */
  dsm__graph_answer best;   /* not feasible: what some mapping needs at least */
  dsm__decisions decisions; /* likewise */
  size_t searches;
  size_t within;     /* of these: those behind the first that had a limit, or a mapping to beat */
  size_t within_max; /* of these at most */
} tied_search;

size_t dsm__tied_add_cut(const dsm_layer *layer, const dsm_machine *machine,
                         const dsm_pass_layouts *layouts, dsm__table_cut *cuts, size_t count) {
  const dsm__table_cut cut = dsm__table_cut_of(layer, machine, layouts);
  size_t i = 0;
  while (i < count && !dsm__table_is_cut_alike(&cuts[i], &cut)) {
    i++;
  }
  if (i == count && count < DSM__TABLE_CUTS_MAX) {
    cuts[count++] = cut;
  }
  return count;
}

size_t dsm__tied_word_cuts(const dsm__problem *problem, size_t layer_index, dsm__table_cut *cuts) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[layer_index];
  const unsigned ways = problem->machine.parallelism_count;
  const dsm_parallelism_set allowed = dsm__search_parallelisms(inputs, layer);
  const bool is_per_pass = dsm__may_choose(inputs->options, DSM__CHOICE_PASSES);
  size_t count = 0;
  for (unsigned n = 0; n < ways * ways * ways; n++) {
    const unsigned of[DSM_PASS_COUNT] = {n / ways / ways, n / ways % ways, n % ways};
    const bool is_uniform = of[0] == of[1] && of[0] == of[2];
    bool is_allowed = is_per_pass || is_uniform;
    dsm_pass_layouts layouts;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      is_allowed = is_allowed && (allowed & DSM_PARALLELISM_BIT(of[p])) != 0;
      layouts.of[p] = (dsm_parallelism)of[p];
    }
    count = is_allowed ? dsm__tied_add_cut(layer, &problem->machine, &layouts, cuts, count) : count;
  }
  return count;
}

/* ---- what layers exchange ---- */

/* A pipeline group's chips are not those of the others: what is in one exchanges nothing (A). */
static bool may_be_grouped(const dsm__problem *problem, size_t index) {
  bool is_any = !problem->found->groups.is_complete;
  for (size_t g = 0; g < problem->found->groups.count; g++) {
    const size_t first = problem->found->groups.items[g].first_layer;
    is_any =
        is_any || (index >= first && index < first + problem->found->groups.items[g].layer_count);
  }
  return is_any;
}

/* The number of the table of a tied layer; TABLES_MAX: none that is decided. */
static size_t table_of(const tied_search *s, size_t index) {
  size_t t = 0;
  while (t < s->table_count && s->tables[t].owner != s->owner_of[index]) {
    t++;
  }
  return t < s->table_count ? t : TABLES_MAX;
}

/* Is what a layer exchanges left out of the searches of a case? */
static bool is_left_out(const tied_search *s, const tied_case *one, size_t index) {
  const size_t t = table_of(s, index);
  return s->owner_of[index] != SIZE_MAX && (t == TABLES_MAX || one->cut[t] == 0);
}

/* What a mapping adds to what a case counts. */
typedef struct uncounted {
  double cost;
  double bytes;
  size_t table; /* of those that are free the one that adds most; TABLES_MAX: none does */
} uncounted;

static double copied_bytes(const dsm__problem *problem, const dsm__layer_setting *setting,
                           const dsm_pass_layouts *layouts) {
  dsm_layer_memory copy = {.weights_bytes = 0};
  dsm__add_table_copy(&copy, setting->layer, &problem->machine, problem->inputs.workload,
                      setting->mode, layouts, &setting->owner);
  return copy.weights_bytes + copy.gradients_bytes;
}

static uncounted uncounted_of(const tied_search *s, const tied_case *one,
                              const dsm__decisions *decisions) {
  const dsm__problem *const problem = s->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  double of_table[TABLES_MAX][2] = {{0, 0}}; /* cost, bytes */
  uncounted all = {.table = TABLES_MAX};
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (!is_left_out(s, one, i)) {
      continue;
    }
    const dsm_pass_layouts *const layouts = &decisions->layers[i].layouts;
    const size_t t = table_of(s, i);
    dsm__layer_setting setting = dsm__open_setting(&problem->inputs, &workload->layers[i], 1);
    setting.owner = dsm__owner_cut_of(workload, &problem->machine, decisions, i);
    const bool is_updated = dsm_pass_exists(setting.layer, setting.mode, DSM_PASS_UPDATE);
    const dsm__cost cost = {.once = is_updated ? dsm__tied_exchange_cycles(&setting, layouts) : 0};
    const double price = dsm__price(&problem->inputs.prices, &cost);
    const double bytes = copied_bytes(problem, &setting, layouts);
    all.cost += price;
    all.bytes += bytes;
    if (t < TABLES_MAX) {
      of_table[t][0] += price;
      of_table[t][1] += bytes;
    }
  }
  for (size_t t = 0; t < s->table_count; t++) {
    const bool is_any = of_table[t][0] > 0 || of_table[t][1] > 0;
    all.table = is_any && (all.table == TABLES_MAX || of_table[t][0] > of_table[all.table][0])
                    ? t
                    : all.table;
  }
  return all;
}

/* Does a mapping fit the memory with all that it keeps of tables? */
static bool is_fitting(const tied_search *s, const dsm__decisions *decisions, double *need_bytes) {
  const dsm__problem *const problem = s->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  const dsm_mode mode = problem->inputs.options->mode;
  dsm__decisions of_one = *decisions;
  of_one.micro_batches = 0; /* the workload is one of them */
  dsm__mapping_memory_derive(workload, &problem->machine, mode, &of_one, s->memory);
  *need_bytes = dsm__memory_need_of(workload, &problem->machine, mode, s->memory).total_bytes;
  return *need_bytes <= dsm__capacity_limit(problem->capacity_bytes);
}

/* ---- cases ---- */

/* Tied layers pay for the owners that a case fixes. */
static void begin_case(dsm__problem *of_case, tied_search *s, const tied_case *one) {
  dsm__search_inputs *const inputs = &of_case->inputs;
  bool is_any = false;
  dsm__case_begin(of_case, s->problem);
  for (size_t i = 0; i < inputs->workload->layer_count; i++) {
    const size_t t = table_of(s, i);
    s->owner_cuts[i] = s->fixed_cuts[i] = (dsm__table_cut){.is_known = false};
    if (s->owner_of[i] != SIZE_MAX && t < TABLES_MAX && one->cut[t] > 0) {
      const table *const of = &s->tables[t];
      s->owner_cuts[i] =
          dsm__owner_cut_seen(inputs->workload, of->owner, i, of->cuts[one->cut[t] - 1]);
    }
  }
  for (size_t t = 0; t < s->table_count; t++) {
    if (one->cut[t] > 0) {
      s->fixed_cuts[s->tables[t].owner] = s->tables[t].cuts[one->cut[t] - 1];
      is_any = true;
    }
  }
  inputs->owner_cuts = is_any ? s->owner_cuts : NULL;
  inputs->fixed_cuts = is_any ? s->fixed_cuts : NULL;
  s->problem->found->proven_cost = is_any ? 0 : s->problem->found->proven_cost;
}

/* What tied layers would exchange where they stay as they are and the owner of a table cuts it in
 * another way. */
static double exchange_cycles(const tied_search *s, const table *of, const dsm__table_cut *cut,
                              const dsm__decisions *decisions) {
  const dsm__problem *const problem = s->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  double cycles = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    dsm__layer_setting setting = dsm__open_setting(&problem->inputs, &workload->layers[i], 1);
    if (s->owner_of[i] == of->owner &&
        dsm_pass_exists(setting.layer, setting.mode, DSM_PASS_UPDATE)) {
      setting.owner = dsm__owner_cut_seen(workload, of->owner, i, *cut);
      cycles += dsm__tied_exchange_cycles(&setting, &decisions->layers[i].layouts);
    }
  }
  return cycles;
}

/* The fastest mapping known, or the limit; infinite: neither. */
static double known_cost(const tied_search *s) {
  return s->best.is_feasible ? fmin(s->cost_limit, s->best.cost) : s->cost_limit;
}

/* Finds the cuts of a table, once; false if out of memory. */
static bool find_cuts(tied_search *s, table *of) {
  if (of->cuts == NULL) {
    of->cuts = dsm__arena_array(s->problem->lasting, DSM__TABLE_CUTS_MAX, sizeof *of->cuts);
    of->count = of->cuts == NULL ? 0 : s->finder->cuts_of(s->problem, of->owner, of->cuts);
  }
  return of->cuts != NULL;
}

/* A case for each cut of a table, those first in which the mapping of the case that is divided
 * would exchange least. False if out of memory. */
static bool divide(tied_search *s, const tied_case *one, size_t t,
                   const dsm__decisions *decisions) {
  double exchanged[DSM__TABLE_CUTS_MAX];
  tied_case parts[DSM__TABLE_CUTS_MAX];
  table *const of = &s->tables[t];
  bool is_good = find_cuts(s, of);
  s->divisions++;
  for (size_t k = 0; k < of->count; k++) {
    const double cycles = exchange_cycles(s, of, &of->cuts[k], decisions);
    size_t at = k;
    for (; at > 0 && exchanged[at - 1] > cycles; at--) {
      exchanged[at] = exchanged[at - 1];
      parts[at] = parts[at - 1];
    }
    exchanged[at] = cycles;
    parts[at] = *one;
    parts[at].division = s->divisions;
    parts[at].divided = t;
    parts[at].is_bounded = false;
    parts[at].cut[t] = (uint8_t)(k + 1);
  }
  for (size_t k = 0; k < of->count; k++) {
    is_good = is_good && dsm__cases_open(&s->cases, &parts[k], sizeof parts[k]) != NULL;
  }
  return is_good;
}

/* Raises the bounds of the cases that came of the same one as the first of those open, all at once.
 * False if out of memory. */
static bool bound_siblings(tied_search *s, const tied_case *one) {
  const size_t t = one->divided;
  dsm__table_cut cuts[DSM__TABLE_CUTS_MAX];
  dsm__open_case *bounds[DSM__TABLE_CUTS_MAX];
  tied_case parent = *one;
  dsm__tied_cuts all = {s->tables[t].owner, cuts, 0};
  for (size_t i = 0; i < s->cases.open.count; i++) {
    tied_case *const other = (tied_case *)s->cases.open.items[i];
    if (other->division == one->division && !other->is_bounded) {
      cuts[all.count] = s->tables[t].cuts[other->cut[t] - 1];
      bounds[all.count++] = &other->head;
      other->head.rank = other->head.bound;
      other->is_bounded = true;
    }
  }
  parent.cut[t] = 0;
  dsm__problem of_parent;
  begin_case(&of_parent, s, &parent);
  return s->finder->bound_cuts(&of_parent, s->finder->context, known_cost(s), &all, bounds);
}

/* Keeps a mapping that is better than those before; of those that do not fit the one that needs
 * least. */
static void keep(tied_search *s, const dsm__graph_answer *answer, const dsm__decisions *decisions) {
  const bool is_better =
      answer->is_feasible
          ? !s->best.is_feasible || dsm__tie_limit(answer->cost) < s->best.cost
          : !s->best.is_feasible && answer->smallest_need_bytes < s->best.smallest_need_bytes;
  if (s->searches == 1 || is_better) {
    s->best = *answer;
    s->decisions = *decisions;
  }
}

/* Is a bound as good as the best mapping known, or the limit; or is what is left between it and the
 * best found here too little? What others found does not say where to stop, so that nothing is
 * missed for it. */
static bool is_good_enough(const tied_search *s, double bound) {
  const bool is_small = s->problem->inputs.workload->layer_count <= SMALL_NETWORK;
  const double known = known_cost(s);
  return isfinite(known) &&
         (dsm__tie_limit(bound) >= known ||
          (!is_small && s->best.is_feasible && bound >= (1 - small_gap) * s->best.cost));
}

/* Is no more to be searched, but what has a bound? */
static bool is_over(const tied_search *s) {
  const size_t asked = s->finder->searches_max;
  const bool is_long = s->problem->found->role_edges - s->edges > EDGES_MAX && s->best.is_feasible;
  return (asked > 0 && s->searches >= asked) || s->within >= s->within_max || is_long ||
         dsm__problem_is_over(s->problem);
}

/* Searches a case, and closes or divides it. */
static dsm__looked search_case(tied_search *s, tied_case *one) {
  const dsm__problem *const problem = s->problem;
  const double limit = known_cost(s);
  dsm__graph_answer answer;
  dsm__decisions decisions = {.layers = NULL};
  dsm__problem of_case;
  begin_case(&of_case, s, one);
  if (!s->finder->find(&of_case, s->finder->context, limit, &answer, &decisions)) {
    return DSM__LOOK_FAILED;
  }
  s->is_memory_short = s->is_memory_short || answer.is_memory_short;
  s->within += s->searches++ > 0 && isfinite(limit) ? 1 : 0;
  if (!answer.is_feasible || !isfinite(answer.cost)) {
    const bool is_proven = !problem->found->is_need_rounded && !dsm__problem_is_over(problem);
    one->head.bound = is_proven ? HUGE_VAL : fmax(one->head.bound, answer.lower_bound);
    keep(s, &answer, &decisions);
    return DSM__LOOK_CLOSED;
  }
  one->head.bound = fmax(one->head.bound, answer.lower_bound);
  const uncounted more = uncounted_of(s, one, &decisions);
  double need = 0;
  answer.cost += more.cost;
  if (more.bytes > 0 && !is_fitting(s, &decisions, &need)) {
    answer = (dsm__graph_answer){.cost = HUGE_VAL, .smallest_need_bytes = need};
    s->is_memory_short = true;
  }
  keep(s, &answer, &decisions);
  if (more.table == TABLES_MAX || is_good_enough(s, one->head.bound) || is_over(s)) {
    return DSM__LOOK_CLOSED;
  }
  return divide(s, one, more.table, &decisions) ? DSM__LOOK_DIVIDED : DSM__LOOK_FAILED;
}

/* The first case is searched whatever the time. Bounds of the others rise also where no more is to
 * be searched. */
static dsm__looked look(void *context, dsm__open_case *head) {
  tied_search *const s = context;
  tied_case *const one = (tied_case *)head;
  const bool is_first = s->searches == 0;
  if (!is_first && !one->is_bounded && s->finder->bound_cuts != NULL && isfinite(known_cost(s)) &&
      !dsm__problem_is_over(s->problem)) {
    return bound_siblings(s, one) ? DSM__LOOK_OPEN : DSM__LOOK_FAILED;
  }
  return is_first || !is_over(s) ? search_case(s, one) : DSM__LOOK_CLOSED;
}

static bool is_done(const void *context, double bound) {
  const tied_search *const s = context;
  return s->searches > 0 && is_good_enough(s, bound);
}

static const dsm__case_kind tied_kind = {look, is_done};

/* ---- all of it ---- */

bool dsm__tied_is_asked(const dsm__problem *problem) {
  return dsm__has_tied_layers(problem->inputs.workload) && !problem->are_ties_free;
}

/* Of tied layers and their tables; false if out of memory. */
static bool begin(tied_search *s) {
  const dsm__problem *const problem = s->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  const size_t count = workload->layer_count;
  if (!DSM__RESERVE(problem->lasting, s->owner_of, count) ||
      !DSM__RESERVE(problem->lasting, s->owner_cuts, count) ||
      !DSM__RESERVE(problem->lasting, s->fixed_cuts, count) ||
      !DSM__RESERVE(problem->lasting, s->memory, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    s->owner_of[i] = workload->layers[i].is_tied ? dsm__tie_owner(workload, i) : SIZE_MAX;
    const bool is_decided = s->owner_of[i] != SIZE_MAX && !may_be_grouped(problem, i) &&
                            !may_be_grouped(problem, s->owner_of[i]);
    if (is_decided && table_of(s, i) == TABLES_MAX && s->table_count < TABLES_MAX) {
      s->tables[s->table_count++] = (table){.owner = s->owner_of[i]};
    }
  }
  return true;
}

bool dsm__tied_search(const dsm__problem *problem, const dsm__tied_finder *finder,
                      double cost_limit, dsm__graph_answer *answer, dsm__decisions *decisions) {
  tied_search s = {.problem = problem,
                   .finder = finder,
                   .edges = problem->found->role_edges,
                   .cost_limit = cost_limit,
                   .cases = dsm__cases_begin(problem->lasting)};
  const tied_case all = {.is_bounded = true};
  if (!dsm__tied_is_asked(problem)) {
    return finder->find(problem, finder->context, cost_limit, answer, decisions);
  }
  const bool is_begun = begin(&s);
  const size_t layer_count = problem->inputs.workload->layer_count;
  const size_t share = LAYERS_MAX / layer_count;
  const size_t least = finder->bound_cuts == NULL ? UNBOUNDED_MIN : 1;
  const size_t most = share * share > least ? share * share : least;
  s.within_max = layer_count <= SMALL_NETWORK ? SEARCHES_MAX : most;
  const bool is_good = is_begun && dsm__cases_open(&s.cases, &all, sizeof all) != NULL &&
                       dsm__cases_search(&s.cases, &tied_kind, &s);
  const double bound = dsm__cases_bound(&s.cases);
  *answer = s.best;
  *decisions = s.decisions;
  answer->is_memory_short = s.is_memory_short;
  answer->lower_bound = s.best.is_feasible ? fmin(bound, s.best.cost) : bound;
  return is_good;
}
