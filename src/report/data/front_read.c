/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * front_read.c: a front read from the format "dsm-front/1": its numbers, to be drawn.
 *
 * What was proven is taken as it stands; the partitions of the points are not read.
 */
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/report.h"
#include "report/data/front_record.h"

static const char format[] = "dsm-front/1";

/* What the document leaves out is not known. */
static void settle_point(const dsm__json_node *item, dsm_front_point *point) {
  point->gap = dsm__json_has(item, "gap") ? point->gap : HUGE_VAL;
  point->rho_bound = point->rho_bound > 0 ? point->rho_bound : HUGE_VAL;
}

static void read_point(const dsm__record_reader *reader, const dsm__json_node *item,
                       bool has_energy, dsm_front_point *point) {
  dsm_front_point row = {0};
  if (!dsm__record_only(item, &dsm__front_point_record) ||
      !dsm__record_read(reader, item, &dsm__front_point_record, &row)) {
    return;
  }
  if (row.objective == DSM_OBJECTIVE_LATENCY) {
    dsm__json_error(item, NULL, "expected an answer of throughput or energy, found one of latency");
  } else if (has_energy && !(row.joules_per_request > 0)) {
    dsm__json_error(item, NULL, "expected the joules of a request, as energy is an objective");
  }
  *point = row;
  settle_point(item, point);
}

static void read_points(const dsm__record_reader *reader, dsm_front *front,
                        const dsm__json_node *list) {
  size_t count = 0;
  if (!dsm__json_require(list, "the points of the front") ||
      !dsm__json_array(list, 1, DSM_FRONT_QUESTIONS_MAX, &count)) {
    return;
  }
  if (!DSM__RESERVE(reader->arena, front->points, count)) {
    dsm__json_set_out_of_memory(list->doc);
    return;
  }
  front->point_count = count;
  dsm__json_node item = dsm__json_item(list, 0);
  for (size_t k = 0; k < count; k++, item = dsm__json_next(&item)) {
    read_point(reader, &item, dsm__front_has(front, DSM_OBJECTIVE_ENERGY), &front->points[k]);
    if (k > 0 && front->points[k].rho > front->points[k - 1].rho) {
      dsm__json_error(&item, NULL, "expected points with requests per second falling");
    }
  }
}

static void read_front(void *made, const dsm__json_node *root) {
  dsm_front *const front = made;
  const dsm__record_reader reader = {
      .arena = front->arena, .wanted = DSM__FIELD_IS_READ, .most_parts = DSM_FRONT_QUESTIONS_MAX};
  dsm__front_document document = {.of = *front};
  if (!dsm__document_only(root, &dsm__front_record) ||
      !dsm__record_read(&reader, root, &dsm__front_record, &document)) {
    return;
  }
  *front = document.of;
  const dsm__json_node objectives = dsm__json_member(root, "objectives");
  const unsigned throughput = 1U << DSM_OBJECTIVE_THROUGHPUT;
  if ((front->objectives & throughput) == 0 || front->objectives == throughput) {
    dsm__json_error(&objectives, NULL, "expected throughput, and latency, energy or both");
    return;
  }
  const dsm__json_node points = dsm__json_member(root, "points");
  read_points(&reader, front, &points);
}

dsm_status dsm_report_front_parse(dsm_front **front, const char *text, size_t length,
                                  const char *file, dsm_diags *diags) {
  const dsm__json_input input = {.text = text, .length = length, .file = file};
  dsm_front *const made = DSM__ARENA_OWNER(dsm_front);
  *front = NULL;
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = dsm__json_doc_read(&input, diags, read_front, made);
  if (status != DSM_OK) {
    dsm_front_free(made);
    return status;
  }
  *front = made;
  return DSM_OK;
}

bool dsm_report_front_is_printed(const char *text, size_t length) {
  return dsm__is_document(text, length, format);
}
