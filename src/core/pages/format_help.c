/* SPDX-License-Identifier: GPL-3.0-or-later */
/* format_help.c: what dsm help says of a format, as plain text. */
#include "cli/run/output.h"
#include "pages/pages.h"

#define KEY_INDENT 6

const char pages_rules[] =
    "In the names of keys [] stands for each item of a list. GB is 10^9 bytes, MiB 2^20, KiB 2^10. "
    "Every object may have the key //, a comment. Unknown keys are errors.";

/* A paragraph whose lines all begin at `indent`. */
static void put_wrapped(FILE *out, const char *text, size_t indent) {
  (void)fprintf(out, "%*s", (int)indent, "");
  cli_print_wrapped(out, text, indent, indent);
}

static void put_key(FILE *out, const pages_key *key) {
  (void)fprintf(out, "  %s\n", key->path);
  put_wrapped(out, key->value, KEY_INDENT);
  if (key->description[0] != '\0') {
    put_wrapped(out, key->description, KEY_INDENT);
  }
}

void pages_write_format_help(FILE *out, const pages_format *format) {
  const dsm__json_node title = dsm__json_member(format->schema, "title");
  const dsm__json_node description = dsm__json_member(format->schema, "description");
  put_wrapped(out, dsm__json_text(&title), 0);
  (void)fputc('\n', out);
  put_wrapped(out, dsm__json_text(&description), 0);
  (void)fputc('\n', out);
  put_wrapped(out, pages_rules, 0);
  (void)fputs("\nKeys:\n", out);
  (void)pages_visit_keys(out, format->schema, put_key);
  if (format->example == NULL) {
    (void)fputs("\nExample: 'dsm explore vgg16 torus64 -o plan.json' writes one.\n", out);
  } else {
    (void)fprintf(out, "\nExample, as 'dsm init %s' writes it:\n%s", format->name, format->example);
  }
}
