/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/problem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cases.h"
#include "plan/tolerance.h"
#include "search/preload/preload_candidates.h"
#include "search/preload/preload_outlook.h"

/* What is known of a step in which room is given out. */
typedef struct step_state {
  dsm__open_case head; /* its rank: the number of the step */
  bool is_scored;      /* as if holding took no room */
  unsigned tries;      /* with mappings of its own: good ones, then all */
} step_state;

/* Tries in which all levels get good mappings, before gaps that are left are closed. */
enum { TRY_GOOD = 1, TRY_ALL = 2 };

typedef struct searching {
  const dsm__problem *problem;
  dsm__solution *solution;
  dsm__factors factors;     /* with the uniform one at hand, if any */
  bool is_holding;          /* outputs may be held */
  dsm__preload_form *forms; /* of the solution without preloading */
  dsm__residents residents; /* runs of all levels */
  double best_cycles;
  unsigned tries;                            /* that each step is given */
  step_state *steps[DSM__PRELOAD_STEPS + 1]; /* [0], without preloading, is not used */
  dsm__preload_screened screened[DSM__PRELOAD_STEPS + 1];
} searching;

static bool is_below_best(const searching *s, double cycles) {
  return dsm__tie_limit(cycles) < s->best_cycles;
}

static bool is_over(const searching *s) {
  return dsm__problem_is_over(s->problem);
}

/* The mappings of a level that are worked on. */
typedef struct mappings {
  dsm__preload_mapping below;
  dsm__preload_mapping above;
  dsm__preload_mapping scratch;
  dsm__preload_mapping best; /* that fits, so far */
  bool is_memory_short;      /* some did not fit */
} mappings;

static bool mappings_init(mappings *m, const dsm__preload_level *level) {
  m->is_memory_short = false;
  return dsm__preload_mapping_init(&m->below, level) &&
         dsm__preload_mapping_init(&m->above, level) &&
         dsm__preload_mapping_init(&m->scratch, level) &&
         dsm__preload_mapping_init(&m->best, level);
}

/* ---- candidates of a level ---- */

/* Fills up a mapping, and keeps it if it is the best that fits. False if out of memory. */
static bool offer(dsm__preload_level *level, mappings *m, dsm__preload_mapping *mapping) {
  if (!dsm__preload_fits_memory(level, mapping)) {
    m->is_memory_short = true;
    return true;
  }
  if (!dsm__preload_fill(level, mapping)) {
    return false;
  }
  if (mapping->cycles < m->best.cycles) {
    const dsm__preload_mapping worse = m->best;
    m->best = *mapping;
    *mapping = worse;
  }
  return true;
}

static bool offer_both(dsm__preload_level *level, mappings *m) {
  return offer(level, m, &m->below) && offer(level, m, &m->above);
}

/* Copies the groups of decisions, which live as long as a level. False if out of memory. */
static bool copy_groups(dsm__arena *arena, const dsm__decisions *from, dsm__decisions *to) {
  dsm__pipeline_decision *const groups =
      dsm__arena_array(arena, from->pipeline_count, sizeof *groups);
  for (size_t g = 0; g < from->pipeline_count && groups != NULL; g++) {
    const size_t length = from->pipelines[g].layer_count;
    uint64_t *const rows = dsm__arena_array(arena, length, sizeof *rows);
    groups[g] = from->pipelines[g];
    groups[g].name = dsm__arena_strdup(arena, from->pipelines[g].name);
    groups[g].rows = rows;
    if (rows == NULL || groups[g].name == NULL) {
      return false;
    }
    memcpy(rows, from->pipelines[g].rows, length * sizeof *rows);
  }
  to->pipelines = groups;
  to->pipeline_count = from->pipeline_count;
  return groups != NULL;
}

/* Keeps decisions of a level as the best of all; their layers may still be changed. NULL if out of
 * memory. */
static dsm__layer_decision *keep(searching *s, const dsm__decisions *decisions, double cycles) {
  dsm__arena *const arena = s->problem->arena;
  const size_t layer_count = s->problem->inputs.workload->layer_count;
  dsm__decisions *const kept = dsm__arena_alloc(arena, sizeof *kept);
  dsm__layer_decision *const layers = dsm__arena_array(arena, layer_count, sizeof *layers);
  if (kept == NULL || layers == NULL || !copy_groups(arena, decisions, kept)) {
    return NULL;
  }
  memcpy(layers, decisions->layers, layer_count * sizeof *layers);
  kept->layers = layers;
  s->solution->preloading = kept;
  s->best_cycles = cycles;
  return layers;
}

