/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_sums.c: every sum that the format "dsm-plan/1" promises, of the numbers that a text records.
 *
 * The rules are those of docs/formats.md, and they are checked where they are promised: in the
 * text, whether a program wrote it just now or a person has edited it.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "dsm/plan.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "workload/name_index.h"

/* Sums taken in different orders agree to this. */
static const double relative_tolerance = 1e-9;
static const char predicted_anew[] =
    "all such numbers may be left out; \"dsm score FILE -o NEW\" writes them as predicted";

typedef enum amount {
  AMOUNT_PRIMARY,
  AMOUNT_OVERLAPPED,
  AMOUNT_VISIBLE,
  AMOUNT_AUXILIARY,
  AMOUNT_NON_OVERLAPPED,
  AMOUNT_TOTAL,
  AMOUNT_IDEAL, /* beside the cycles, not among them */
  AMOUNT_COUNT
} amount;

/* Those of the cycles are the fields of that record, in its order. */
static const char *key_of(amount a) {
  return a == AMOUNT_IDEAL ? "ideal_cycles" : dsm__cycles_record.fields[a].key;
}

/* What the text does not say, and the sum of such. */
static const double unknown_number = (double)NAN;

/* What a pass, an invocation or a step takes. */
typedef struct amounts {
  double of[AMOUNT_COUNT];
} amounts;

typedef struct sums {
  double stages;         /* of the step, 1 if it has none */
  amounts step;          /* of all passes */
  dsm__name_index names; /* of pipeline groups */
  double *group_cycles;  /* of the passes of each, by its place in the list of groups */
} sums;

static double number_from(const dsm__json_node *object, const char *key, double least) {
  const dsm__json_node node = dsm__json_member(object, key);
  double value = unknown_number;
  if (dsm__json_is_present(&node) &&
      !dsm__json_double(&node, (dsm__json_range){least, 1e300, false}, &value)) {
    return unknown_number;
  }
  return value;
}

static double number_of(const dsm__json_node *object, const char *key) {
  return number_from(object, key, 0);
}

static double number_or_0(const dsm__json_node *object, const char *key) {
  return dsm__json_has(object, key) ? number_of(object, key) : 0;
}

static amounts amounts_of(const dsm__json_node *object) {
  const dsm__json_node cycles = dsm__json_member(object, "cycles");
  amounts found;
  for (int a = 0; a < AMOUNT_IDEAL; a++) {
    found.of[a] = number_of(&cycles, key_of((amount)a));
  }
  found.of[AMOUNT_IDEAL] = number_of(object, key_of(AMOUNT_IDEAL));
  return found;
}

static void add(amounts *sum, const amounts *one, double times) {
  for (int a = 0; a < AMOUNT_COUNT; a++) {
    sum->of[a] += one->of[a] * times;
  }
}

/* Is a number what it should be? Unknown ones are. */
static bool is_as_due(double found, double due) {
  return isnan(found) || isnan(due) ||
         fabs(found - due) <= relative_tolerance * fmax(fabs(found), fabs(due));
}

static void expect(const dsm__json_node *object, const char *key, double due, const char *what) {
  const double found = number_of(object, key);
  if (!is_as_due(found, due)) {
    const dsm__json_node node = dsm__json_member(object, key);
    dsm__json_error(&node, predicted_anew, "expected %.12g, %s, found %.12g", due, what, found);
  }
}

static void expect_at_most(const dsm__json_node *object, const char *key, double due,
                           const char *what) {
  const double found = number_of(object, key);
  if (found > due * (1 + relative_tolerance)) {
    const dsm__json_node node = dsm__json_member(object, key);
    dsm__json_error(&node, predicted_anew, "expected at most %.12g, %s, found %.12g", due, what,
                    found);
  }
}

/* The bound is the largest of the resources, or one of equals. */
static void check_bound(const dsm__json_node *object, const dsm__json_node *resources,
                        const char *largest, double largest_cycles) {
  const dsm__json_node node = dsm__json_member(object, "bound");
  const char *const found = dsm__json_text(&node);
  if (found != NULL && largest != NULL &&
      number_or_0(resources, found) < largest_cycles * (1 - relative_tolerance)) {
    dsm__json_error(&node, predicted_anew,
                    "expected \"%s\", the largest of resources, found \"%s\"", largest, found);
  }
}

