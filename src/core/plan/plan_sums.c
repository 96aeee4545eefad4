/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_sums.c: what the numbers that a text of the format "dsm-plan/1" records come to. The rules
 * are those of docs/formats.md, a row each. They are of the text, whether a program wrote it just
 * now or a person has edited it.
 */
#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "dsm/plan.h"

/* ---- rules ---- */

/* What has numbers, and what its parts are. */
enum {
  INVOCATION = 1 << 0,
  PASS = 1 << 1,   /* invocations */
  GROUP = 1 << 2,  /* of layers in a pipeline: their passes */
  RESULT = 1 << 3, /* all passes */
  ALL = INVOCATION | PASS | RESULT
};

/* Numbers of parts that are added up. */
static const char *const added[] = {
    "cycles.primary",   "cycles.overlapped",     "cycles.overlapped_visible",
    "cycles.auxiliary", "cycles.non_overlapped", "cycles.total",
    "ideal_cycles",     "groups.recompute"};
enum { TOTAL = 5, AGAIN = 7, ADDED_COUNT = 8 };

typedef struct rule {
  unsigned of;
  bool is_limit; /* the sum is the most that it may be */
  const char *key;
  const char *due; /* what it is, for people */
  /* The numbers that it is the sum of; behind "+" one of each part, behind "?" one that is left out
   * where it is 0. An object stands for all numbers in it. */
  const char *terms[12];
  const char *over; /* a number that the sum is divided by */
} rule;

#define SUM(of, key, due, ...)                                                                     \
  { of, false, key, due, {__VA_ARGS__}, NULL }
#define PARTS(of, key, due)                                                                        \
  { of, false, key, due, {"+" key}, NULL }
#define RATIO(of, over)                                                                            \
  { of, false, "utilization", "ideal_cycles over all cycles", {"ideal_cycles"}, over }
#define LIMIT(of, key, due, limit)                                                                 \
  { of, true, key, due, {limit}, NULL }

static const rule rules[] = {
    SUM(ALL, "cycles.total", "the sum of primary, overlapped_visible, auxiliary and non_overlapped",
        "cycles.primary", "cycles.overlapped_visible", "cycles.auxiliary", "cycles.non_overlapped"),
    LIMIT(ALL, "cycles.overlapped_visible", "overlapped", "cycles.overlapped"),
    SUM(ALL, "resources", "cycles.total", "cycles.total"),
    PARTS(PASS, "cycles.primary", "the sum over the invocations"),
    PARTS(PASS, "cycles.overlapped", "the sum over the invocations"),
    PARTS(PASS, "cycles.overlapped_visible", "the sum over the invocations"),
    PARTS(PASS, "cycles.auxiliary", "the sum over the invocations"),
    PARTS(PASS, "groups.recompute", "what invocations of the forward pass take again"),
    SUM(PASS, "cycles.overlapped", "the group stream", "?groups.stream"),
    SUM(PASS, "groups", "the sum of overlapped and non_overlapped", "cycles.overlapped",
        "cycles.non_overlapped"),
    SUM(PASS, "cycles.non_overlapped", "the sum over the invocations and of groups that they lack",
        "+cycles.non_overlapped", "?groups.hand_over", "?groups.sum_of_gradients",
        "?groups.broadcast_weights", "?groups.weight_update", "?groups.tied_weights",
        "?groups.relayout", "?groups.issue", "?groups.recompute", "?groups.bubble",
        "?groups.auxiliary"),
    RATIO(PASS, "cycles.total"),
    SUM(GROUP, "cycles", "the sum over the passes of its layers", "+cycles.total"),
    PARTS(RESULT, "cycles.primary", "the sum over all passes"),
    PARTS(RESULT, "cycles.overlapped", "the sum over all passes"),
    PARTS(RESULT, "cycles.overlapped_visible", "the sum over all passes"),
    PARTS(RESULT, "cycles.auxiliary", "the sum over all passes"),
    PARTS(RESULT, "cycles.non_overlapped", "the sum over all passes"),
    PARTS(RESULT, "cycles.total", "the sum over all passes"),
    PARTS(RESULT, "ideal_cycles", "the sum over all passes"),
    SUM(RESULT, "step_cycles", "cycles.total", "cycles.total"),
    SUM(RESULT, "step_cycles", "the sum over all passes", "+cycles.total"),
    SUM(RESULT, "step_seconds", "the sum of computing_seconds and waiting_seconds",
        "storage.computing_seconds", "storage.waiting_seconds"),
    SUM(RESULT, "latency_seconds", "step_seconds", "step_seconds"),
    SUM(RESULT, "energy.step_joules", "the sum of joules by what takes them",
        "energy.compute_joules", "energy.vector_joules", "energy.scratchpad_joules",
        "energy.core_links_joules", "energy.shared_memory_joules", "energy.memory_joules",
        "energy.links_joules", "energy.static_joules"),
    LIMIT(RESULT, "energy.objective_bound", "objective_value", "energy.objective_value"),
    LIMIT(RESULT, "lower_bound_cycles", "step_cycles", "step_cycles"),
    RATIO(RESULT, "step_cycles"),
    SUM(RESULT, "memory.total_bytes",
        "the sum of weights, activations, gradients, errors, optimizer, cache and recomputed",
        "?memory.weights_bytes", "?memory.activations_bytes", "?memory.gradients_bytes",
        "?memory.errors_bytes", "?memory.optimizer_bytes", "?memory.cache_bytes",
        "?memory.recomputed_bytes"),
};

