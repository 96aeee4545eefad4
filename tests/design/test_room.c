/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best design is that of an exhaustive grid; budgets, ranges and threads do what they should;
 * what more of each parameter does is as its row says. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "how_many.h"
#include "random_numbers.h"
#include "system/system_internal.h"

#ifndef DESIGN_SIDE
#define DESIGN_SIDE HOW_MANY(5, 5, 3) /* values of a parameter; preset `twin` has 16 */
#endif

enum { TEXT = 256, DIMENSIONS = 3, SUITE_MAX = 3 };

static dsm_status read_bundled(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  char path[2 * TEXT];
  (void)context;
  (void)folder;
  snprintf(path, sizeof path, "%s/%s/%s.json", DSM_SOURCE_DIR,
           kind == DSM_DESCRIPTION_WORKLOAD ? "workloads" : "systems", name);
  *file = strdup(path);
  return dsm_file_read(text, length, path, diags);
}
static const dsm_sweep_source source = {.read = read_bundled};

/* ---- questions ---- */

typedef struct question {
  const char *networks[SUITE_MAX];
  const char *system;
  const char *paths[DIMENSIONS];
  double own[DIMENSIONS];
  double weights[DIMENSIONS]; /* of what a value over the own one costs */
  double budget;
  const char *minimize; /* NULL: step_seconds; n7 then */
  double joules;        /* most of a step; 0: any; likewise */
} question;

/* Of many kinds: rates, capacities, a latency, and a count. */
static const question questions[] = {
    {.networks = {"alexnet"},
     .system = "torus64",
     .paths = {"core.scratchpad_MiB", "chip.memory.bandwidth_GBps", "system.link_bandwidth_x_GBps"},
     .own = {1, 256, 120},
     .weights = {1, 2, .6},
     .budget = 3.6},
    {.networks = {"resnet18"},
     .system = "torus64",
     .paths = {"core.scratchpad_bandwidth_GBps", "chip.core_link_bandwidth_GBps",
               "system.link_bandwidth_y_GBps"},
     .own = {128, 256, 40},
     .weights = {.5, .7, .6},
     .budget = 1.5},
    {.networks = {"alexnet", "resnet18@0.5"},
     .system = "torus16",
     .paths = {"core.scratchpad_MiB", "chip.core_link_bandwidth_GBps",
               "chip.memory.bandwidth_GBps"},
     .own = {1, 256, 256},
     .weights = {1, .7, 2},
     .budget = 4},
    {.networks = {"resnet18"},
     .system = "torus64",
     .paths = {"chip.cores", "chip.memory.bandwidth_GBps", "system.link_bandwidth_x_GBps"},
     .own = {32, 256, 120},
     .weights = {4, 2, 1},
     .budget = 6},
    {.networks = {"alexnet"},
     .system = "torus64",
     .paths = {"array.startup_cycles", "chip.memory.bandwidth_GBps", "core.frequency_GHz"},
     .own = {1000, 256, 2},
     .weights = {-.2, 2, 2},
     .budget = 4.2},
    {.networks = {"alexnet"},
     .system = "torus16",
     .paths = {"core.scratchpad_MiB", "chip.memory.bandwidth_GBps",
               "chip.core_link_bandwidth_GBps"},
     .own = {1, 256, 256},
     .weights = {1, 2, .7},
     .budget = 4.5,
     .minimize = "joules"},
    {.networks = {"alexnet"},
     .system = "torus16",
     .paths = {"core.scratchpad_MiB", "chip.memory.bandwidth_GBps", "core.frequency_GHz"},
     .own = {1, 256, 2},
     .weights = {1, 2, 1},
     .budget = 4.5,
     .minimize = "edp"},
    {.networks = {"alexnet", "resnet18@0.5"},
     .system = "torus16",
     .paths = {"core.scratchpad_MiB", "chip.memory.bandwidth_GBps", "core.frequency_GHz"},
     .own = {1, 256, 2},
     .weights = {1, 2, 1},
     .budget = 4.5,
     .minimize = "dollars"},
    {.networks = {"alexnet"},
     .system = "torus16",
     .paths = {"core.scratchpad_MiB", "chip.memory.bandwidth_GBps", "core.frequency_GHz"},
     .own = {1, 256, 2},
     .weights = {1, 2, 1},
     .budget = 6,
     .joules = .45},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0], FRONTS = 2, FRONT_SIDE = 4 };