/* Plans of earlier versions do not have them. */
static void check_resources(const dsm__json_node *object, double total) {
  const dsm__json_node resources = dsm__json_member(object, "resources");
  const char *largest = NULL;
  double largest_cycles = 0;
  double sum = 0;
  if (!dsm__json_is_object(&resources)) {
    return;
  }
  for (dsm__json_node one = dsm__json_first_member(&resources); dsm__json_is_present(&one);
       one = dsm__json_next(&one)) {
    const char *const word = dsm__json_key(&one);
    const double cycles = number_from(&resources, word, -1e300);
    largest = largest == NULL || cycles > largest_cycles ? word : largest;
    largest_cycles = word == largest ? cycles : largest_cycles;
    sum += cycles;
  }
  if (!is_as_due(sum, total)) {
    dsm__json_error(&resources, predicted_anew,
                    "expected resources of together %.12g, cycles.total, found %.12g", total, sum);
  } else if (!isnan(sum)) {
    check_bound(object, &resources, largest, largest_cycles);
  }
}

/* Of the cycles of a step, a pass or an invocation. */
static void check_parts(const dsm__json_node *object, const amounts *own) {
  const size_t errors_before = dsm__json_doc_error_count(object->doc);
  const dsm__json_node cycles = dsm__json_member(object, "cycles");
  const double *const of = own->of;
  expect(&cycles, "total",
         of[AMOUNT_PRIMARY] + of[AMOUNT_VISIBLE] + of[AMOUNT_AUXILIARY] + of[AMOUNT_NON_OVERLAPPED],
         "the sum of primary, overlapped_visible, auxiliary and non_overlapped");
  expect_at_most(&cycles, key_of(AMOUNT_VISIBLE), of[AMOUNT_OVERLAPPED], "overlapped");
  if (dsm__json_doc_error_count(object->doc) == errors_before) {
    check_resources(object, of[AMOUNT_TOTAL]);
  }
}

static const amounts unknown = {
    {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN}};
_Static_assert(AMOUNT_COUNT == 7, "unknown of each");

/* Of a step or a pass. */
static void check_utilization(const dsm__json_node *object, double cycles, double ideal_cycles) {
  expect(object, "utilization", cycles > 0 ? ideal_cycles / cycles : unknown_number,
         "ideal_cycles over all cycles");
}

/* The invocations of a pass, of a stage its chips' share; unknown if it lists none. */
typedef struct listed {
  amounts sum;         /* but for those of a forward pass that runs again, */
  double again_cycles; /* which take so much */
} listed;

static bool is_again(const dsm__json_node *invocation) {
  const dsm__json_node kind = dsm__json_member(invocation, "kind");
  const char *const word = dsm__json_text(&kind);
  return word != NULL && strcmp(word, dsm_invocation_kind_name(DSM_INVOCATION_RECOMPUTE)) == 0;
}

static listed sum_of_invocations(const dsm__json_node *pass, double stages) {
  const dsm__json_node list = dsm__json_member(pass, "invocations");
  dsm__json_node item = dsm__json_item(&list, 0);
  listed all = {.sum = dsm__json_is_present(&item) ? (amounts){{0}} : unknown};
  for (; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    const size_t errors_before = dsm__json_doc_error_count(item.doc);
    const amounts one = amounts_of(&item);
    check_parts(&item, &one);
    const bool is_sound = dsm__json_doc_error_count(item.doc) == errors_before;
    const double count = is_sound ? number_of(&item, "count") / stages : unknown_number;
    if (is_again(&item)) {
      all.again_cycles += one.of[AMOUNT_TOTAL] * count;
    } else {
      add(&all.sum, &one, count);
    }
  }
  return all;
}

/* A group that is not listed takes no time. */
static void check_groups(const dsm__json_node *pass, const amounts *own, const listed *of_pass) {
  static const bool is_of_invocations[DSM_GROUP_COUNT] = {
      [DSM_GROUP_PARTIAL_SUM] = true, [DSM_GROUP_LAYOUT_MOVE] = true, [DSM_GROUP_ROTATION] = true,
      [DSM_GROUP_OVERHEAD] = true,    [DSM_GROUP_COLLECTIVE] = true,
  };
  const dsm__json_node groups = dsm__json_member(pass, "groups");
  const dsm__json_node cycles = dsm__json_member(pass, "cycles");
  if (!dsm__json_is_object(&groups)) {
    return;
  }
  double others = 0;
  double of_invocations = 0;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    const double taken = number_or_0(&groups, dsm_group_name((dsm_group)g));
    others += g == DSM_GROUP_STREAM ? 0 : taken;
    of_invocations += is_of_invocations[g] ? taken : 0;
  }
  const char *const again = dsm_group_name(DSM_GROUP_RECOMPUTE);
  if (dsm__json_has(&groups, again) || of_pass->again_cycles > 0) {
    expect(&groups, again,
           isnan(of_pass->sum.of[AMOUNT_TOTAL]) ? unknown_number : of_pass->again_cycles,
           "what invocations of the forward pass take again");
  }
  expect(&cycles, "overlapped", number_or_0(&groups, dsm_group_name(DSM_GROUP_STREAM)),
         "the group stream");
  expect(&cycles, "non_overlapped", others, "the sum of the groups but stream");
  const double due = of_pass->sum.of[AMOUNT_NON_OVERLAPPED];
  if (!isnan(own->of[AMOUNT_TOTAL]) && !is_as_due(of_invocations, due)) {
    dsm__json_error(
        &groups, predicted_anew,
        "expected partial_sum, layout_move, rotation and overhead of together %.12g, the "
        "sum of non_overlapped over the invocations, found %.12g",
        due, of_invocations);
  }
}

