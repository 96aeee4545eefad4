/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_table.c: plans of cores in memory, and what these are made of, for people. */
#include "dsm/pim.h"

#include "report/answer.h"
#include "report/declared.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

enum { LABEL_WIDTH = 10 };

static const char *count_text(dsm__page *page, uint64_t count) {
  return dsm__page_text(page, "%s", dsm__figure_count(count).text);
}

static const char *digits_text(dsm__page *page, double value, int digits) {
  return dsm__page_text(page, "%s", dsm__figure_digits(value, digits).text);
}

/* Four digits, but no more than four decimals. */
static const char *seconds_text(dsm__page *page, double seconds) {
  return dsm__page_text(
      page, "%s",
      (seconds < 1 ? dsm__figure_fixed(seconds, 4) : dsm__figure_digits(seconds, 4)).text);
}

static const char *scaled_text(dsm__page *page, double value, const char *unit) {
  return dsm__page_text(page, "%s", dsm__figure_scaled(value, unit).text);
}

static const char *cores_word(uint64_t count) {
  return count == 1 ? "core" : "cores";
}

/* ---- the best choice ---- */

const char *dsm__pim_choice_text(dsm__page *page, const dsm_pim_plan *plan) {
  const dsm_pim_choice *const choice = &plan->cost.choice;
  return dsm__page_text(
      page, "%s of %s cores, %s tasklet%s, %s transfers", dsm__figure_count(choice->cores).text,
      dsm__figure_count(plan->system->cores).text, dsm__figure_count(choice->tasklets).text,
      choice->tasklets == 1 ? "" : "s", dsm_pim_transfers_name(choice->transfers));
}

const char *dsm__pim_heading(dsm__page *page, const dsm_pim_plan *plan) {
  return dsm__page_text(page, "%s on %s: %s: %s s, %s", plan->workload->name, plan->system->name,
                        dsm__pim_choice_text(page, plan),
                        dsm__figure_digits(plan->cost.seconds, 4).text,
                        dsm__figure_scaled(plan->cost.joules, "J").text);
}

void dsm__pim_put_best(dsm__page *page, const dsm_pim_plan *plan) {
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s", dsm__pim_heading(page, plan));
}

static const dsm__table_column part_columns[] = {
    {.title = "where the time goes", .is_name = true, .comfort = 30},
    {.title = "s", .gap = 2, .is_right = true},
    {.title = "%", .gap = 2, .is_right = true},
};

static void add_part(dsm__table *table, const char *name, double seconds, double all) {
  DSM__TABLE_TEXTS(
      table, name, seconds_text(table->page, seconds),
      dsm__page_text(table->page, "%s", dsm__figure_fixed(100 * seconds / all, 1).text));
}

static void put_parts(dsm__page *page, const dsm_pim_cost *cost) {
  dsm__table table = DSM__TABLE(page, part_columns);
  add_part(&table, "kernel", cost->kernel_seconds, cost->seconds);
  add_part(&table, "host to cores", cost->host_to_cores_seconds, cost->seconds);
  add_part(&table, "cores to host", cost->cores_to_host_seconds, cost->seconds);
  add_part(&table, "between cores", cost->between_cores_seconds, cost->seconds);
  dsm__table_print(&table);
}

/* ---- why ---- */