/* From a quarter to four times, the own one in the middle of an odd number. */
static double value_of(const question *of, size_t d, int index, int side) {
  const double value = of->own[d] * pow(16, (double)(index - side / 2) / (side - 1));
  return strcmp(of->paths[d], "chip.cores") == 0 ? round(value) : round(value * 1000) / 1000;
}

static double price_of(const question *of, const double *values) {
  double price = 0;
  for (size_t d = 0; d < DIMENSIONS; d++) {
    price += of->weights[d] * values[d] / of->own[d];
  }
  return price;
}

static bool is_powered(const question *of) {
  return of->minimize != NULL || of->joules > 0;
}

static dsm_design *find_front(const question *of, int side, double budget, double gap,
                              size_t threads, const char *store, const char *pareto) {
  char varies[DIMENSIONS][8 * TEXT];
  char define[2 * TEXT] = "price=0";
  char limit[TEXT];
  char joules[TEXT];
  const char *vary_list[DIMENSIONS];
  for (size_t d = 0; d < DIMENSIONS; d++) {
    snprintf(varies[d], sizeof varies[d], "%s=", of->paths[d]);
    for (int i = 0; i < side; i++) {
      const size_t used = strlen(varies[d]);
      snprintf(varies[d] + used, sizeof varies[d] - used, "%s%.10g", i == 0 ? "" : ",",
               value_of(of, d, i, side));
    }
    const size_t used = strlen(define);
    snprintf(define + used, sizeof define - used, " %c %.10g*%s/%.10g",
             of->weights[d] < 0 ? '-' : '+', fabs(of->weights[d]), of->paths[d], of->own[d]);
    vary_list[d] = varies[d];
  }
  snprintf(limit, sizeof limit, "price<=%.17g", budget);
  snprintf(joules, sizeof joules, "step_joules<=%.17g", of->joules);
  const char *const defines[] = {define};
  const char *const budgets[] = {limit, joules};
  const char *const sets[] = {"system.technology=n7"};
  dsm_design_request request = {.networks = of->networks,
                                .system = of->system,
                                .question = {.varies = vary_list,
                                             .vary_count = DIMENSIONS,
                                             .sets = sets,
                                             .set_count = is_powered(of) ? 1 : 0},
                                .defines = defines,
                                .define_count = 1,
                                .budgets = budgets,
                                .budget_count = of->joules > 0 ? 2 : 1,
                                .minimize = of->minimize,
                                .source = &source,
                                .pareto = pareto,
                                .gap = gap,
                                .thread_count = threads,
                                .store = store};
  while (request.network_count < SUITE_MAX && of->networks[request.network_count] != NULL) {
    request.network_count++;
  }
  dsm_design *design = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  const dsm_status status = dsm_design_find(&design, &request, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  return design;
}

static dsm_design *find(const question *of, int side, double budget, double gap, size_t threads,
                        const char *store) {
  return find_front(of, side, budget, gap, threads, store, NULL);
}

/* ---- the twin: the grid point by point, by explore alone ---- */

/* Of what is minimised, and joules. */
static double value_at(dsm_explorer *explorer, const dsm_workload *workload, const question *of,
                       const dsm_override *overrides, size_t count) {
  static const char *const words[] = {"time", "joules", "edp", "dollars"};
  char path[2 * TEXT];
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  dsm_explore_options options;
  double value = HUGE_VAL;
  dsm_explore_options_init(&options);
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, of->system);
  for (int aim = 0; of->minimize != NULL && aim < DSM_AIM_COUNT; aim++) {
    options.aim = strcmp(words[aim], of->minimize) == 0 ? (dsm_aim)aim : options.aim;
  }
  if (dsm_system_load(&system, path, overrides, count, NULL) == DSM_OK &&
      dsm_explorer_explore(explorer, &plan, workload, system, &options, NULL) == DSM_OK) {
    const dsm_plan_result *const found = &plan->result;
    value = options.aim == DSM_AIM_TIME ? found->step_seconds : found->energy.objective_value;
    value = of->joules > 0 && found->energy.step_joules > of->joules ? HUGE_VAL : value;
  }
  dsm_plan_free(plan);
  dsm_system_free(system);
  return value;
}