/* Of pipelined layers the passes are shares of a group's time. What contradicts itself is not added
 * up further: one wrong number is one finding. */
static amounts check_pass(const dsm__json_node *pass, bool is_pipelined, double stages) {
  const size_t errors_before = dsm__json_doc_error_count(pass->doc);
  const dsm__json_node cycles = dsm__json_member(pass, "cycles");
  const amounts own = amounts_of(pass);
  listed invocations = sum_of_invocations(pass, stages);
  if (is_pipelined) {
    invocations = (listed){unknown, unknown_number};
  }
  check_parts(pass, &own);
  for (int a = AMOUNT_PRIMARY; a < AMOUNT_NON_OVERLAPPED; a++) {
    expect(&cycles, key_of((amount)a), invocations.sum.of[a], "the sum over the invocations");
  }
  check_groups(pass, &own, &invocations);
  check_utilization(pass, own.of[AMOUNT_TOTAL], own.of[AMOUNT_IDEAL]);
  return dsm__json_doc_error_count(pass->doc) > errors_before ? unknown : own;
}

static void check_layer(const dsm__json_node *layer, sums *all) {
  const dsm__json_node group = dsm__json_member(layer, "pipeline_group");
  const char *const name = dsm__json_text(&group);
  const size_t g = name == NULL ? SIZE_MAX : dsm__name_index_find(&all->names, name);
  const dsm__json_node passes = dsm__json_member(layer, "passes");
  for (dsm__json_node pass = dsm__json_first_member(&passes); dsm__json_is_present(&pass);
       pass = dsm__json_next(&pass)) {
    const amounts own = check_pass(&pass, name != NULL, all->stages);
    add(&all->step, &own, 1);
    if (g != SIZE_MAX) {
      all->group_cycles[g] += own.of[AMOUNT_TOTAL];
    }
  }
}

/* A step computes and waits; what it waits is what loading takes longer. */
static void check_storage(const dsm__json_node *result) {
  const dsm__json_node storage = dsm__json_member(result, "storage");
  if (!dsm__json_is_object(&storage)) {
    return;
  }
  const double computing = number_of(&storage, "computing_seconds");
  const double loading = number_of(&storage, "loading_seconds");
  expect(&storage, "waiting_seconds", fmax(0, loading - computing),
         "what loading_seconds are beyond computing_seconds");
  expect(result, "step_seconds", computing + number_of(&storage, "waiting_seconds"),
         "the sum of computing_seconds and waiting_seconds");
  expect(&storage, "samples_per_second", number_of(result, "samples_per_second"),
         "samples_per_second of the result");
}

static void check_result(const dsm__json_node *root, const amounts *passes) {
  const dsm__json_node result = dsm__json_member(root, "result");
  const dsm__json_node cycles = dsm__json_member(&result, "cycles");
  const amounts own = amounts_of(&result);
  check_parts(&result, &own);
  for (int a = 0; a < AMOUNT_IDEAL; a++) {
    expect(&cycles, key_of((amount)a), passes->of[a], "the sum over all passes");
  }
  expect(&result, key_of(AMOUNT_IDEAL), passes->of[AMOUNT_IDEAL], "the sum over all passes");
  expect(&result, "step_cycles", own.of[AMOUNT_TOTAL], "cycles.total");
  expect(&result, "step_cycles", passes->of[AMOUNT_TOTAL], "the sum over all passes");
  check_storage(&result);
  expect(&result, "latency_seconds", number_of(&result, "step_seconds"), "step_seconds");
  expect_at_most(&result, "lower_bound_cycles", number_of(&result, "step_cycles"), "step_cycles");
  check_utilization(&result, number_of(&result, "step_cycles"), own.of[AMOUNT_IDEAL]);
}

static void check_memory(const dsm__json_node *root) {
  const dsm__json_node result = dsm__json_member(root, "result");
  const dsm__json_node memory = dsm__json_member(&result, "memory");
  double sum = 0;
  size_t part = 0;
  for (; dsm__memory_record.fields[part].offset != offsetof(dsm_plan_memory, total_bytes); part++) {
    sum += number_or_0(&memory, dsm__memory_record.fields[part].key);
  }
  expect(&memory, dsm__memory_record.fields[part].key, sum,
         "the sum of weights, activations, gradients, errors and optimizer");
}

static size_t count_items(const dsm__json_node *list) {
  size_t count = 0;
  for (dsm__json_node item = dsm__json_item(list, 0); dsm__json_is_present(&item);
       item = dsm__json_next(&item)) {
    count++;
  }
  return count;
}

