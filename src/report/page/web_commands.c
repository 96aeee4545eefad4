/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_commands.c: the commands that make a plan and its page again. */
#include <inttypes.h>
#include <string.h>

#include "model/names.h"
#include "plan/fixed_options.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "report/page/html.h"
#include "report/page/web.h"

/* ---- words of a shell ---- */

static bool is_plain(char c) {
  static const char others[] = "_./:=,+-@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr(others, c) != NULL);
}

/* Appends a word that a POSIX shell reads as this text. */
static void put_word(dsm__page *page, const char *text) {
  bool is_all_plain = text[0] != '\0';
  for (const char *c = text; *c != '\0'; c++) {
    is_all_plain = is_all_plain && is_plain(*c);
  }
  if (is_all_plain) {
    dsm__html_text(&page->out, text);
    return;
  }
  dsm__text_puts(&page->out, "'");
  for (const char *c = text; *c != '\0';) {
    const size_t length = strcspn(c, "'");
    dsm__html_text(&page->out, dsm__page_text(page, "%.*s", (int)length, c));
    c += length;
    if (*c == '\'') {
      dsm__text_puts(&page->out, "'\\''");
      c++;
    }
  }
  dsm__text_puts(&page->out, "'");
}

/* A file is no option: one whose name begins with '-' is in this folder. */
static void put_file(dsm__page *page, const char *file) {
  put_word(page, file[0] == '-' ? dsm__page_text(page, "./%s", file) : file);
}

/* ---- options of the exploration ---- */

/* " --option LIST" for those of a set; "none" if it is empty. */
static void put_list(dsm__page *page, const char *option, const dsm__words *words, unsigned set) {
  const dsm__words_text list = dsm__words_join(words, set, ",");
  dsm__text_puts(&page->out, option);
  dsm__text_puts(&page->out, list.text[0] == '\0' ? "none" : list.text);
}

/* " --parallelism gpu=column,node=data" */
static void put_roles(dsm__page *page, const dsm_plan *plan) {
  const char *separator = " --parallelism ";
  for (unsigned a = 0; a < plan->system->system.axis_count; a++) {
    for (int r = 0; r < DSM_ROLE_COUNT; r++) {
      if ((plan->options.roles[a] >> r & 1U) != 0) {
        dsm__text_puts(&page->out, separator);
        put_word(page, dsm__page_text(page, "%s=%s", plan->system->system.axes[a].name,
                                      dsm_role_name((dsm_role)r)));
        separator = ",";
      }
    }
  }
}

/* What is not a default. */
static void put_options(dsm__page *page, const dsm_plan *plan) {
  const dsm_explore_options *const options = &plan->options;
  const dsm_parallelism_set all = DSM_PARALLELISMS_OF(plan->system->system.axis_count);
  if (options->mode != DSM_MODE_TRAINING) {
    dsm__text_puts(&page->out, " --mode ");
    dsm__text_puts(&page->out, dsm_mode_name(options->mode));
  }
  const dsm_optimization_set of_mode = dsm_system_optimizations(plan->system, options->mode);
  const dsm_optimization_set used =
      options->optimizations & dsm_mode_possible_optimizations(options->mode);
  if (used != of_mode) {
    put_list(page, " --optimize ", &dsm__optimization_words, used);
  }
  if (dsm__has_named_roles(options)) {
    put_roles(page, plan);
  } else if ((options->parallelisms & all) != all) {
    put_list(page, " --parallelism ", dsm__words_in(plan->renaming, &dsm__parallelism_words),
             options->parallelisms);
  }
  dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX];
  const size_t fixed_count = dsm__fixed_options(options, fixed);
  for (size_t i = 0; i < fixed_count; i++) {
    const char *const value =
        fixed[i].word != NULL ? fixed[i].word : dsm__page_text(page, "%" PRIu64, fixed[i].number);
    dsm__text_puts(&page->out, dsm__page_text(page, " %s %s", fixed[i].option, value));
  }
}

/* ---- commands ---- */

static void begin_commands(dsm__page *page, const char *title, const char *id) {
  dsm__web_paragraph(page, NULL, title);
  dsm__html_begin(&page->out, "pre", "id", id, "tabindex", "0", NULL);
  dsm__html_begin(&page->out, "code", NULL);
}

static void end_commands(dsm__page *page) {
  dsm__text_puts(&page->out, "</code>");
  dsm__html_end(&page->out, "pre");
}

/* "dsm VERB FILE" */
static void put_command(dsm__page *page, const char *verb, const char *file) {
  dsm__text_puts(&page->out, verb);
  put_file(page, file);
}

static void put_from_plan(dsm__page *page, const dsm_plan *plan, const char *file) {
  begin_commands(
      page,
      "The plan contains its workload and system. To explore them again, and perhaps change them:",
      "commands-explore");
  put_command(page, "jq .workload ", file);
  dsm__text_puts(&page->out, " &gt; workload.json\n");
  put_command(page, "jq .system ", file);
  dsm__text_puts(&page->out, " &gt; system.json\ndsm explore workload.json system.json");
  put_options(page, plan);
  dsm__text_puts(&page->out, " -o best.json\n");
  end_commands(page);
}

static void put_from_names(dsm__page *page, const dsm_plan *plan) {
  begin_commands(page,
                 "If the descriptions that it was made from can still be found by name, as the "
                 "bundled ones can:",
                 "commands-names");
  dsm__text_puts(&page->out, "dsm explore ");
  put_file(page, plan->workload->name);
  dsm__text_puts(&page->out, " ");
  put_file(page, plan->system->name);
  put_options(page, plan);
  for (size_t i = 0; i < plan->options.override_count; i++) {
    dsm__text_puts(&page->out, " --set ");
    put_word(page, plan->options.overrides[i]);
  }
  dsm__text_puts(&page->out, " -o plan.json\n");
  end_commands(page);
}

/* The last part of a path: a page says nothing of the folders that it was made in. */
static const char *file_name(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

void dsm__web_commands(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  const char *const file = subject->file == NULL ? "plan.json" : file_name(subject->file);
  begin_commands(page,
                 "In the folder of the plan, these predict it again, explore its inputs again and "
                 "compare, and make this page:",
                 "commands-plan");
  if (subject->point != NULL) {
    put_command(page, "dsm score ", file_name(subject->point));
    dsm__text_puts(&page->out, " -o plan.json\n");
  }
  put_command(page, "dsm score ", file);
  put_command(page, "\ndsm check ", file);
  put_command(page, "\ndsm report ", file);
  dsm__text_printf(&page->out, "%s -o report.html\n", page->style.is_unfolded ? " --unfold" : "");
  end_commands(page);
  put_from_plan(page, subject->plan, file);
  put_from_names(page, subject->plan);
}