static double seconds_of(dsm_explorer *explorer, const dsm_workload *workload,
                         const char *system_name, const dsm_override *overrides, size_t count) {
  char path[2 * TEXT];
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  double seconds = HUGE_VAL;
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, system_name);
  if (dsm_system_load(&system, path, overrides, count, NULL) == DSM_OK &&
      dsm_explorer_explore(explorer, &plan, workload, system, NULL, NULL) == DSM_OK) {
    seconds = plan->result.step_seconds;
  }
  dsm_plan_free(plan);
  dsm_system_free(system);
  return seconds;
}

static dsm_workload *load_network(const char *text, double *weight) {
  char name[TEXT];
  char path[2 * TEXT];
  dsm_workload *workload = NULL;
  snprintf(name, sizeof name, "%s", text);
  char *const at = strchr(name, '@');
  *weight = at == NULL ? 1 : strtod(at + 1, NULL);
  if (at != NULL) {
    *at = '\0';
  }
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  return workload;
}

static double exhaustive(const question *of, int side) {
  dsm_workload *networks[SUITE_MAX];
  double weights[SUITE_MAX];
  dsm_explorer *const explorer = dsm_explorer_new();
  double sum = 0;
  double best = HUGE_VAL;
  size_t count = 0;
  for (; count < SUITE_MAX && of->networks[count] != NULL; count++) {
    networks[count] = load_network(of->networks[count], &weights[count]);
    sum += weights[count];
  }
  for (int point = 0; point < side * side * side; point++) {
    double values[DIMENSIONS];
    char texts[DIMENSIONS][TEXT];
    dsm_override overrides[DIMENSIONS + 1] = {[DIMENSIONS] = {.path = "technology", .value = "n7"}};
    const size_t override_count = DIMENSIONS + (is_powered(of) ? 1 : 0);
    int rest = point;
    for (size_t d = 0; d < DIMENSIONS; d++, rest /= side) {
      values[d] = value_of(of, d, rest % side, side);
      snprintf(texts[d], sizeof texts[d], "%.10g", values[d]);
      overrides[d] = (dsm_override){.path = of->paths[d], .value = texts[d]};
    }
    if (price_of(of, values) > of->budget * (1 + 1e-9)) {
      continue;
    }
    double logarithm = 0;
    for (size_t n = 0; n < count; n++) {
      logarithm +=
          weights[n] / sum * log(value_at(explorer, networks[n], of, overrides, override_count));
    }
    best = fmin(best, exp(logarithm));
  }
  for (size_t n = 0; n < count; n++) {
    dsm_workload_free(networks[n]);
  }
  dsm_explorer_free(explorer);
  return best;
}

START_TEST(test_best_of_the_grid) {
  const question *const of = &questions[_i];
  const double best = exhaustive(of, DESIGN_SIDE);
  dsm_design *const exact = find(of, DESIGN_SIDE, of->budget, 0, 1, NULL);
  ck_assert_double_eq_tol(exact->value / best, 1, 1e-9);
  ck_assert_double_eq_tol(exact->gap, 0, 1e-9);
  dsm_design *const near = find(of, DESIGN_SIDE, of->budget, .02, 1, NULL);
  ck_assert(near->value <= best * 1.02 * (1 + 1e-9));
  ck_assert(near->bound <= best * (1 + 1e-9));
  ck_assert(near->gap <= .02 + 1e-9);
  dsm_design_free(near);
  dsm_design_free(exact);
}
END_TEST