static double count_stages(const dsm__json_node *root) {
  const dsm__json_node stages = dsm__json_member(root, "stages");
  const dsm__json_node list = dsm__json_member(&stages, "first_layers");
  const dsm__json_node interleave = dsm__json_member(&stages, "interleave");
  const double runs = dsm__json_is_present(&interleave) ? number_of(&stages, "interleave") : 1;
  const double count = (double)count_items(&list);
  return count > runs ? count / runs : 1;
}

static bool index_groups(const dsm__json_node *pipeline, sums *all, dsm__arena *arena) {
  const size_t count = count_items(pipeline);
  all->names.entries = dsm__arena_array(arena, count, sizeof all->names.entries[0]);
  all->group_cycles = dsm__arena_array(arena, count, sizeof all->group_cycles[0]);
  if (all->names.entries == NULL || all->group_cycles == NULL) {
    return false;
  }
  dsm__json_node item = dsm__json_item(pipeline, 0);
  for (size_t g = 0; g < count; g++, item = dsm__json_next(&item)) {
    const dsm__json_node name = dsm__json_member(&item, "name");
    if (dsm__json_text(&name) != NULL) {
      all->names.entries[all->names.count++] = (dsm__name_entry){dsm__json_text(&name), g};
    }
  }
  dsm__name_index_sort(&all->names);
  return true;
}

static void check_sums(dsm__json_doc *doc, dsm__arena *arena) {
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node layers = dsm__json_member(&root, "layers");
  const dsm__json_node pipeline = dsm__json_member(&root, "pipeline");
  sums all = {.stages = count_stages(&root), .step = {{0}}};
  if (!index_groups(&pipeline, &all, arena)) {
    dsm__json_set_out_of_memory(doc);
    return;
  }
  for (dsm__json_node layer = dsm__json_item(&layers, 0); dsm__json_is_present(&layer);
       layer = dsm__json_next(&layer)) {
    check_layer(&layer, &all);
  }
  dsm__json_node group = dsm__json_item(&pipeline, 0);
  for (size_t g = 0; dsm__json_is_present(&group); g++, group = dsm__json_next(&group)) {
    expect(&group, "cycles", all.group_cycles[g], "the sum over the passes of its layers");
  }
  check_result(&root, &all.step);
  check_memory(&root);
}

/* ---- what is predicted of storage ---- */

/* Of a step that computes as long as the result says: what its decisions take now is another
 * matter. NULL if that is unknown, or out of memory. */
static dsm_plan *predict_storage(const dsm__json_node *result, const char *text, size_t length) {
  const double step_cycles = number_of(result, "step_cycles");
  dsm_plan *plan = NULL;
  if (!isnan(step_cycles) && dsm_plan_parse(&plan, text, length, NULL, NULL, NULL) == DSM_OK) {
    plan->result.step_seconds = step_cycles / dsm__hertz(plan->system->core.frequency_GHz);
    dsm__supply_predict(plan);
  }
  return plan;
}

static void compare_storage(dsm__json_doc *doc, const char *text, size_t length) {
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node result = dsm__json_member(&root, "result");
  const dsm__json_node storage = dsm__json_member(&result, "storage");
  dsm_plan *const plan =
      dsm__json_is_object(&storage) ? predict_storage(&result, text, length) : NULL;
  if (plan == NULL) {
    return;
  }
  dsm__text_buffer due = {0};
  dsm__json_writer writer = {.out = &due};
  dsm__json_doc *predicted = NULL;
  dsm__record_write(&writer, &dsm__result_record, &plan->result);
  if (due.failed ||
      dsm__json_doc_parse(&predicted, due.text, due.length, NULL, NULL, 0, NULL) != DSM_OK) {
    dsm__json_set_out_of_memory(doc);
  } else {
    const dsm__json_node due_result = dsm__json_root(predicted);
    const dsm__json_node due_storage = dsm__json_member(&due_result, "storage");
    (void)dsm__json_is_unchanged(&storage, &due_storage);
  }
  dsm__json_doc_free(predicted);
  dsm__text_fini(&due);
  dsm_plan_free(plan);
}

dsm_status dsm_plan_validate_text(const char *text, size_t length, const char *file,
                                  dsm_diags *diags) {
  dsm__json_doc *doc = NULL;
  dsm__arena *const arena = dsm__arena_new();
  dsm_status status = arena == NULL ? dsm__out_of_memory(diags)
                                    : dsm__json_doc_parse(&doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    check_sums(doc, arena);
    if (dsm__json_doc_error_count(doc) == 0) {
      compare_storage(doc, text, length);
    }
    status = dsm__json_doc_finish(doc);
  }
  dsm__json_doc_free(doc);
  dsm__arena_free(arena);
  return status;
}
