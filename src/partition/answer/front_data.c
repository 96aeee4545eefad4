/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_data.c: fronts of partitions: the document (format "dsm-front/1", and CSV), and a text. */
#include <math.h>

#include "partition/answer/front_record.h"
#include "partition/answer/partition_record.h"
#include "partition/answer/partition_rows.h"
#include "partition/instance_facts.h"
#include "report/answer.h"

/* ---- the tables ---- */

/* A number that is above 0, and read back. */
#define POINT(member, of_key, flag, of_unit, ...)                                                  \
  DSM__FIELD(REAL, dsm_front_point, member, of_key,                                                \
             DSM__COLUMN | DSM__ABOVE | DSM__FIELD_IS_READ | (flag), .unit = (of_unit),            \
             __VA_ARGS__)

DSM__RECORD(
    dsm__front_point_record, dsm_front_point, false, "A point of a front.",
    POINT(rho, "rho", DSM__MORE | DSM__FIELD_IS_REQUIRED, "1/s", .help = "Requests per second."),
    POINT(rho_bound, "rho_bound", DSM__FIGURE, "1/s", .fallback = HUGE_VAL,
          .stated_if = DSM__IF_NOT(dsm_front_point, rho_bound, HUGE_VAL),
          .help = "No partition whose requests take as little does more; absent where nothing is "
                  "proven."),
    DSM__FIELD(FLAG, dsm_front_point, is_rho_bound, "rho_is_bound",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__UNLESS_0,
               .help = "No whole requests are known that reach rho; absent where some are."),
    POINT(mean_latency_seconds, "mean_latency_seconds", DSM__LESS | DSM__FIELD_IS_REQUIRED,
          "seconds", .help = "Of all requests, as of dsm-partition/1."),
    POINT(latency_bound_seconds, "mean_latency_bound_seconds", DSM__UNLESS_0 | DSM__FIGURE,
          "seconds",
          .help = "No partition that does as many requests takes less; absent where that is not "
                  "known, or latency no objective."),
    DSM__FIELD(FLAG, dsm_front_point, is_mean_bound, "mean_latency_is_bound",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__UNLESS_0,
               .help = "No requests are known that take so little; absent where some are."),
    POINT(joules_per_request, "joules_per_request", DSM__LESS | DSM__UNLESS_0, "joules",
          .help = "Absent where not all devices that are used give their power."),
    POINT(joules_bound, "joules_bound", DSM__UNLESS_0 | DSM__FIGURE, "joules",
          .help = "No partition that does as many requests, of which each takes as little time, "
                  "takes less; absent where that is not known, or energy no objective."),
    DSM__FIELD(WORD, dsm_front_point, objective, "objective",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
               .words = &dsm__objective_words, .help = "Of the question that it answers."),
    POINT(latency_limit_seconds, "latency_limit_seconds", DSM__UNLESS_0, "seconds",
          .help = "Of that question; absent: any time."),
    POINT(required_rho, "required_rho", 0, "1/s",
          .stated_if = DSM__IF_IS(dsm_front_point, objective, DSM_OBJECTIVE_ENERGY),
          .help = "Of that question, where its objective is energy."),
    DSM__FIELD(REAL, dsm_front_point, bound, "bound",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__FIGURE, .min = DSM__NO_MIN,
               .stated_if = DSM__IF_NOT(dsm_front_point, gap, HUGE_VAL),
               .help = "Proven of that question: no partition within its limit does more requests, "
                       "or takes fewer joules at its rate; absent where nothing is proven."),
    DSM__FIELD(REAL, dsm_front_point, gap, "gap",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__LESS | DSM__ASIDE, .unit = "ratio",
               .fallback = HUGE_VAL, .stated_if = DSM__IF_NOT(dsm_front_point, gap, HUGE_VAL),
               .help = "Between that bound and the answer, relative to the answer; likewise."),
    DSM__FIELD(WORD, dsm_front_point, status, "status",
               DSM__COLUMN | DSM__CHOSEN | DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
               .words = &dsm__solution_status_words,
               .help = "Of the answer: optimal within the gap that was asked for, or limited by "
                       "time or accuracy."));