static void put_reasons(dsm__page *page, const dsm_pim_plan *plan) {
  const dsm_pim_cost *const cost = &plan->cost;
  const dsm_pim_update *const update = &cost->update;
  const dsm_pim_roofline *const roof = &cost->roofline;
  const double memory = dsm__pim_memory_bytes(plan->system) / (double)plan->system->cores;
  dsm__page_labelled(
      page, LABEL_WIDTH, "rate", "%s updates a second: %s %% of what all %s cores could do",
      dsm__page_text(page, "%s", dsm__figure_fixed(cost->updates_per_second, 0).text),
      dsm__page_text(page, "%s", dsm__figure_fixed(100 * cost->utilization, 1).text),
      count_text(page, plan->system->cores));
  dsm__page_labelled(
      page, LABEL_WIDTH, "update",
      "%s instructions, %s cycles with %s tasklet%s: %s of dispatch, %s of memory",
      digits_text(page, update->instructions, 4), digits_text(page, update->cycles, 4),
      count_text(page, cost->choice.tasklets), cost->choice.tasklets == 1 ? "" : "s",
      digits_text(page, update->compute_cycles, 4), digits_text(page, update->dma_cycles, 3));
  dsm__page_labelled(
      page, LABEL_WIDTH, "roofline",
      "%s, %s %% of the roof: %s of these cores, bound by %s, at %s instructions a "
      "byte and %s",
      scaled_text(page, roof->operations_per_second, "op/s"),
      dsm__page_text(
          page, "%s",
          dsm__figure_fixed(100 * roof->operations_per_second / roof->roof_operations_per_second, 1)
              .text),
      scaled_text(page, roof->roof_operations_per_second, "op/s"), dsm_pim_bound_name(roof->bound),
      digits_text(page, roof->intensity, 3),
      scaled_text(page, roof->bandwidth_bytes_per_second, "B/s"));
  dsm__page_labelled(page, LABEL_WIDTH, "memory",
                     "%s of %s on each core; the data set needs %s %s at least",
                     scaled_text(page, cost->core_bytes, "B"), scaled_text(page, memory, "B"),
                     count_text(page, plan->fewest_cores), cores_word(plan->fewest_cores));
}

static void put_idle(dsm__page *page, const dsm_pim_plan *plan) {
  const uint64_t cores = plan->cost.choice.cores;
  const uint64_t working = dsm_pim_working_cores(plan->workload, cores);
  if (working < cores) {
    dsm__page_labelled(
        page, LABEL_WIDTH, "idle", "%s of the %s cores: there is one %s for each of %s",
        count_text(page, cores - working), count_text(page, cores),
        plan->workload->agents > 0 ? "agent" : "transition", count_text(page, working));
  }
}

/* ---- curves ---- */

static const dsm__table_column curve_columns[] = {
    {.title = "cores", .is_right = true},
    {.title = "transfers", .gap = 2},
    {.title = "s", .gap = 2, .is_right = true},
    {.title = "kernel", .gap = 2, .is_right = true},
    {.title = "to cores", .gap = 2, .is_right = true, .rank = 1},
    {.title = "to host", .gap = 2, .is_right = true, .rank = 2},
    {.title = "between", .gap = 2, .is_right = true, .rank = 1},
    {.title = "speed-up", .gap = 2, .is_right = true},
    {.title = "J", .gap = 2, .is_right = true, .rank = 3},
};

/* The first that is feasible, which the others are compared with. */
static const dsm_pim_cost *base_of(const dsm_pim_plan *plan) {
  size_t i = 0;
  while (i + 1 < plan->curve_count && !plan->curve[i].is_feasible) {
    i++;
  }
  return &plan->curve[i];
}

static void put_curve(dsm__page *page, const dsm_pim_plan *plan) {
  const dsm_pim_cost *const base = base_of(plan);
  dsm__table table = DSM__TABLE(page, curve_columns);
  for (size_t i = 0; i < plan->curve_count; i++) {
    const dsm_pim_cost *const cost = &plan->curve[i];
    const char *const cores = count_text(page, cost->choice.cores);
    const bool is_best = cost->choice.cores == plan->cost.choice.cores;
    if (!cost->is_feasible) {
      DSM__TABLE_STYLED(&table, DSM__STYLE_FAINT, cores, "do not fit", "", "", "", "", "", "", "");
      continue;
    }
    DSM__TABLE_STYLED(
        &table, is_best ? DSM__STYLE_GOOD : DSM__STYLE_PLAIN, cores,
        dsm_pim_transfers_name(cost->choice.transfers), seconds_text(page, cost->seconds),
        seconds_text(page, cost->kernel_seconds), seconds_text(page, cost->host_to_cores_seconds),
        seconds_text(page, cost->cores_to_host_seconds),
        seconds_text(page, cost->between_cores_seconds),
        dsm__page_text(page, "%s", dsm__figure_digits(base->seconds / cost->seconds, 4).text),
        digits_text(page, cost->joules, 4));
  }
  dsm__table_print(&table);
}

static const dsm__table_column tasklet_columns[] = {
    {.title = "tasklets", .is_right = true},
    {.title = "cycles an update", .gap = 2, .is_right = true},
    {.title = "kernel s", .gap = 2, .is_right = true},
    {.title = "s", .gap = 2, .is_right = true},
};

