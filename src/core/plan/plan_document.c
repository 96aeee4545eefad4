/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_document.c: the table of "dsm-plan/1": the question, the step, and what is in tables of its
 * own. */
#include "model/names.h"
#include "plan/degrees.h"
#include "plan/frameworks.h"
#include "plan/interleave.h"
#include "plan/keeping.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"
#include "plan/recomputation.h"
#include "plan/segments.h"
#include "plan/step_energy.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

#define READ DSM__FIELD_IS_READ
#define REQUIRED (DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED)
#define DECISION DSM__FIELD_IS_DECISION

/* clang-format off: a field a row */

static bool has_fixed_recomputation(const void *options) {
  return ((const dsm_explore_options *)options)->recomputation != DSM_RECOMPUTATION_BEST;
}

static bool has_roles(const void *options) {
  return dsm__has_named_roles(options);
}

DSM__OWN_RECORD(
    dsm__named_roles_record, dsm_explore_options, true,
    "Roles that the search might use along each axis.",
    DSM__FIELD(WORD_SET, dsm_explore_options, roles[0], "x", READ, .words = &dsm__role_words,
               .min = 1, .stated_if = DSM__IF(dsm_explore_options, roles[0]),
               .expected = "a list of roles", .help = "Along the first axis; absent: all."),
    DSM__FIELD(WORD_SET, dsm_explore_options, roles[1], "y", READ, .words = &dsm__role_words,
               .min = 1, .stated_if = DSM__IF(dsm_explore_options, roles[1]),
               .expected = "a list of roles", .help = "Along the second axis; absent: all."),
    DSM__FIELD(WORD_SET, dsm_explore_options, roles[2], "z", READ, .words = &dsm__role_words,
               .min = 1, .stated_if = DSM__IF(dsm_explore_options, roles[2]),
               .expected = "a list of roles", .help = "Along the third axis; absent: all."));
_Static_assert(DSM_AXES_MAX == 3, "roles of each axis");

DSM__OWN_RECORD(
    dsm__options_record, dsm_explore_options, false,
    "What the exploration was asked for, beside mode and optimizations.",
    DSM__FIELD(WORD_SET, dsm_explore_options, parallelisms, "parallelisms", REQUIRED,
               .words = &dsm__parallelism_words, .min = 1, .fallback = DSM_PARALLELISM_ALL,
               .expected = "a list of parallelisms",
               .help = "Parallelisms that the search might use."),
    DSM__FIELD(COUNT, dsm_explore_options, stages, "stages", READ | DSM__FIELD_UNLESS_0, .min = 1,
               .max = DSM_CHIPS_MAX,
               .help = "Number of stages that was asked for; 1: none. Absent: the best number."),
    DSM__FIELD(COUNT, dsm_explore_options, micro_batches, "micro_batches",
               READ | DSM__FIELD_UNLESS_0, .min = 1, .max = DSM_DIMENSION_MAX,
               .help = "Likewise micro-batches."),
    DSM__FIELD(
        COUNT, dsm_explore_options, interleave, "interleave", READ | DSM__FIELD_UNLESS_0, .min = 1,
        .max = DSM_INTERLEAVE_MAX,
        .help =
            "Number of runs of layers in each stage that was asked for. Absent: the best number."),
    DSM__FIELD(WORD, dsm_explore_options, stages_at, "stages_at", READ | DSM__FIELD_UNLESS_0,
               .words = &dsm__stages_at_words, .fallback = DSM_STAGES_AT_BEST,
               .help = "Where stages were asked to begin: between blocks, as many in each run of "
                       "layers. Absent: where it is best."),
    DSM__FIELD(WORD, dsm_explore_options, schedule, "schedule", READ | DSM__FIELD_UNLESS_0,
               .words = &dsm__schedule_words, .fallback = DSM_SCHEDULE_1F1B,
               .help = "The order in which stages were asked to run their passes. Absent: forward "
                       "and backward in turn."),
    DSM__FIELD(
        WORD, dsm_explore_options, recomputation, "recomputation", READ,
        .words = &dsm__recomputation_words, .fallback = DSM_RECOMPUTATION_BEST,
        .is_stated = has_fixed_recomputation,
        .help =
            "Which layers were asked to run their forward pass again: none, those of "
            "attentions, all of each segment of several layers, of all layers the operations "
            "alone; by_operation: those, or their operations, that are best. Absent: those that "
            "are best."),
    DSM__FIELD(WORD, dsm_explore_options, shard_level, "shard_level", READ | DSM__FIELD_UNLESS_0,
               .words = &dsm__shard_level_words, .fallback = DSM_SHARD_LEVEL_BEST,
               .help = "What each layer was asked to share out of weights that several chips have: "
                       "nothing, or as shard of layers. Absent: what is best, layer by layer."),
    DSM__FIELD(WORD, dsm_explore_options, as_run_by, "as_run_by", READ | DSM__FIELD_UNLESS_0,
               .words = &dsm__as_run_by_words, .fallback = DSM_AS_RUN_BY_ANY,
               .help = "The framework that was to run the plan, with one use of each axis and one "
                       "level of shards. Absent: any, each layer by itself."),
    DSM__FIELD(WORD, dsm_explore_options, aim, "objective", READ | DSM__FIELD_UNLESS_0,
               .words = &dsm__aim_words, .fallback = DSM_AIM_TIME,
               .help = "What was minimised. Absent: the time of a step."),
    DSM__FIELD(REAL, dsm_explore_options, power_cap_watts, "power_cap_W",
               READ | DSM__FIELD_UNLESS_0, .max = DSM_WATTS_MAX, .unit = "W",
               .help = "Most power of a chip on average over a step. Absent: no limit."),
    {.key = "roles",
     .kind = DSM__FIELD_RECORD,
     .flags = READ,
     .type = &dsm__named_roles_record,
     .is_stated = has_roles,
     .help = "If only some roles were allowed: those along each axis."},
    DSM__FIELD(TEXT_LIST, dsm_explore_options, overrides, "overrides", READ | DSM__FIELD_IS_TALL,
               .count_offset = offsetof(dsm_explore_options, override_count), .max = 65536,
               .help = "Overrides, PATH=VALUE, already applied to the inputs; for the record."));