DSM__ANSWER(
    dsm__front_record, dsm__front_document, "dsm-front/1",
    "Partitions that are best in several objectives at once", "dsm partition --pareto LIST",
    DSM__FIELD(TEXT, dsm__front_document, of.name, "instance",
               DSM__COLUMN | DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED, .max = DSM_TEXT_BYTES_MAX,
               .expected = "the name of the problem", .help = "Name of the problem."),
    DSM__FIELD(WORD_SET, dsm__front_document, of.objectives, "objectives",
               DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED, .words = &dsm__objective_words,
               .expected = "the objectives", .help = "What the points are best in."),
    DSM__FIELD(REAL, dsm__front_document, of.gap, "gap", DSM__FIELD_IS_READ, .max = 1,
               .unit = "ratio",
               .help = "That was asked for, relative: what is nearer is the same."),
    DSM__FIELD(COUNT, dsm__front_document, of.question_count, "questions",
               DSM__FIELD_IS_READ | DSM__ASIDE, .max = DSM_FRONT_QUESTIONS_MAX,
               .help = "That were asked."),
    DSM__FIELD(COUNT, dsm__front_document, of.unanswered_count, "unanswered",
               DSM__FIELD_IS_READ | DSM__ASIDE, .max = DSM_FRONT_QUESTIONS_MAX,
               .help = "Of them: no partition was found in time, and none was ruled out."),
    DSM__FIELD(FLAG, dsm__front_document, of.is_over, "time_over", DSM__FIELD_IS_READ | DSM__ASIDE,
               .help = "The time limit came before all questions were asked."),
    DSM__FIELD(FLAG, dsm__front_document, of.was_stopped, "interrupted",
               DSM__FIELD_IS_READ | DSM__ASIDE, .help = "It was interrupted before."),
    DSM__REAL(dsm__front_document, of.seconds, "seconds", 0, "seconds", "By the clock."),
    DSM__FIELD(LIST, dsm__front_document, points.items, "points",
               DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
               .count_offset = offsetof(dsm__front_document, points.count),
               .type = &dsm__front_point_record, .min = 1, .max = DSM_FRONT_QUESTIONS_MAX,
               .expected = "the points of the front",
               .help = "Requests per second falling; none is beaten by another by more than the "
                       "gap."),
    DSM__ROWS(dsm__front_document, plans, "plans", dsm__partition_record,
              "The partition of each point, in their order: a dsm-partition/1 each."));

/* ---- what they hold ---- */

static dsm__rows points_of(dsm__page *page, const dsm_front *front) {
  const dsm__rows made = dsm__rows_make(page, front->point_count, sizeof(dsm_front_point));
  dsm_front_point *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    rows[k] = front->points[k];
    if (!dsm__front_has(front, DSM_OBJECTIVE_LATENCY)) {
      rows[k].latency_bound_seconds = 0;
    }
    if (!dsm__front_has(front, DSM_OBJECTIVE_ENERGY)) {
      rows[k].joules_bound = 0;
    }
  }
  return made;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_front *const front = answer->of;
  bool are_bounds = false;
  for (size_t k = 0; k < front->point_count; k++) {
    are_bounds = are_bounds || front->points[k].is_rho_bound || front->points[k].is_mean_bound;
  }
  *(dsm__front_document *)to =
      (dsm__front_document){.of = *front,
                            .points = points_of(page, front),
                            .plans = dsm__partition_documents(page, front),
                            .has_latency = dsm__front_has(front, DSM_OBJECTIVE_LATENCY),
                            .has_energy = dsm__front_has(front, DSM_OBJECTIVE_ENERGY),
                            .are_bounds = are_bounds};
}

/* ---- for people ---- */

/* The devices that run anything. */
static const char *devices_text(dsm__page *page, const void *document, const void *row) {
  const dsm_partition *const partition = ((const dsm_front_point *)row)->partition;
  const char *text = "";
  (void)document;
  for (size_t j = 0; partition != NULL && j < partition->instance->device_count; j++) {
    bool runs = false;
    for (size_t i = 0; i < partition->instance->task_count; i++) {
      runs = runs || partition->rates[i * partition->instance->device_count + j] > 0;
    }
    text =
        runs ? dsm__page_join(page, text, ", ", "%s", partition->instance->devices[j].name) : text;
  }
  return text;
}

static dsm__text_style gap_style(const void *document, const void *row) {
  (void)document;
  return ((const dsm_front_point *)row)->status == DSM_SOLUTION_OPTIMAL ? DSM__STYLE_PLAIN
                                                                        : DSM__STYLE_HEADING;
}