/* Powers of two, the knee, the best and the last: between them nothing happens. */
static bool is_shown(const dsm_pim_plan *plan, size_t index) {
  const uint64_t tasklets = plan->tasklet_curve[index].choice.tasklets;
  return plan->options.tasklet_count > 0 || (tasklets & (tasklets - 1)) == 0 ||
         tasklets == plan->knee_tasklets || tasklets == plan->cost.choice.tasklets ||
         index + 1 == plan->tasklet_curve_count;
}

static void put_tasklets(dsm__page *page, const dsm_pim_plan *plan) {
  dsm__table table = DSM__TABLE(page, tasklet_columns);
  for (size_t i = 0; i < plan->tasklet_curve_count; i++) {
    const dsm_pim_cost *const cost = &plan->tasklet_curve[i];
    const bool is_best = cost->choice.tasklets == plan->cost.choice.tasklets;
    if (is_shown(plan, i)) {
      DSM__TABLE_STYLED(
          &table, is_best ? DSM__STYLE_GOOD : DSM__STYLE_PLAIN,
          count_text(page, cost->choice.tasklets), digits_text(page, cost->update.cycles, 4),
          seconds_text(page, cost->kernel_seconds), seconds_text(page, cost->seconds));
    }
  }
  dsm__table_print(&table);
}

void dsm__show_pim(dsm__page *page, const dsm_answer *answer) {
  const dsm_pim_plan *const plan = answer->of;
  dsm__pim_put_best(page, plan);
  dsm__page_break(page);
  put_parts(page, &plan->cost);
  dsm__page_break(page);
  put_reasons(page, plan);
  put_idle(page, plan);
  if (plan->curve_count > 1) {
    dsm__page_break(page);
    put_curve(page, plan);
  }
  if (plan->tasklet_curve_count > 1) {
    dsm__page_break(page);
    put_tasklets(page, plan);
    dsm__page_break(page);
    dsm__page_line(page, DSM__STYLE_PLAIN,
                   "With %s tasklets an update takes less than 1 %% more than with any number.",
                   dsm__figure_count(plan->knee_tasklets).text);
  }
}

/* ---- descriptions ---- */

static void put_source(dsm__page *page, const char *source) {
  if (source != NULL) {
    dsm__page_line(page, DSM__STYLE_FAINT, "source: %s", source);
  }
}

void dsm__describe_rl(dsm__page *page, const dsm_rl_workload *workload) {
  const char *const agents =
      workload->agents == 0
          ? ""
          : dsm__page_text(page, " of each of %s agent%s", dsm__figure_count(workload->agents).text,
                           workload->agents == 1 ? "" : "s");
  dsm__page_line(
      page, DSM__STYLE_PLAIN, "%s of %s x %s %s, %s: %s transitions%s, %s sampling, %s episodes%s",
      workload->algorithm == DSM_RL_SARSA ? "SARSA" : "Q-learning",
      dsm__figure_count(workload->states).text, dsm__figure_count(workload->actions).text,
      dsm_rl_element_name(workload->element_type),
      scaled_text(page, dsm_pim_table_bytes(workload), "B"),
      dsm__figure_count(workload->transitions).text, agents,
      dsm_rl_sampling_name(workload->sampling), dsm__figure_count(workload->episodes).text,
      workload->agents > 0
          ? ""
          : dsm__page_text(page, ", tables averaged every %s",
                           dsm__figure_count(workload->synchronization_period).text));
  put_source(page, workload->source);
}

void dsm__describe_pim(dsm__page *page, const dsm_pim_system *system) {
  const double peak = dsm__pim_peak(system);
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s core%s at %s MHz, peak %s, %s of memory at %s; %s W",
                 dsm__figure_count(system->cores).text, system->cores == 1 ? "" : "s",
                 dsm__figure_short(system->frequency_MHz, 6).text, scaled_text(page, peak, "op/s"),
                 scaled_text(page, dsm__pim_memory_bytes(system), "B"),
                 scaled_text(page, peak / system->mram.cycles_per_byte, "B/s"),
                 dsm__figure_short(system->power_W, 6).text);
  put_source(page, system->source);
}