/* Each step of a front, and the line that it is proven not to be below. */
START_TEST(test_front_of_the_grid) {
  dsm_design *const design =
      find_front(&questions[_i], FRONT_SIDE, questions[_i].budget, .02, 1, NULL, "price");
  dsm_design *const alone = find(&questions[_i], FRONT_SIDE, questions[_i].budget, .02, 1, NULL);
  ck_assert(design->value >= alone->value && design->value <= alone->value);
  ck_assert(design->bound >= alone->bound && design->bound <= alone->bound);
  ck_assert_uint_ge(design->front_count, 2);
  for (size_t i = 0; i < design->front_count; i++) {
    const dsm_design_step *const step = &design->front[i];
    question within = questions[_i];
    within.budget = fmin(within.budget, step->most);
    const double best = exhaustive(&within, FRONT_SIDE);
    ck_assert(step->spent <= within.budget * (1 + 1e-9));
    ck_assert(step->value >= best * (1 - 1e-9) && step->value <= best * 1.02 * (1 + 1e-9));
    ck_assert(step->bound <= best * (1 + 1e-9));
    ck_assert(i == 0 || step->spent < design->front[i - 1].spent);
  }
  dsm_design_free(alone);
  dsm_design_free(design);
}
END_TEST

/* ---- properties ---- */

START_TEST(test_more_is_never_worse) {
  const question *const of = &questions[_i];
  double before = HUGE_VAL;
  for (int step = 0; step < 4; step++) {
    dsm_design *const design = find(of, 5, of->budget * (1 + .25 * step), 0, 1, NULL);
    ck_assert(design->value <= before * (1 + 1e-9));
    before = design->value;
    dsm_design_free(design);
  }
  dsm_design *const narrow = find(of, 3, of->budget, 0, 1, NULL);
  dsm_design *const wide = find(of, 5, of->budget, 0, 1, NULL); /* has all of these too */
  ck_assert(wide->value <= narrow->value * (1 + 1e-9));
  dsm_design_free(wide);
  dsm_design_free(narrow);
}
END_TEST

static void check_same(const dsm_design *one, const dsm_design *other) {
  ck_assert(one->value >= other->value && one->value <= other->value);
  ck_assert(one->bound >= other->bound && one->bound <= other->bound);
  ck_assert_uint_eq(one->explorations, other->explorations);
  ck_assert_uint_eq(one->boxes, other->boxes);
  for (size_t p = 0; p < one->parameter_count; p++) {
    ck_assert_str_eq(one->parameters[p].value, other->parameters[p].value);
  }
}

START_TEST(test_any_number_of_threads) {
  const question *const of = &questions[_i];
  dsm_design *const one = find(of, 5, of->budget, .005, 1, NULL);
  dsm_design *const several = find(of, 5, of->budget, .005, 3, NULL);
  check_same(one, several);
  dsm_design_free(several);
  dsm_design_free(one);
}
END_TEST

/* A database that has some of the points, as of a search that was killed. */
START_TEST(test_goes_on_from_a_database) {
  const question *const of = &questions[2];
  char path[] = "/tmp/dsm-design-XXXXXX";
  const int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  remove(path);
  dsm_design *const first = find(of, 5, of->budget, .3, 1, path);
  dsm_design *const more = find(of, 5, of->budget, 0, 1, path);
  dsm_design *const alone = find(of, 5, of->budget, 0, 1, NULL);
  check_same(more, alone);
  dsm_design_free(alone);
  dsm_design_free(more);
  dsm_design_free(first);
  remove(path);
}
END_TEST

/* ---- what more of a parameter does ---- */

/* Each row of the table that says what more of it does, on systems of four kinds. */
static const char *const kinds[] = {"torus16", "dgx1_v100", "tpu_v3_32", "summit_node"};
enum { KINDS = sizeof kinds / sizeof kinds[0], OTHERS = 3, STEPS = HOW_MANY(6, 3, 2) };