/* Keeps a mapping if it is the best of all. */
static bool adopt_free(searching *s, dsm__preload_level *level,
                       const dsm__preload_mapping *mapping) {
  dsm__decisions decisions;
  if (!dsm__problem_decide(&level->problem, &level->network, &mapping->path, &decisions)) {
    return false;
  }
  dsm__layer_decision *const layers = keep(s, &decisions, mapping->cycles);
  if (layers != NULL) {
    dsm__preload_decide_steps(level, mapping, false, layers);
  }
  return layers != NULL;
}

/* Keeps a mapping, laid out where the model has layouts, if it is the best of all. */
static bool adopt(searching *s, dsm__preload_level *level, const dsm__preload_mapping *mapping) {
  if (!is_below_best(s, mapping->cycles)) {
    return true;
  }
  if (!dsm__has_layouts(s->problem->machine.system)) {
    return adopt_free(s, level, mapping);
  }
  dsm__preload_laid laid;
  bool is_done = dsm__preload_lay_out(&laid, level, mapping);
  if (is_done && is_below_best(s, laid.mapping.cycles)) {
    is_done = keep(s, &laid.decisions, laid.mapping.cycles) != NULL;
  }
  dsm__preload_laid_fini(&laid);
  return is_done;
}

/* A search of a level. */
typedef struct closing {
  searching *s;
  dsm__preload_level *level;
  mappings *m;
  dsm__preload_outlook outlook;
  bool is_complete; /* so far */
} closing;

/*
 * Searches all mappings, with one layer that gets a part or without: at first those near their
 * bound, which are few. Each time, the best of all is found, or the bound rises; until it is within
 * the gap of the best, or they are too many.
 *
 * The limit begins near the bound, where few partial mappings can still win, and is raised in
 * steps. Whatever is found below a limit is the best of all, as everything else below it was looked
 * at; where nothing is found the limit itself becomes the bound. So most levels are settled with
 * few labels, and only those whose optimum lies near the incumbent cost more.
 */
static bool search_all(closing *c, bool may_share, dsm__preload_bound *bound) {
  static const double shares[] = {1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0 / 2, 1};
  mappings *const m = c->m;
  const double gap = c->s->problem->inputs.options->gap;
  const double best = fmin(c->s->best_cycles, m->best.cycles) / (1 + gap);
  const double lowest =
      fmin(best, fmax(bound->cycles, dsm__preload_outlook_bound(&c->outlook, may_share)));
  dsm__preload_exact exact = {.is_complete = true};
  for (size_t i = 0; i < DSM__COUNT_OF(shares) && exact.is_complete; i++) {
    const double limit = shares[i] < 1 ? lowest + shares[i] * (best - lowest) : best;
    const dsm__preload_aim aim = {limit, may_share};
    if (!dsm__preload_search(c->level, &c->outlook, &aim, &m->scratch, &exact)) {
      return false;
    }
    if (exact.is_complete && may_share) {
      bound->cycles = fmax(bound->cycles, exact.is_found ? m->scratch.cycles : limit);
    }
    if (exact.is_found) {
      break;
    }
  }
  c->is_complete = exact.is_complete;
  return !exact.is_found || offer(c->level, m, &m->scratch);
}

/*
 * Where all layers are at ends, partial mappings are far fewer: the best of these leaves less to
 * look for with a layer that gets a part. Where the tables say less than prices many layers share
 * the room, and the best mapping will have such a layer.
 */
static bool close_gap(searching *s, dsm__preload_level *level, mappings *m,
                      dsm__preload_bound *bound) {
  closing c = {.s = s, .level = level, .m = m, .is_complete = true};
  return dsm__preload_outlook_init(&c.outlook, level, bound, s->best_cycles) &&
         (c.outlook.units == 0 || search_all(&c, false, bound)) &&
         (!c.is_complete || search_all(&c, true, bound));
}

/* Good mappings of a level whose bound leaves hope. */
static bool find_good(searching *s, dsm__preload_level *level, mappings *m) {
  if (!offer_both(level, m)) {
    return false;
  }
  if (!m->is_memory_short) {
    return true;
  }
  dsm__preload_bound unused;
  level->forms = s->forms;
  dsm__preload_bound_find(level, &m->below, &m->above, &m->scratch, &unused);
  const bool is_done = offer_both(level, m);
  level->forms = NULL;
  return is_done;
}

/* ---- levels ---- */

