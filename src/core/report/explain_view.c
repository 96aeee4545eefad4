/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/explain_view.h"

#include <math.h>

#include "model/axis_words.h"
#include "plan/strategy_rules.h"
#include "report/loss.h"
#include "report/table/number_style.h"
#include "report/table/text_page.h"

/* Two times that differ by less, relatively, are the same. */
#define SAME 1e-9

/* ---- questions ---- */

bool dsm__explain_is_per_pass(const dsm_plan *plan) {
  return plan->options.mode == DSM_MODE_TRAINING &&
         (plan->options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS)) != 0;
}

const dsm__renaming *dsm__explain_words(dsm__page *page, const dsm_plan *plan,
                                        const dsm_explanation *const *explanations, size_t count) {
  dsm__renaming *words = NULL;
  bool is_good = page->arena != NULL && dsm__system_words(plan->system, page->arena, &words);
  for (size_t e = 0; is_good && words != NULL && e < count; e++) {
    for (size_t i = 0; is_good && i < explanations[e]->alternative_count; i++) {
      const dsm_parallelism parallelism = explanations[e]->alternatives[i].parallelism;
      is_good = !dsm_parallelism_has_roles(parallelism) ||
                dsm__note_parallelism(words, parallelism, page->arena);
    }
  }
  page->out.failed = page->out.failed || !is_good;
  return words;
}

const dsm_alternative *dsm__explain_chosen(const dsm_explanation *explanation, dsm_pass pass) {
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const alternative = &explanation->alternatives[i];
    if (alternative->pass == pass && alternative->is_chosen) {
      return alternative;
    }
  }
  return NULL;
}

/* The best that a parallelism can do in a pass, or NULL if it is not allowed. */
static const dsm_alternative *best_of(const dsm_explanation *explanation, dsm_pass pass,
                                      dsm_parallelism parallelism) {
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const alternative = &explanation->alternatives[i];
    if (alternative->pass == pass && alternative->parallelism == parallelism &&
        alternative->is_best_of_parallelism) {
      return alternative;
    }
  }
  return NULL;
}

/* All passes of the layer under a parallelism, in cycles without relayouts; 0 if not allowed. */
static double layer_cycles(const dsm_explanation *explanation, dsm_parallelism parallelism) {
  double sum = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_alternative *const best = best_of(explanation, (dsm_pass)p, parallelism);
    sum += best == NULL ? 0 : best->cycles.total;
  }
  return sum;
}

/* Faster than another, or as fast and of a parallelism that is preferred. */
static bool is_better(const dsm_alternative *rival, const dsm_alternative *best) {
  return best == NULL || rival->cycles.total < best->cycles.total ||
         (rival->cycles.total <= best->cycles.total && rival->parallelism < best->parallelism);
}

/* The fastest other split of the chosen parallelism, or of the best ones of the other parallelisms;
 * NULL: there is none. */
static const dsm_alternative *next_best(const dsm_explanation *explanation,
                                        const dsm_alternative *chosen, bool is_split) {
  const dsm_alternative *best = NULL;
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const rival = &explanation->alternatives[i];
    const bool is_one = is_split ? !rival->is_chosen : rival->is_best_of_parallelism;
    if (is_one && rival->pass == chosen->pass &&
        (rival->parallelism == chosen->parallelism) == is_split && is_better(rival, best)) {
      best = rival;
    }
  }
  return best;
}

/* ---- sentences ---- */

/* A ratio, with as many decimals as tell it from 1. */
static const char *times(dsm__page *page, double ratio) {
  enum { DECIMALS_MAX = 9 };
  const double difference = fabs(ratio - 1);
  int decimals = difference < 0.1 ? 3 : 2;
  while (decimals < DECIMALS_MAX && difference > 0 && difference < 0.5 * pow(10, -decimals)) {
    decimals++;
  }
  return dsm__page_text(page, "%sx", dsm__figure_fixed(ratio, decimals).text);
}

/* Transfers that are seen: those on the torus are rotations. */
static const char *visible_transfer(dsm__page *page, dsm_link link) {
  const bool is_between_chips = link < DSM_LINK_MEMORY;
  return dsm__page_text(page, is_between_chips ? "visible rotation on %s" : "visible transfer (%s)",
                        dsm__page_word(page, &dsm__link_words, link));
}