DSM__RECORD(
    dsm__search_limits_record, dsm_explore_options, true, "When the search might stop.",
    DSM__FIELD(REAL, dsm_explore_options, gap, "gap", READ, .max = 1 - 0x1p-53, .unit = "ratio",
               .help = "Relative distance from the bound at which the search might stop."),
    DSM__FIELD(REAL, dsm_explore_options, time_limit_seconds, "time_limit_seconds", READ,
               .max = 31536000, .unit = "seconds",
               .help = "After which the search ended with the best plan so far; 0: no limit."));

DSM__OWN_RECORD(dsm__search_record, dsm_plan, true, "If the search might stop before the end.",
                DSM__PART(dsm_plan, options, dsm__search_limits_record),
                DSM__FIELD(FLAG, dsm_plan, statistics.is_stopped, "is_stopped", READ,
                           .help = "A limit, or a signal, ended it; but for the limit of work, "
                                   "another run may find another plan."));

static bool has_search(const void *of) {
  const dsm_plan *const plan = of;
  return plan->options.gap > 0 || plan->options.time_limit_seconds > 0 ||
         plan->statistics.is_stopped;
}

/* The minor version says that words have the names of axes. */
static const dsm__word minor_words[] = {{.key = "dsm-plan/1.1"}};
static const dsm__words minor_versions = {.items = minor_words, .count = 1};
static const dsm__word format_words[] = {{.key = "dsm-plan/1"}};
const dsm__words dsm__plan_versions = {
    .what = "format", .items = format_words, .count = 1, .also = &minor_versions};

static void write_format(dsm__json_writer *writer, const void *plan) {
  const dsm__renaming *const renaming = ((const dsm_plan *)plan)->renaming;
  const bool has_names = renaming != NULL && renaming->has_names;
  dsm__json_write_string(writer, (has_names ? minor_words : format_words)[0].key);
}

static void write_version(dsm__json_writer *writer, const void *plan) {
  (void)plan;
  dsm__json_write_string(writer, dsm_version());
}

static void write_minibatch(dsm__json_writer *writer, const void *plan) {
  dsm__json_write_u64(writer, ((const dsm_plan *)plan)->workload->minibatch);
}

static bool has_degrees(const void *plan) {
  dsm__degrees degrees;
  return dsm__degrees_derive(&degrees, plan);
}

static void write_degrees(dsm__json_writer *writer, const void *plan) {
  dsm__degrees degrees;
  (void)dsm__degrees_derive(&degrees, plan);
  dsm__record_write(writer, &dsm__degrees_record, &degrees);
}

static void write_workload(dsm__json_writer *writer, const void *plan) {
  dsm__workload_write(((const dsm_plan *)plan)->workload, writer);
}

static void write_system(dsm__json_writer *writer, const void *plan) {
  dsm__system_write(((const dsm_plan *)plan)->system, writer);
}

