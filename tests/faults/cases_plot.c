/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_plot.c: plot.h. A figure is whole or there is none. */
#include <stdlib.h>
#include <string.h>

#include "subject.h"

static uint64_t digest_plot(const dsm_plot *plot) {
  uint64_t digest = digest_text(DIGEST_START, plot->title);
  digest = digest_double(digest, plot->width);
  digest = digest_double(digest, plot->height);
  digest = digest_text(digest, plot->body);
  digest = digest_text(digest, plot->marks);
  return digest;
}

static attempt figure_of(const dsm_plan *plan, const char *word, dsm_diags *diags) {
  static dsm_plot poison;
  dsm_plot *plot = &poison;
  dsm_plan_figure figure = DSM_PLAN_FIGURE_COUNT;
  if (!dsm_plan_figure_parse(word, &figure) || strcmp(dsm_plan_figure_name(figure), word) != 0) {
    return (attempt){.wrong = "words are read as they are written"};
  }
  const dsm_status status = dsm_plot_plan(&plot, plan, figure, false, diags);
  const attempt made = attempt_of_status(status, plot, status == DSM_OK ? digest_plot(plot) : 0);
  if (plot != &poison) {
    dsm_plot_free(plot);
  }
  return made;
}

static attempt loss(const subject *s, dsm_diags *diags) {
  return figure_of(s->plan, "loss", diags);
}

static attempt loss_of_inference(const subject *s, dsm_diags *diags) {
  return figure_of(s->inference_plan, "loss", diags);
}

static attempt splits(const subject *s, dsm_diags *diags) {
  return figure_of(s->plan, "splits", diags);
}

static attempt roofline(const subject *s, dsm_diags *diags) {
  return figure_of(s->plan, "roofline", diags);
}

static attempt pipelined_roofline(const subject *s, dsm_diags *diags) {
  return figure_of(s->pipelined_plan, "roofline", diags);
}

static attempt memory(const subject *s, dsm_diags *diags) {
  return figure_of(s->held_plan, "memory", diags);
}

static const dsm_plot plot = {
    .title = "t", .width = 720, .height = 100, .body = "plot $marks\n", .marks = "# x\n1\n"};

static attempt script(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return attempt_of_text(dsm_plot_script(&plot, "name", DSM_PLOT_PDF));
}

static attempt program(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  if (strcmp(dsm_plot_form_name(DSM_PLOT_PNG), "png") != 0) {
    return (attempt){.wrong = "a form has a name"};
  }
  return attempt_of_text(dsm_plot_script(&plot, NULL, DSM_PLOT_PNG));
}

const faulty_case plot_cases[] = {
    {"dsm_plot_plan, loss", loss, DSM_OK, NULL},
    {"dsm_plot_plan, loss of inference", loss_of_inference, DSM_OK, NULL},
    {"dsm_plot_plan, splits", splits, DSM_OK, NULL},
    {"dsm_plot_plan, roofline", roofline, DSM_OK, NULL},
    {"dsm_plot_plan, pipelined roofline", pipelined_roofline, DSM_OK, NULL},
    {"dsm_plot_plan, memory", memory, DSM_OK, NULL},
    {"dsm_plot_script", script, DSM_OK, NULL},
    {"dsm_plot_script, to standard output", program, DSM_OK, NULL},
};
const size_t plot_case_count = sizeof plot_cases / sizeof plot_cases[0];