/* What more of the time of arrays goes to: what decides more cycles. */
static const char *extra_array_time(const dsm_alternative *slow, const dsm_alternative *fast) {
  const double *const more = slow->resources.cycles;
  const double *const less = fast->resources.cycles;
  return more[DSM_BOUND_STARTUP] - less[DSM_BOUND_STARTUP] >
                 more[DSM_BOUND_COMPUTE] - less[DSM_BOUND_COMPUTE]
             ? "starting the arrays"
             : "array underuse";
}

/* What a slower alternative spends its extra time on, as "of the difference, 71 % is ..."; empty if
 * nothing stands out. */
static const char *extra_time(dsm__page *page, const dsm_alternative *slow,
                              const dsm_alternative *fast) {
  const double extra = slow->cycles.total - fast->cycles.total;
  const char *name = extra_array_time(slow, fast);
  double most = slow->cycles.primary - fast->cycles.primary;
  const double visible = slow->cycles.overlapped_visible - fast->cycles.overlapped_visible;
  const double auxiliary = slow->cycles.auxiliary - fast->cycles.auxiliary;
  if (visible > most) {
    most = visible;
    name = visible_transfer(page, slow->stream_link);
  }
  if (auxiliary > most) {
    most = auxiliary;
    name = "auxiliary work";
  }
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    const double more = slow->group_cycles[g] - fast->group_cycles[g];
    if (more > most) {
      most = more;
      name = dsm__word_text(&dsm__group_words, (size_t)g);
    }
  }
  if (!(extra > 0 && most > 0)) {
    return "";
  }
  if (most >= extra) {
    return dsm__page_text(page, ", because of %s", name);
  }
  return dsm__page_text(page, "; %s %% of the difference is %s",
                        dsm__figure_fixed(100 * most / extra, 0).text, name);
}

/* What another parallelism costs beside the layer's own time: "relayouts around the layer". */
static const char *cost_around(dsm__page *page, const dsm_plan *plan) {
  const struct {
    const char *phrase;
    bool is_possible;
  } others[] = {
      {"other transfers of its weights", dsm__explain_is_per_pass(plan)},
      {"outputs that no longer stay on chip", dsm__choice_count(DSM__CHOICE_OUTPUT, plan) > 0},
      {"a pipeline that is given up", plan->pipeline_count > 0},
  };
  const char *text = "relayouts around the layer";
  const char *last = NULL;
  for (size_t i = 0; i < DSM__COUNT_OF(others); i++) {
    if (others[i].is_possible) {
      text = last == NULL ? text : dsm__page_text(page, "%s, %s", text, last);
      last = others[i].phrase;
    }
  }
  return last == NULL ? text : dsm__page_text(page, "%s or %s", text, last);
}

bool dsm__explain_is_preloading(const dsm_plan *plan) {
  return dsm__choice_count(DSM__CHOICE_PRELOADED, plan) > 0;
}

/* How the step changes when the layer has a parallelism, as "take 5.1 % longer". */
static const char *step_change(dsm__page *page, const dsm_explanation *explanation,
                               double network_cycles, double step_cycles) {
  const double change = dsm__share(network_cycles, step_cycles) - 1;
  if (fabs(change) <= SAME) {
    return "take as long";
  }
  return dsm__page_text(page, "take %s %% %s", dsm__figure_digits(100 * fabs(change), 2).text,
                        change > 0 ? "longer"
                        : explanation->is_layer_alone
                            ? "less, with the best of all else"
                            : "less, with the best of all else and without the limit of memory");
}

/* Why a rival that is faster in a pass makes the step slower. */
static const char *why_rival_loses(dsm__page *page, const dsm_plan *plan,
                                   const dsm_explanation *explanation,
                                   const dsm_alternative *chosen, const dsm_alternative *rival) {
  const double layer_change = layer_cycles(explanation, rival->parallelism) -
                              layer_cycles(explanation, chosen->parallelism);
  if ((!dsm__explain_is_per_pass(plan) || explanation->is_layer_alone) && layer_change >= 0) {
    return ": the layer's other passes would lose more than this one gains";
  }
  return dsm__page_text(page, ": %s would cost more than it gains", cost_around(page, plan));
}