/* A free level's bound holds for all larger rooms too: they leave less to the rest. */
static void raise_bounds(searching *s, int step, const dsm__preload_bound *bound) {
  for (int c = step; c <= (bound->is_free ? DSM__PRELOAD_STEPS : step); c++) {
    s->steps[c]->head.bound = fmax(s->steps[c]->head.bound, bound->cycles);
  }
}

static void count_work(searching *s, const dsm__preload_level *level) {
  s->problem->found->evaluations += level->found.evaluations;
  dsm__pipeline_groups *const groups = &s->problem->found->groups;
  groups->is_complete = groups->is_complete && level->found.groups.is_complete;
  groups->is_exact = groups->is_exact && level->found.groups.is_exact;
}

/* Bounds a level as if holding took no room, and (unless worthwhile is NULL) tells where it pays.
 */
static bool score_relaxed(searching *s, int step, uint64_t *worthwhile, bool *is_any) {
  const dsm__preload_request request = {.problem = s->problem,
                                        .residents = &s->residents,
                                        .factors = &s->factors,
                                        .room_bytes = dsm__preload_room_of(s->problem, step),
                                        .is_holding = true,
                                        .is_relaxed = true};
  dsm__preload_level level;
  mappings m;
  dsm__preload_bound bound;
  bool is_done = dsm__preload_level_init(&level, &request) && mappings_init(&m, &level);
  if (is_done && !is_over(s)) {
    dsm__preload_bound_find(&level, &m.below, &m.above, &m.scratch, &bound);
    raise_bounds(s, step, &bound);
    is_done = worthwhile == NULL ||
              dsm__preload_worthwhile(&level, &bound, s->best_cycles, worthwhile, is_any);
  }
  count_work(s, &level);
  dsm__preload_level_fini(&level);
  s->steps[step]->is_scored = true;
  return is_done;
}

static bool solve_level(searching *s, int step, const uint64_t *worthwhile) {
  const dsm__preload_request request = {.problem = s->problem,
                                        .residents = &s->residents,
                                        .factors = &s->factors,
                                        .room_bytes = dsm__preload_room_of(s->problem, step),
                                        .is_holding = worthwhile != NULL,
                                        .worthwhile = worthwhile};
  dsm__preload_level level;
  mappings m;
  dsm__preload_bound bound;
  bool is_done = dsm__preload_level_init(&level, &request) && mappings_init(&m, &level);
  if (is_done && !is_over(s)) {
    dsm__preload_bound_find(&level, &m.below, &m.above, &m.scratch, &bound);
    /* States are missing that cannot be faster than the best so far. */
    const double others = s->is_holding ? s->best_cycles : HUGE_VAL;
    bound.is_free = bound.is_free && !s->is_holding;
    if (s->problem->is_bounding_off || is_below_best(s, bound.cycles)) {
      is_done =
          s->steps[step]->tries == 0 ? find_good(s, &level, &m) : close_gap(s, &level, &m, &bound);
    }
    is_done = is_done && adopt(s, &level, &m.best);
    bound.cycles = fmin(bound.cycles, others);
    if (!level.network.is_cut) { /* else the relaxed bound stands */
      raise_bounds(s, step, &bound);
    }
  }
  count_work(s, &level);
  dsm__preload_level_fini(&level);
  s->steps[step]->tries++;
  return is_done;
}

/* What the screen says of where holding can pay holds for all mappings faster than the limit that
 * it had. What it says nothing of is bounded first. */
static bool work_on(searching *s, int step) {
  const uint64_t *const screened = s->screened[step].worthwhile;
  if (!s->is_holding) {
    return solve_level(s, step, NULL);
  }
  if (screened != NULL) {
    return solve_level(s, step, s->screened[step].is_any ? screened : NULL);
  }
  if (!s->steps[step]->is_scored) {
    return score_relaxed(s, step, NULL, NULL);
  }
  const size_t boundaries = s->problem->inputs.workload->layer_count + 1;
  const size_t count = boundaries * DSM_PARALLELISM_COUNT;
  uint64_t *const worthwhile = dsm__arena_array(s->problem->arena, count, sizeof *worthwhile);
  bool is_any = false;
  return worthwhile != NULL && score_relaxed(s, step, worthwhile, &is_any) &&
         solve_level(s, step, is_any ? worthwhile : NULL);
}

/* A step stays until it has been given its tries. What is found at the one with the least bound
 * excludes the most of the others. */
