/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_commands.c: the commands that make a plan and its page again. */
#include <string.h>

#include "model/names.h"
#include "plan/fixed_options.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "report/page/web.h"

/* ---- words of a shell ---- */

static bool is_plain(char c) {
  static const char others[] = "_./:=,+-@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr(others, c) != NULL);
}

/* A word that a POSIX shell reads as this text. */
static const char *word_of(dsm__page *page, const char *text) {
  bool is_all_plain = text[0] != '\0';
  for (const char *c = text; *c != '\0'; c++) {
    is_all_plain = is_all_plain && is_plain(*c);
  }
  if (is_all_plain) {
    return text;
  }
  const char *word = "'";
  for (const char *c = text; *c != '\0';) {
    const size_t length = strcspn(c, "'");
    const bool is_quote = c[length] == '\'';
    word = dsm__page_text(page, "%s%.*s%s", word, (int)length, c, is_quote ? "'\\''" : "");
    c += length + (is_quote ? 1 : 0);
  }
  return dsm__page_text(page, "%s'", word);
}

/* A file is no option: one whose name begins with '-' is in this folder. */
static const char *file_word(dsm__page *page, const char *file) {
  return word_of(page, file[0] == '-' ? dsm__page_text(page, "./%s", file) : file);
}

/* ---- options of the exploration ---- */

/* "--option LIST" for those of a set; "none" if it is empty. */
static const char *with_list(dsm__page *page, const char *before, const char *option,
                             const dsm__words *words, unsigned set) {
  const dsm__words_text list = dsm__words_join(words, set, ",");
  return dsm__page_text(page, "%s %s %s", before, option,
                        list.text[0] == '\0' ? "none" : list.text);
}

/* "--parallelism gpu=column,node=data" */
static const char *with_roles(dsm__page *page, const char *before, const dsm_plan *plan) {
  const char *text = before;
  const char *separator = " --parallelism ";
  for (unsigned a = 0; a < plan->system->system.axis_count; a++) {
    for (int r = 0; r < DSM_ROLE_COUNT; r++) {
      if ((plan->options.roles[a] >> r & 1U) != 0) {
        const char *const role = dsm__page_text(page, "%s=%s", plan->system->system.axes[a].name,
                                                dsm_role_name((dsm_role)r));
        text = dsm__page_text(page, "%s%s%s", text, separator, word_of(page, role));
        separator = ",";
      }
    }
  }
  return text;
}

/* What is not a default, each with a space before it. */
static const char *options_text(dsm__page *page, const dsm_plan *plan) {
  const dsm_explore_options *const options = &plan->options;
  const dsm_parallelism_set all = DSM_PARALLELISMS_OF(plan->system->system.axis_count);
  const char *text = options->mode == DSM_MODE_TRAINING
                         ? ""
                         : dsm__page_text(page, " --mode %s", dsm_mode_name(options->mode));
  const dsm_optimization_set of_mode = dsm_system_optimizations(plan->system, options->mode);
  const dsm_optimization_set used =
      options->optimizations & dsm_mode_possible_optimizations(options->mode);
  if (used != of_mode) {
    text = with_list(page, text, "--optimize", &dsm__optimization_words, used);
  }
  if (dsm__has_named_roles(options)) {
    text = with_roles(page, text, plan);
  } else if ((options->parallelisms & all) != all) {
    text = with_list(page, text, "--parallelism",
                     dsm__words_in(plan->renaming, &dsm__parallelism_words), options->parallelisms);
  }
  dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX];
  const size_t fixed_count = dsm__fixed_options(options, fixed);
  for (size_t i = 0; i < fixed_count; i++) {
    const char *const value =
        fixed[i].word != NULL ? fixed[i].word : dsm__page_text(page, "%.15g", fixed[i].number);
    text = dsm__page_text(page, "%s %s %s", text, fixed[i].option, value);
  }
  return text;
}

/* ---- commands ---- */

enum { COMMANDS_MAX = 4 };

/* Commands, a line each. */
static void put_commands(dsm__page *page, const char *title, const char *id,
                         const char *const commands[COMMANDS_MAX]) {
  const char *text = "";
  for (size_t i = 0; i < COMMANDS_MAX && commands[i] != NULL && text != NULL; i++) {
    text = dsm__arena_printf(page->arena, "%s%s\n", text, commands[i]);
  }
  dsm__web_paragraph(page, NULL, title);
  dsm__web_code(page, id, dsm__page_kept(page, text));
}

static const char *overrides_text(dsm__page *page, const dsm_explore_options *options) {
  const char *text = "";
  for (size_t i = 0; i < options->override_count; i++) {
    text = dsm__page_text(page, "%s --set %s", text, word_of(page, options->overrides[i]));
  }
  return text;
}

/* The last part of a path: a page says nothing of the folders that it was made in. */
static const char *file_name(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

void dsm__web_commands(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  const dsm_plan *const plan = subject->plan;
  const char *const options = options_text(page, plan);
  const char *const file =
      file_word(page, subject->file == NULL ? "plan.json" : file_name(subject->file));
  const char *const again[COMMANDS_MAX] = {
      dsm__page_text(page, "dsm score %s", file), dsm__page_text(page, "dsm check %s", file),
      dsm__page_text(page, "dsm report %s%s -o report.html", file,
                     page->style.is_unfolded ? " --unfold" : "")};
  const char *const of_point[COMMANDS_MAX] = {
      subject->point == NULL ? NULL
                             : dsm__page_text(page, "dsm score %s -o plan.json",
                                              file_word(page, file_name(subject->point))),
      again[0], again[1], again[2]};
  const char *const from_plan[COMMANDS_MAX] = {
      dsm__page_text(page, "jq .workload %s > workload.json", file),
      dsm__page_text(page, "jq .system %s > system.json", file),
      dsm__page_text(page, "dsm explore workload.json system.json%s -o best.json", options)};
  const char *const from_names[COMMANDS_MAX] = {dsm__page_text(
      page, "dsm explore %s %s%s%s -o plan.json", file_word(page, plan->workload->name),
      file_word(page, plan->system->name), options, overrides_text(page, &plan->options))};
  put_commands(page,
               "In the folder of the plan, these predict it again, explore its inputs again and "
               "compare, and make this page:",
               "commands-plan", subject->point == NULL ? again : of_point);
  put_commands(
      page,
      "The plan contains its workload and system. To explore them again, and perhaps change them:",
      "commands-explore", from_plan);
  put_commands(page,
               "If the descriptions that it was made from can still be found by name, as the "
               "bundled ones can:",
               "commands-names", from_names);
}
