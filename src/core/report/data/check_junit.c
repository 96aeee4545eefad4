/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_junit.c: baselines as test cases, in the XML of JUnit that build servers read. There is no
 * standard; written are the elements and attributes that GitHub's reporters, GitLab and Jenkins
 * take.
 */
#include <stdlib.h>

#include "report/answer.h"
#include "report/data/xml.h"
#include "report/table/check_text.h"

/* Seconds with the decimal point of XML in any locale, and no thousands separators. */
static void put_time(dsm__text_buffer *out, double seconds) {
  const double milliseconds = seconds > 0 && seconds < 1e9 ? seconds * 1e3 + 0.5 : 0;
  const unsigned long long whole = (unsigned long long)milliseconds;
  dsm__text_printf(out, " time=\"%llu.%03llu\"", whole / 1000, whole % 1000);
}

/* The findings, a line each. */
static void put_findings(dsm__text_buffer *out, const dsm_diags *diags) {
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    char line[2048];
    (void)dsm_diag_render(dsm_diags_get(diags, i), false, line, sizeof line);
    dsm__xml_text(out, line);
    dsm__text_puts(out, "\n");
  }
}

/* All that is known of a baseline, for people. */
static void put_details(dsm__text_buffer *out, const dsm_checked *item) {
  static const dsm_table_style style = {.width = 120};
  char *const table = dsm_answer_print(DSM_ANSWERS(check, item, 1), DSM_FORM_TABLE, &style);
  out->failed = out->failed || table == NULL;
  if (table != NULL) {
    dsm__xml_lines(out, table);
  }
  free(table);
  put_findings(out, item->diags);
}

/* An element that says why a case did not pass. */
static void put_why(dsm__page *page, const char *element, const char *type, const char *message,
                    const dsm_checked *item) {
  dsm__text_buffer *const out = &page->out;
  dsm__text_printf(out, "      <%s", element);
  dsm__xml_attribute(out, "type", type);
  dsm__xml_attribute(out, "message", message);
  dsm__text_puts(out, ">");
  put_details(out, item);
  dsm__text_printf(out, "</%s>\n", element);
}

/* The first error that was found, or the status in words. */
static const char *error_message(const dsm_checked *item) {
  for (size_t i = 0; i < dsm_diags_count(item->diags); i++) {
    const dsm_diag *const diag = dsm_diags_get(item->diags, i);
    if (diag->severity == DSM_SEVERITY_ERROR) {
      return diag->message;
    }
  }
  return dsm_status_name(item->status);
}

static void put_case(dsm__page *page, const dsm_checked *item) {
  dsm__text_buffer *const out = &page->out;
  dsm__text_puts(out, "    <testcase");
  dsm__xml_attribute(out, "name", item->file);
  dsm__xml_attribute(out, "classname", "dsm.check");
  put_time(out, item->seconds);
  dsm__text_puts(out, ">\n");
  const dsm_verdict verdict = dsm__verdict_of(item);
  if (verdict == DSM_VERDICT_COUNT) {
    put_why(page, "error", dsm_status_name(item->status), error_message(item), item);
  } else if (item->is_failed) {
    put_why(page, "failure", dsm_verdict_name(verdict),
            item->drift != NULL ? dsm__check_message(page, item->drift)
                                : dsm__comparison_message(page, item->comparison),
            item);
  } else {
    dsm__text_puts(out, "      <system-out>");
    put_details(out, item);
    dsm__text_puts(out, "</system-out>\n");
  }
  dsm__text_puts(out, "    </testcase>\n");
}

/* What both testsuites and testsuite say of all cases. */
static void put_totals(dsm__text_buffer *out, const dsm_checked *items, size_t count) {
  size_t failures = 0;
  size_t errors = 0;
  double seconds = 0;
  for (size_t i = 0; i < count; i++) {
    const bool is_error = dsm__verdict_of(&items[i]) == DSM_VERDICT_COUNT;
    errors += is_error ? 1 : 0;
    failures += !is_error && items[i].is_failed ? 1 : 0;
    seconds += items[i].seconds;
  }
  dsm__xml_attribute(out, "name", "dsm check");
  dsm__text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", count, failures, errors);
  put_time(out, seconds);
}

void dsm__put_junit(dsm__page *page, const dsm_answer *answer) {
  const dsm_checked *const items = answer->of;
  dsm__text_puts(&page->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  put_totals(&page->out, items, answer->count);
  dsm__text_puts(&page->out, ">\n  <testsuite");
  put_totals(&page->out, items, answer->count);
  dsm__text_puts(&page->out, " skipped=\"0\">\n");
  for (size_t i = 0; i < answer->count; i++) {
    put_case(page, &items[i]);
  }
  dsm__text_puts(&page->out, "  </testsuite>\n</testsuites>\n");
}