/* Columns of objectives that a front has not are empty, and not shown. */
static const dsm__table_column columns[] = {
    DSM__NUMBERS("point", "{#1}"),
    DSM__NUMBERS("requests/s", "{rho:4}"),
    DSM__COLUMN_OF("at most", "{rho_bound:4|-}", .is_right = true, .rank = 2),
    DSM__NUMBERS("mean ms", "{mean_latency_seconds:m4}"),
    DSM__COLUMN_OF("at least", "{has_latency?{mean_latency_bound_seconds:m4|-}|}", .is_right = true,
                   .rank = 2, .is_optional = true),
    DSM__COLUMN_OF("J a request", "{has_energy?{joules_per_request:4|-}|}", .is_right = true,
                   .is_optional = true),
    DSM__COLUMN_OF("at least", "{has_energy?{joules_bound:4|-}|}", .is_right = true, .rank = 2,
                   .is_optional = true),
    DSM__COLUMN_OF("gap %", "{gap:%3|unknown}", .is_right = true, .style = gap_style),
    DSM__COLUMN_OF("runs on", "", .make = devices_text, .is_name = true, .comfort = 24, .rank = 1),
};
static const dsm__row_table points = {.list = "points", DSM__COLUMNS(columns)};

static const dsm__fact notes[] = {
    DSM__FACT(NULL, "at most, at least: proven bounds of all partitions that are no worse in the "
                    "other objectives"),
    DSM__FACT(NULL, "gap: that of the problem whose answer the point is"),
    DSM__FACT_IF(NULL,
                 "the network is not a chain, so requests/s and mean ms are bounds where "
                 "tasks are in several places",
                 DSM__IF(dsm__front_document, are_bounds)),
};

static const dsm__section sections[] = {{.id = "points", .title = "Points", .table = &points},
                                        {DSM__FACTS(notes)}};

DSM__OWN_RECORD(shown_record, dsm__front_document, false,
                "A front with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &dsm__front_record},
                DSM__SAID(FLAG, dsm__front_document, has_latency),
                DSM__SAID(FLAG, dsm__front_document, has_energy));

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{instance}: front of {objectives:,}: {points} point{points;s} of {questions} "
               "problem{questions;s}{interrupted?, then interrupted|{time_over?, then the time "
               "limit came|}}{unanswered?; {unanswered} had no answer in time|}",
    DSM__SECTIONS(sections)};

/* ---- read, to be drawn: what was proven is taken as it stands, without the partitions ---- */

static void check_points(const dsm_front *front, const dsm__json_node *list) {
  const bool has_energy = dsm__front_has(front, DSM_OBJECTIVE_ENERGY);
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t k = 0; k < front->point_count; k++, item = dsm__json_next(&item)) {
    const dsm_front_point *const point = &front->points[k];
    if (point->objective == DSM_OBJECTIVE_LATENCY) {
      dsm__json_error(&item, NULL,
                      "expected an answer of throughput or energy, found one of latency");
    } else if (has_energy && !(point->joules_per_request > 0)) {
      dsm__json_error(&item, NULL, "expected the joules of a request, as energy is an objective");
    }
    if (k > 0 && point->rho > front->points[k - 1].rho) {
      dsm__json_error(&item, NULL, "expected points with requests per second falling");
    }
  }
}

static void read_front(void *made, const dsm__json_node *root) {
  dsm_front *const front = made;
  const dsm__record_reader reader = {
      .arena = front->arena, .wanted = DSM__FIELD_IS_READ, .most_parts = DSM_FRONT_QUESTIONS_MAX};
  const unsigned throughput = 1U << DSM_OBJECTIVE_THROUGHPUT;
  const dsm__json_node objectives = dsm__json_member(root, "objectives");
  const dsm__json_node list = dsm__json_member(root, "points");
  dsm__front_document document = {.of = *front};
  if (!dsm__document_only(root, &dsm__front_record) ||
      !dsm__record_read(&reader, root, &dsm__front_record, &document)) {
    return;
  }
  *front = document.of;
  front->points = document.points.items;
  front->point_count = document.points.count;
  if ((front->objectives & throughput) == 0 || front->objectives == throughput) {
    dsm__json_error(&objectives, NULL, "expected throughput, and latency, energy or both");
    return;
  }
  check_points(front, &list);
}

DSM__READ_BY(dsm_front, dsm_front_free,
             dsm__json_doc_read(from, diags, read_front, made = DSM__ARENA_OWNER(dsm_front)));

const dsm_answer_kind dsm_answer_front = {.record = &dsm__front_record,
                                          .fill = fill,
                                          .tables = {"points"},
                                          .layout = &layout,
                                          .figures = {{.word = "front", .draw = dsm__plot_front}},
                                          .read = read,
                                          .discard = discard};

const dsm__companion dsm__companion_partition = {
    .kinds = {&dsm_answer_front, &dsm_answer_partition},
    .formats = {&dsm__deployment_record, &dsm__dispatch_record, &dsm__front_record,
                &dsm__partition_record}};