/* Its values: around that of a system, or from 0 to some that people state. */
static double value_in(const dsm__parameter *row, const dsm_system *system, double share) {
  static const struct {
    const char *unit;
    double most;
  } usual[] = {{"10^-6 s", 10}, {"ratio", 1}, {"cycles", 100}, {"MACs/cycle", 512}};
  const double own = dsm__parameter_number(row, system);
  double most = own > 0 ? 4 * own : 4;
  for (size_t u = 0; u < sizeof usual / sizeof usual[0] && !(own > 0); u++) {
    most = strcmp(row->unit, usual[u].unit) == 0 ? usual[u].most : most;
  }
  const double low = fmax(row->min, own / 4);
  return low + share * (fmin(row->max, most) - low);
}

/* Up to three others, drawn. */
static size_t draw_others(uint64_t *state, const dsm_system *system, const dsm__parameter *varied,
                          dsm_override overrides[], char texts[][TEXT]) {
  size_t count = 0;
  for (int trial = 0; trial < 100 && count < OTHERS; trial++) {
    const dsm__parameter *const row = &dsm__parameters[random_below(state, dsm__parameter_count)];
    const double share = (double)random_below(state, 1000) / 999;
    bool is_new = row != varied && dsm__parameter_way(row, system) != 0 &&
                  dsm__parameter_number(row, system) > 0 &&
                  strncmp(row->path, "system.link", strlen("system.link")) != 0;
    for (size_t o = 0; o < count; o++) {
      is_new = is_new && strcmp(overrides[o].path, row->path) != 0;
    }
    if (is_new) {
      snprintf(texts[count], TEXT, "%.6g", value_in(row, system, share));
      overrides[count] = (dsm_override){.path = row->path, .value = texts[count]};
      count++;
    }
  }
  return count;
}

/* Its times, from its least value to its most. */
static void check_row(dsm_explorer *explorer, const dsm_workload *network, const char *kind,
                      const dsm__parameter *row, uint64_t *state) {
  char path[2 * TEXT];
  char texts[OTHERS + 1][TEXT];
  dsm_override overrides[OTHERS + 1];
  dsm_system *system = NULL;
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, kind);
  ck_assert_int_eq(dsm_system_load(&system, path, NULL, 0, NULL), DSM_OK);
  const int way = dsm__parameter_way(row, system);
  const size_t count = draw_others(state, system, row, overrides, texts);
  double before = HUGE_VAL;
  for (int step = 0; step <= STEPS && way != 0; step++) {
    snprintf(texts[count], TEXT, "%.10g", value_in(row, system, (double)step / STEPS));
    overrides[count] = (dsm_override){.path = row->path, .value = texts[count]};
    const double seconds = seconds_of(explorer, network, kind, overrides, count + 1);
    if (step > 0 && isfinite(before)) { /* values that a system cannot have are skipped */
      ck_assert_msg(way < 0 ? seconds >= before * (1 - 1e-9) : seconds <= before * (1 + 1e-9),
                    "%s=%s on %s: %.17g s, before %.17g s", row->path, texts[count], kind, seconds,
                    before);
    }
    before = seconds;
  }
  dsm_system_free(system);
}

START_TEST(test_marked_rows) {
  static const char *const names[] = {"alexnet", "resnet18"};
  uint64_t state = 4000 + (uint64_t)_i;
  double weight = 1;
  dsm_workload *const network = load_network(names[_i % 2], &weight);
  dsm_explorer *const explorer = dsm_explorer_new();
  for (size_t kind = 0; kind < KINDS; kind++) {
    check_row(explorer, network, kinds[kind], &dsm__parameters[_i], &state);
  }
  dsm_explorer_free(explorer);
  dsm_workload_free(network);
}
END_TEST

/* ---- bad input ---- */