/* The pass would rather have another parallelism: why it has not got it. */
static const char *against_rival(dsm__page *page, const dsm_plan *plan,
                                 const dsm_explanation *explanation, const dsm_alternative *chosen,
                                 const dsm_alternative *rival) {
  const double step = explanation->reference_cycles;
  const char *const beginning =
      dsm__page_text(page, "%s alone would be faster in this pass (%s%s)",
                     dsm__page_word(page, &dsm__parallelism_words, rival->parallelism),
                     times(page, dsm__share(rival->cycles.total, chosen->cycles.total)),
                     extra_time(page, chosen, rival));
  const bool is_asked = !explanation->is_layer_alone || rival->network_cycles > 0;
  if (!is_asked || dsm__explain_is_preloading(plan)) {
    return dsm__page_text(page, "%s.", beginning); /* what it costs is not known */
  }
  if (!(rival->network_cycles > 0)) {
    return dsm__page_text(page, "%s, but no mapping of the network has it.", beginning);
  }
  return dsm__page_text(page, "%s, %s with it the step would %s%s.", beginning,
                        rival->network_cycles < step * (1 - SAME) ? "and" : "but",
                        step_change(page, explanation, rival->network_cycles, step),
                        rival->network_cycles > step * (1 + SAME)
                            ? why_rival_loses(page, plan, explanation, chosen, rival)
                            : "");
}

static const char *why_parallelism(dsm__page *page, const dsm_plan *plan,
                                   const dsm_explanation *explanation,
                                   const dsm_alternative *chosen) {
  const char *const name = dsm__page_word(page, &dsm__parallelism_words, chosen->parallelism);
  const dsm_alternative *const rival = next_best(explanation, chosen, false);
  if (rival == NULL) {
    return dsm__page_text(page,
                          "%s is the only parallelism that this layer and the options "
                          "allow.",
                          name);
  }
  const double ratio = dsm__share(rival->cycles.total, chosen->cycles.total);
  const char *const rival_name = dsm__page_word(page, &dsm__parallelism_words, rival->parallelism);
  if (fabs(ratio - 1) <= SAME) {
    return dsm__page_text(page, "%s and %s take the same time in this pass.", name, rival_name);
  }
  if (ratio < 1) {
    return against_rival(page, plan, explanation, chosen, rival);
  }
  return dsm__page_text(page, "%s wins this pass: the next, %s, takes %s%s.", name, rival_name,
                        times(page, ratio), extra_time(page, rival, chosen));
}

static const char *why_split(dsm__page *page, const dsm_explanation *explanation,
                             const dsm_alternative *chosen) {
  const dsm_alternative *const next = next_best(explanation, chosen, true);
  if (next == NULL) {
    return "";
  }
  const char *const split = dsm__page_split(page, &chosen->split);
  const char *const next_split_text = dsm__page_split(page, &next->split);
  const double ratio = dsm__share(next->cycles.total, chosen->cycles.total);
  if (fabs(ratio - 1) <= SAME) {
    return dsm__page_text(
        page, " The core split %s is as fast, but comes later in the order of preference.",
        next_split_text);
  }
  if (ratio < 1) {
    return dsm__page_text(page, " Its core split is not the best: %s takes %s%s.", next_split_text,
                          times(page, ratio), extra_time(page, chosen, next));
  }
  return dsm__page_text(page, " Of its core splits %s wins; the next, %s, takes %s%s.", split,
                        next_split_text, times(page, ratio), extra_time(page, next, chosen));
}

const char *dsm__explain_pass_why(dsm__page *page, const dsm_plan *plan,
                                  const dsm_explanation *explanation, dsm_pass pass) {
  const dsm_alternative *const chosen = dsm__explain_chosen(explanation, pass);
  if (chosen == NULL) {
    return "";
  }
  /* A plan that was edited need not have the best split: parallelisms compete with their best. */
  const dsm_alternative *const best = best_of(explanation, pass, chosen->parallelism);
  return dsm__page_text(page, "%s%s",
                        why_parallelism(page, plan, explanation, best == NULL ? chosen : best),
                        why_split(page, explanation, chosen));
}

/* A parallelism of the whole layer beside the one it has. */
typedef struct layer_rival {
  bool exists;
  dsm_parallelism parallelism;
  double cycles;         /**< of the layer, without relayouts */
  double network_cycles; /**< of the step with it; 0: no mapping has it */
} layer_rival;

/* The other parallelism with the fastest step (is_network) or layer. */
static layer_rival find_layer_rival(const dsm_explanation *explanation, dsm_pass pass,
                                    dsm_parallelism chosen, bool is_network) {
  layer_rival best = {.exists = false};
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm_alternative *const rival = best_of(explanation, pass, (dsm_parallelism)p);
    if (rival == NULL || rival->parallelism == chosen ||
        (is_network && !(rival->network_cycles > 0))) {
      continue;
    }
    const double cycles = layer_cycles(explanation, rival->parallelism);
    const bool is_better =
        is_network ? rival->network_cycles < best.network_cycles : cycles < best.cycles;
    if (!best.exists || is_better) {
      best = (layer_rival){.exists = true,
                           .parallelism = rival->parallelism,
                           .cycles = cycles,
                           .network_cycles = rival->network_cycles};
    }
  }
  return best;
}