DSM__RECORD(
    dsm__step_stages_record, dsm_stages, true, "Runs of layers, each on an equal part of an axis.",
    DSM__FIELD(
        TEXT, dsm_stages, axis_name, "axis", DECISION | DSM__FIELD_IS_REQUIRED,
        .max = DSM_AXIS_NAME_BYTES_MAX, .expected = "the axis that the stages divide",
        .help =
            "The axis that the stages divide: each has an equal number of contiguous chips of it."),
    DSM__FIELD(COUNT, dsm_stages, interleave, "interleave", DECISION | READ | DSM__FIELD_UNLESS_1,
               .min = 1, .max = DSM_INTERLEAVE_MAX, .fallback = 1,
               .help = "Number of runs of layers in each stage: of p stages the first has the runs "
                       "1, p + 1 and so on. Written only if it is more than one."),
    DSM__FIELD(TEXT_LIST, dsm_stages, first_layer_names, "first_layers",
               DECISION | DSM__FIELD_IS_REQUIRED, .count_offset = offsetof(dsm_stages, run_count),
               .max = DSM_NAME_BYTES_MAX + 8, .expected = "the first layer of each run of a stage",
               .help =
                   "The first layer of each stage, in order; with interleave, of each run. A run "
                   "begins where the output of the layer before is all that later layers read."));

DSM__RECORD_OF(
    , dsm__plan_record, dsm_plan, false, NULL,
    "A mapping of a network on a system, and its predicted cost.",
    "A mapping of a network on a system, and its predicted cost", "dsm explore",
    DSM__OWN("format", 0, write_format, TEXT,
             .help = "Name and version of this format; 1.1 where words have names of axes."),
    DSM__OWN("dsm_version", 0, write_version, TEXT,
             .help = "The version of dsm that wrote the plan."),
    DSM__FIELD(WORD, dsm_plan, options.mode, "mode", REQUIRED, .words = &dsm__mode_words,
               .expected = "\"training\" or \"inference\"", .help = "What a step is."),
    DSM__OWN("minibatch", 0, write_minibatch, COUNT,
             .help = "Samples of a step; must equal workload.minibatch."),
    DSM__FIELD(WORD_SET, dsm_plan, options.optimizations, "optimizations", REQUIRED,
               .words = &dsm__optimization_words, .expected = "a list of optimizations",
               .help =
                   "Optimizations that the search might use; those of the mode only: no preload in "
                   "training, no per_pass, hoist or accumulate in inference."),
    DSM__FIELD(RECORD, dsm_plan, options, "options", REQUIRED, .type = &dsm__options_record,
               .expected = "an object with the options of the exploration",
               .help = "What the exploration was asked for, beside mode and optimizations."),
    DSM__FIELD(COUNT, dsm_plan, micro_batches, "micro_batches", DECISION | DSM__FIELD_UNLESS_1,
               .min = 1, .max = DSM_DIMENSION_MAX, .fallback = 1,
               .help = "Number of micro-batches into which the samples of a step are cut; they run "
                       "one after the other, and their gradients are summed. Written only if it is "
                       "more than one; not read without the optimization accumulate."),
    DSM__FIELD(
        RECORD, dsm_plan, stages, "stages", DECISION, .type = &dsm__step_stages_record,
        .stated_if = DSM__IF_ABOVE(dsm_plan, stages.count, 1),
        .help = "The stages of the step: runs of layers on chips of their own, which micro-batches "
                "pass one after the other, in the order of options.schedule. Written only if "
                "there are any; not read without the optimization stages."),
    {.key = "search",
     .kind = DSM__FIELD_RECORD,
     .flags = READ,
     .type = &dsm__search_record,
     .is_stated = has_search,
     .help = "If the search might stop before the end, at a gap or a time limit."},
    DSM__OWN("parallelism_summary", 0, write_degrees, RECORD, .type = &dsm__degrees_record,
             .is_stated = has_degrees,
             .help =
                 "The decisions in the field's words: TP, SP, CP, DP, EP, replicated, PP, ZeRO, "
                 "recomputation and micro-batches. Of plans with roles or stages; not read."),
    DSM__FIELD(RECORD, dsm_plan, result, "result", 0, .type = &dsm__result_record,
               .help = "The prediction for the step."),
    DSM__FIELD(
        LIST, dsm_plan, pipelines, "pipeline", 0, .type = &dsm__pipeline_record,
        .count_offset = offsetof(dsm_plan, pipeline_count),
        .help =
            "Groups of pipelined layers, in order of execution. An item that no layer refers to is "
            "ignored."),
    DSM__LISTED(dsm_plan, layers, layer_count, "layers", DSM__FIELD_IS_REQUIRED, dsm__layer_record,
                "The workload's primary layers, all and in order."),
    DSM__OWN(
        "workload", DSM__FIELD_IS_REQUIRED, write_workload, JSON,
        .help = "dsm-workload/1, after overrides; defaults that were not stated are left out."),
    DSM__OWN("system", DSM__FIELD_IS_REQUIRED, write_system, JSON,
             .help = "dsm-system/1, after overrides, every parameter written out."));
/* clang-format on */