static const struct {
  const char *network;
  const char *varies[2];
  const char *define;
  const char *budget;
  const char *minimize;
  dsm_status status;
  const char *found; /* in the message */
} bad[] = {
    {"vgg16",
     {"core.scratchpad_MiB=1,2", "core.scratchpad_MiB=2,4"},
     0,
     0,
     0,
     DSM_ERROR_USAGE,
     "a second time"},
    {"vgg16", {"core.scratchpad_MiB=4..1/8"}, 0, 0, 0, DSM_ERROR_USAGE, "ends above its beginning"},
    {"vgg16", {"core.scratchpad_MiB=1..4/1"}, 0, 0, 0, DSM_ERROR_USAGE, "at least 2 numbers"},
    {"vgg16", {"core.scratchpad_MB=1,2"}, 0, 0, 0, DSM_ERROR_USAGE, "expected"},
    {"vgg16",
     {"core.scratchpad_MiB=1,2"},
     0,
     "core.scratchpad_MiB<=0.5",
     0,
     DSM_ERROR_INFEASIBLE,
     "the least is 1"},
    {"vgg16",
     {"core.scratchpad_MiB=1,2"},
     0,
     "core.scratchpad_MiB<0.5",
     0,
     DSM_ERROR_USAGE,
     "COLUMN<=NUMBER"},
    {"vgg16",
     {"core.scratchpad_MiB=1,2"},
     0,
     0,
     "step_second",
     DSM_ERROR_USAGE,
     "expected a column"},
    {"vgg16", {"core.scratchpad_MiB=1,2"}, "1=2", 0, 0, DSM_ERROR_USAGE, "NAME=EXPRESSION"},
    {"vgg16",
     {"core.scratchpad_MiB=1,2"},
     0,
     "chip_mm2<=100",
     0,
     DSM_ERROR_USAGE,
     "names a technology"},
    {"vgg16@0", {"core.scratchpad_MiB=1,2"}, 0, 0, 0, DSM_ERROR_USAGE, "a weight above 0"},
    {"gpt3_175b",
     {"core.scratchpad_MiB=1,2"},
     0,
     0,
     0,
     DSM_ERROR_INFEASIBLE,
     "runs on none of the designs"},
    {"vgg16", {NULL}, 0, 0, 0, DSM_ERROR_USAGE, "parameter that is varied"},
};
enum { BAD = sizeof bad / sizeof bad[0] };

START_TEST(test_bad_input) {
  const char *const networks[] = {bad[_i].network};
  const char *const defines[] = {bad[_i].define};
  const char *const budgets[] = {bad[_i].budget};
  size_t vary_count = 0;
  while (vary_count < 2 && bad[_i].varies[vary_count] != NULL) {
    vary_count++;
  }
  const dsm_design_request request = {
      .networks = networks,
      .network_count = 1,
      .system = "torus64",
      .question = {.varies = bad[_i].varies, .vary_count = vary_count},
      .defines = defines,
      .define_count = bad[_i].define != NULL,
      .budgets = budgets,
      .budget_count = bad[_i].budget != NULL,
      .minimize = bad[_i].minimize,
      .source = &source};
  dsm_design *design = NULL;
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_int_eq(dsm_design_find(&design, &request, diags), bad[_i].status);
  ck_assert_ptr_null(design);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_msg(strstr(dsm_diags_get(diags, 0)->message, bad[_i].found) != NULL, "%s",
                dsm_diags_get(diags, 0)->message);
  dsm_diags_free(diags);
}
END_TEST

static Suite *suite_design(void) {
  Suite *const suite = suite_create("design");
  TCase *const all = tcase_create("design");
  tcase_set_timeout(all, 1800);
  tcase_add_loop_test(all, test_best_of_the_grid, 0, QUESTIONS);
  tcase_add_loop_test(all, test_front_of_the_grid, 0, FRONTS);
  tcase_add_loop_test(all, test_more_is_never_worse, 0, QUESTIONS);
  tcase_add_loop_test(all, test_any_number_of_threads, 0, QUESTIONS);
  tcase_add_test(all, test_goes_on_from_a_database);
  tcase_add_loop_test(all, test_marked_rows, 0, (int)dsm__parameter_count);
  tcase_add_loop_test(all, test_bad_input, 0, BAD);
  suite_add_tcase(suite, all);
  return suite;
}

int main(void) {
  SRunner *const runner = srunner_create(suite_design());
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