static dsm__looked look(void *context, dsm__open_case *one) {
  searching *const s = context;
  const int step = (int)one->rank;
  if (!work_on(s, step)) {
    return DSM__LOOK_FAILED;
  }
  return s->steps[step]->tries < s->tries ? DSM__LOOK_OPEN : DSM__LOOK_CLOSED;
}

/* Is there no hope that a level has something faster, or no time? */
static bool is_hopeless(const void *context, double bound) {
  const searching *const s = context;
  const double gap = s->problem->inputs.options->gap;
  return (!s->problem->is_bounding_off && !is_below_best(s, bound * (1 + gap))) || is_over(s);
}

static const dsm__case_kind step_kind = {look, is_hopeless};

/* ---- all of it ---- */

/* What the solution without preloading looks like. */
static bool find_forms(searching *s) {
  const dsm__network_graph *const network = &s->solution->network;
  const size_t layer_count = s->problem->inputs.workload->layer_count;
  if (!DSM__RESERVE(s->problem->arena, s->forms, layer_count)) {
    return false;
  }
  size_t node = 0;
  for (size_t i = 0; i < s->solution->path.length; i++) {
    const dsm__graph_edge *const edge = &network->graph.edges[s->solution->path.edges[i]];
    const dsm__node_info *const info = &network->infos[node];
    if (info->kind == DSM__NODE_GROUP) {
      const dsm__pipeline_group *const group = &s->problem->found->groups.items[edge->tag];
      s->forms[info->layer].group_length = group->layer_count;
      for (size_t k = 0; k < group->layer_count; k++) {
        s->forms[info->layer + k].is_grouped = true;
      }
    } else if (dsm__network_is_layer(info)) {
      s->forms[info->layer].parallelism = (dsm_parallelism)info->forward;
    }
    node = edge->to;
  }
  return true;
}

/* With one uniform factor, or with free ones. */
static bool search_levels(searching *s) {
  memset(s->screened, 0, sizeof s->screened);
  dsm__layer_table_choose(&s->problem->table, &s->factors);
  const dsm__preload_screening screening = {s->problem, &s->factors, &s->residents, s->is_holding,
                                            s->best_cycles};
  if (!dsm__preload_screen(&screening, s->screened, &s->problem->found->evaluations)) {
    return false;
  }
  for (s->tries = TRY_GOOD; s->tries <= TRY_ALL; s->tries++) {
    dsm__cases steps = dsm__cases_begin(s->problem->arena);
    bool is_good = true;
    for (int c = 1; c <= DSM__PRELOAD_STEPS; c++) {
      const step_state first = {.head = {s->screened[c].bound, c}};
      const step_state *const one = s->tries == TRY_GOOD ? &first : s->steps[c];
      s->steps[c] = is_good ? dsm__cases_open(&steps, one, sizeof first) : NULL;
      is_good = s->steps[c] != NULL;
    }
    if (!is_good || !dsm__cases_search(&steps, &step_kind, s)) {
      return false;
    }
  }
  dsm__graph_answer *const answer = &s->solution->answer;
  for (int c = 1; c <= DSM__PRELOAD_STEPS; c++) {
    answer->lower_bound = fmin(answer->lower_bound, s->steps[c]->head.bound);
  }
  if (!is_below_best(s, answer->lower_bound)) { /* but for rounding it is met */
    answer->lower_bound = s->best_cycles;
  }
  return true;
}

static bool search_factors(searching *s) {
  dsm__factors *const factors = &s->factors;
  bool is_done = true;
  for (factors->conv_index = 0;
       is_done && factors->conv_index < (factors->is_uniform ? factors->count : 1);
       factors->conv_index++) {
    is_done = search_levels(s);
  }
  return is_done;
}

bool dsm__problem_solve_preload(const dsm__problem *problem, dsm__solution *solution) {
  searching s = {
      .problem = problem,
      .solution = solution,
      .factors = problem->factors,
      .is_holding = dsm__may_choose(problem->inputs.options, DSM__CHOICE_OUTPUT) &&
                    problem->lives.is_any_holdable,
      .best_cycles = solution->answer.cost,
  };
  assert(dsm__is_priced_by_time(&problem->machine,
                                &problem->inputs.prices)); /* runs of weights are times */
  if (dsm_preload_room_bytes(&problem->machine) <= 0) {
    return true;
  }
  const bool is_done =
      dsm__residents_init(&s.residents, &problem->table) && find_forms(&s) && search_factors(&s);
  problem->found->evaluations += s.residents.evaluations;
  dsm__residents_fini(&s.residents);
  solution->answer.cost = s.best_cycles;
  return is_done;
}