/* ---- what a rule says of an object ---- */

static const double unknown = (double)NAN;
static const char predicted_anew[] =
    "all such numbers may be left out; \"dsm score FILE -o NEW\" writes them as predicted";

typedef struct amounts {
  double of[ADDED_COUNT];
} amounts;

/* Of an object all in it together, some of which may be below 0. */
static double number_of(const dsm__json_node *node, double least) {
  double value = 0;
  if (!dsm__json_is_present(node)) {
    return unknown;
  }
  if (!dsm__json_is_object(node)) {
    return dsm__json_double(node, (dsm__json_range){least, 1e300, false}, &value) ? value : unknown;
  }
  DSM__JSON_EACH(one, node) {
    value += number_of(&one, -1e300);
  }
  return value;
}

static double term_of(const dsm__json_node *object, const char *term, const amounts *parts) {
  const bool may_lack = term[0] == '?';
  dsm__json_node outer;
  for (int a = 0; term[0] == '+' && a < ADDED_COUNT; a++) {
    if (strcmp(added[a], term + 1) == 0) {
      return parts->of[a];
    }
  }
  const dsm__json_node node = dsm__json_at(object, term + may_lack, &outer);
  return may_lack && dsm__json_is_object(&outer) && !dsm__json_is_present(&node)
             ? 0
             : number_of(&node, 0);
}

static void apply(const rule *of, const dsm__json_node *object, const amounts *parts) {
  dsm__json_node outer;
  const dsm__json_node node = dsm__json_at(object, of->key, &outer);
  const double found = number_of(&node, 0);
  double due = 0;
  for (size_t t = 0; of->terms[t] != NULL; t++) {
    due += term_of(object, of->terms[t], parts);
  }
  due /= of->over != NULL ? term_of(object, of->over, parts) : 1;
  if (!isnan(found) && !isnan(due) && !dsm__is_close(found, due) &&
      !(of->is_limit && found < due)) {
    dsm__json_error(&node, predicted_anew, "expected %s%.12g, %s, found %.12g",
                    of->is_limit ? "at most " : "", due, of->due, found);
  }
}

static const char *word_of(const dsm__json_node *object, const char *key) {
  const dsm__json_node node = dsm__json_member(object, key);
  return dsm__json_text(&node);
}

/* The bound is the largest of the resources, or one of equals. */
static void check_bound(const dsm__json_node *object) {
  const dsm__json_node resources = dsm__json_member(object, "resources");
  const dsm__json_node bound = dsm__json_member(object, "bound");
  const char *const found = dsm__json_text(&bound);
  const char *largest = found;
  double most = 0;
  double own = 0;
  DSM__JSON_EACH(one, &resources) {
    const double cycles = number_of(&one, -1e300);
    own = found != NULL && strcmp(one.key, found) == 0 ? cycles : own;
    largest = cycles > most ? one.key : largest;
    most = fmax(most, cycles);
  }
  if (found != NULL && !dsm__is_close(own, most)) {
    dsm__json_error(&bound, predicted_anew,
                    "expected \"%s\", the largest of resources, found \"%s\"", largest, found);
  }
}

/* What an object is found to have, for what it is a part of: nothing is known of one that
 * contradicts itself, so that one wrong number is one finding. */
static amounts judge(const dsm__json_node *object, unsigned kind, const amounts *parts) {
  const size_t errors_before = dsm__json_doc_error_count(object->doc);
  amounts own;
  for (size_t r = 0; r < DSM__COUNT_OF(rules); r++) {
    if ((rules[r].of & kind) != 0) {
      apply(&rules[r], object, parts);
    }
  }
  if (dsm__json_doc_error_count(object->doc) == errors_before) {
    check_bound(object);
  }
  const bool is_sound = dsm__json_doc_error_count(object->doc) == errors_before;
  for (int a = 0; a < ADDED_COUNT; a++) {
    own.of[a] = is_sound ? term_of(object, added[a], parts) : unknown;
  }
  return own;
}