/* The whole layer has one parallelism, and so would it have another. */
static const char *why_uniform(dsm__page *page, const dsm_plan *plan,
                               const dsm_explanation *explanation) {
  const dsm_alternative *const first = &explanation->alternatives[0];
  const char *const name = dsm__page_word(page, &dsm__parallelism_words, first->parallelism);
  const double cycles = layer_cycles(explanation, first->parallelism);
  const double step = explanation->reference_cycles;
  const layer_rival layer = find_layer_rival(explanation, first->pass, first->parallelism, false);
  const layer_rival net = find_layer_rival(explanation, first->pass, first->parallelism, true);
  if (!layer.exists) {
    return "";
  }
  if (layer.cycles < cycles * (1 - SAME)) {
    const char *const beginning = dsm__page_text(
        page,
        "Over all its passes the layer alone would be fastest with %s (%s of %s's time), but ",
        dsm__page_word(page, &dsm__parallelism_words, layer.parallelism),
        times(page, dsm__share(layer.cycles, cycles)), name);
    if (!(layer.network_cycles > 0)) {
      return dsm__page_text(page, "%sno mapping of the network has it.", beginning);
    }
    return dsm__page_text(page, "%sthe network is not: with it the step would %s%s%s.", beginning,
                          step_change(page, explanation, layer.network_cycles, step),
                          layer.network_cycles > step * (1 + SAME) ? ", because of " : "",
                          layer.network_cycles > step * (1 + SAME) ? cost_around(page, plan) : "");
  }
  return dsm__page_text(page, "Over all its passes the layer alone is fastest with %s too%s%s%s%s.",
                        name, net.exists ? "; with the next best for the network, " : "",
                        net.exists ? dsm__page_word(page, &dsm__parallelism_words, net.parallelism)
                                   : "",
                        net.exists ? ", the step would " : "",
                        net.exists ? step_change(page, explanation, net.network_cycles, step) : "");
}

/* The change of a single pass that costs the network least, or NULL. */
static const dsm_alternative *best_single_change(const dsm_explanation *explanation) {
  const dsm_alternative *best = NULL;
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const rival = &explanation->alternatives[i];
    const dsm_alternative *const chosen = dsm__explain_chosen(explanation, rival->pass);
    if (rival->network_cycles > 0 && chosen != NULL && rival->parallelism != chosen->parallelism &&
        (best == NULL || rival->network_cycles < best->network_cycles)) {
      best = rival;
    }
  }
  return best;
}

/* "forward data, backward model": what the plan does. */
static const char *chosen_parallelisms(dsm__page *page, const dsm_explanation *explanation) {
  const char *text = "";
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_alternative *const chosen = dsm__explain_chosen(explanation, (dsm_pass)p);
    if (chosen != NULL) {
      text = dsm__page_join(page, text, ", ", "%s %s", dsm_pass_name((dsm_pass)p),
                            dsm__page_word(page, &dsm__parallelism_words, chosen->parallelism));
    }
  }
  return text;
}

/* Each pass has a parallelism of its own, and could have another. */
static const char *why_per_pass(dsm__page *page, const dsm_explanation *explanation) {
  const dsm_alternative *const change = best_single_change(explanation);
  if (change == NULL) {
    return "";
  }
  return dsm__page_text(
      page,
      "The passes may differ: %s. With the change of a single pass that costs "
      "least, %s with %s, the step would %s.",
      chosen_parallelisms(page, explanation), dsm_pass_name(change->pass),
      dsm__page_word(page, &dsm__parallelism_words, change->parallelism),
      step_change(page, explanation, change->network_cycles, explanation->reference_cycles));
}

const char *dsm__explain_layer_why(dsm__page *page, const dsm_plan *plan,
                                   const dsm_explanation *explanation) {
  if (explanation->alternative_count == 0 || explanation->is_layer_alone ||
      dsm__explain_is_preloading(plan)) {
    return "";
  }
  return dsm__explain_is_per_pass(plan) ? why_per_pass(page, explanation)
                                        : why_uniform(page, plan, explanation);
}