/* ---- the walk ---- */

static void add(amounts *sum, const amounts *one, double times) {
  for (int a = 0; a < AGAIN; a++) {
    sum->of[a] += one->of[a] * times;
  }
}

/* Invocations are of all stages; those of a layer in a pipeline are not those of its share.
 * `is_product_kept`: what runs again is no invocation. */
static amounts judge_pass(const dsm__json_node *pass, bool is_pipelined, bool is_product_kept,
                          double stages) {
  const dsm__json_node list = dsm__json_member(pass, "invocations");
  const char *const again = dsm_invocation_kind_name(DSM_INVOCATION_RECOMPUTE);
  const dsm__json_node first = dsm__json_first(&list);
  amounts sum = {{0}};
  DSM__JSON_EACH(one, &list) {
    const amounts own = judge(&one, INVOCATION, NULL);
    const char *const kind = word_of(&one, "kind");
    const double times = term_of(&one, "count", NULL) / stages;
    if (kind != NULL && strcmp(kind, again) == 0) {
      sum.of[AGAIN] += own.of[TOTAL] * times;
    } else {
      add(&sum, &own, times);
    }
  }
  for (int a = 0; a < ADDED_COUNT; a++) {
    sum.of[a] = is_pipelined || !dsm__json_is_present(&first) ? unknown : sum.of[a];
  }
  sum.of[AGAIN] = is_product_kept ? unknown : sum.of[AGAIN];
  return judge(pass, PASS, &sum);
}

static void judge_group(const dsm__json_node *root, const char *name, const amounts *passes) {
  const dsm__json_node list = dsm__json_member(root, "pipeline");
  DSM__JSON_EACH(group, &list) {
    const char *const own = word_of(&group, "name");
    if (name != NULL && own != NULL && strcmp(own, name) == 0) {
      (void)judge(&group, GROUP, passes);
    }
  }
}

static double count_stages(const dsm__json_node *root) {
  const dsm__json_node stages = dsm__json_member(root, "stages");
  const dsm__json_node list = dsm__json_member(&stages, "first_layers");
  double count = 0;
  DSM__JSON_EACH(first, &list) {
    count++;
  }
  return fmax(1, count / fmax(1, term_of(&stages, "interleave", NULL)));
}

/* Layers of a group follow each other. */
static void check_sums(const dsm__json_node *root) {
  const dsm__json_node layers = dsm__json_member(root, "layers");
  const dsm__json_node result = dsm__json_member(root, "result");
  const double stages = count_stages(root);
  amounts of_step = {{0}};
  amounts of_group = {{0}};
  const char *group = NULL;
  DSM__JSON_EACH(layer, &layers) {
    const dsm__json_node passes = dsm__json_member(&layer, "passes");
    const char *const name = word_of(&layer, "pipeline_group");
    if (name == NULL || group == NULL || strcmp(name, group) != 0) {
      judge_group(root, group, &of_group);
      of_group = (amounts){{0}};
      group = name;
    }
    const dsm__json_node kept = dsm__json_member(&layer, "keep_product");
    DSM__JSON_EACH(pass, &passes) {
      const amounts own = judge_pass(&pass, name != NULL, dsm__json_is_present(&kept), stages);
      add(&of_group, &own, 1);
      add(&of_step, &own, 1);
    }
  }
  judge_group(root, group, &of_group);
  (void)judge(&result, RESULT, &of_step);
}

dsm_status dsm_plan_validate_text(const char *text, size_t length, const char *file,
                                  dsm_diags *diags) {
  dsm__json_doc *doc = NULL;
  dsm_status status = dsm__json_doc_parse(&doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    check_sums(&root);
    status = dsm__json_doc_finish(doc);
  }
  dsm__json_doc_free(doc);
  return status;
}

dsm_status dsm_plan_compare_text(const dsm_plan *plan, const char *text, size_t length,
                                 const char *file, dsm_diags *diags) {
  static const char *const paths[] = {"result.step_cycles",
                                      "result.step_seconds",
                                      "result.samples_per_second",
                                      "result.utilization",
                                      "result.ideal_cycles",
                                      "result.cycles",
                                      "result.resources",
                                      "result.memory",
                                      "result.storage",
                                      "pipeline",
                                      "layers"};
  const dsm__json_input recorded = {.text = text, .length = length, .file = file};
  return dsm__json_compare_text(&recorded, dsm_plan_print(plan), paths, DSM__COUNT_OF(paths),
                                diags);
}
