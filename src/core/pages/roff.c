/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pages/pages.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cli/rows/rows.h"

enum { NAME_SIZE = 64 };

/* ---- text ---- */

/* Writes a character so that it is shown as it is. A hyphen must be one that can be copied. */
static void put_character(FILE *out, char character) {
  static const struct {
    char character;
    const char *escape;
  } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                 {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    if (escapes[i].character == character) {
      (void)fputs(escapes[i].escape, out);
      return;
    }
  }
  (void)fputc(character, out);
}

static void put_plain(FILE *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    put_character(out, text[i]);
  }
}

static void put_font(FILE *out, char font, const char *text, size_t length) {
  (void)fprintf(out, "\\f%c", font);
  put_plain(out, text, length);
  (void)fputs("\\fR", out);
}

static bool is_placeholder_letter(char letter) {
  return isupper((unsigned char)letter) != 0;
}

/* Does `list`, such as "SPEC | WORKLOAD SYSTEM", have the word? */
static bool has_word(const char *list, const char *word, size_t length) {
  for (const char *at = list; at != NULL && *at != '\0';) {
    size_t run = 0;
    while (is_placeholder_letter(at[run])) {
      run++;
    }
    if (run == length && run > 0 && strncmp(at, word, length) == 0) {
      return true;
    }
    at += run > 0 ? run : 1;
  }
  return false;
}

/* Is the word one that stands for what a user puts there? */
static bool is_placeholder(const cli_command *command, const char *word, size_t length) {
  if (has_word(command->operands, word, length) || has_word(command->other_form, word, length)) {
    return true;
  }
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    if ((option->commands & command->bit) != 0 && has_word(option->argument, word, length)) {
      return true;
    }
  }
  return false;
}

/* Bytes of an option's name with its dashes at the beginning of a text, or 0. */
static size_t option_length(const char *text) {
  const size_t dashes = strspn(text, "-");
  const size_t name = strspn(text + dashes, "abcdefghijklmnopqrstuvwxyz-");
  return dashes == 2 && name > 0 ? dashes + name : 0;
}

/* Writes running text: options in bold, placeholders of the command in italics. */
static void put_text(FILE *out, const cli_command *command, const char *text) {
  bool is_word_start = true;
  (void)fputs(*text == '.' ? "\\&" : "", out);
  while (*text != '\0') {
    size_t length = is_word_start ? option_length(text) : 0;
    if (length > 0) {
      put_font(out, 'B', text, length);
    } else if (is_word_start && is_placeholder_letter(*text)) {
      while (is_placeholder_letter(text[length])) {
        length++;
      }
      const bool is_whole = islower((unsigned char)text[length]) == 0;
      if (is_whole && is_placeholder(command, text, length)) {
        put_font(out, 'I', text, length);
      } else {
        put_plain(out, text, length);
      }
    } else {
      length = 1;
      put_character(out, *text);
    }
    const char last = text[length - 1];
    text += length;
    is_word_start = isalnum((unsigned char)last) == 0 && last != '-' && last != '_' && last != '$';
  }
}

static void put_section(FILE *out, const char *title) {
  (void)fprintf(out, ".SH \"%s\"\n", title);
}

/* ---- sections ---- */

/* Operands as in the help, placeholders in italics. */
static void put_call(FILE *out, const pages_subject *subject, const char *operands) {
  put_font(out, 'B', subject->call, strlen(subject->call));
  (void)fputc(' ', out);
  put_text(out, subject->command, operands);
}

static void put_synopsis(FILE *out, const pages_subject *subject) {
  const cli_command *const command = subject->command;
  put_section(out, "SYNOPSIS");
  put_call(out, subject, command->operands);
  (void)fputs(command->bit == CLI_PROGRAM ? " [\\fIARGUMENT\\fR]...\n" : " [\\fIOPTION\\fR]...\n",
              out);
  if (command->other_form != NULL) {
    (void)fputs(".br\n", out);
    put_call(out, subject, command->other_form);
    (void)fputs(" [\\fIOPTION\\fR]...\n", out);
  }
}

static void put_commands(FILE *out) {
  put_section(out, "COMMANDS");
  for (size_t i = 0; i < cli_command_count; i++) {
    const cli_command *const command = &cli_commands[i];
    (void)fputs(".TP\n", out);
    put_font(out, 'B', command->name, strlen(command->name));
    (void)fputc('\n', out);
    put_text(out, command, command->summary);
    (void)fprintf(out, ": see \\fBdsm\\-%s\\fR(1)\n", command->name);
  }
}

static void put_words(FILE *out, const cli_option *option) {
  (void)fputs(option->is_list ? ". Words, separated by commas: " : ". One of ", out);
  for (size_t i = 0; option->word(i) != NULL; i++) {
    (void)fputs(i == 0 ? "" : ", ", out);
    put_font(out, 'B', option->word(i), strlen(option->word(i)));
  }
}

static void put_option(FILE *out, const cli_command *command, const cli_option *option) {
  (void)fputs(".TP\n", out);
  if (option->letter != '\0') {
    (void)fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  }
  (void)fputs("\\fB\\-\\-", out);
  put_plain(out, option->name, strlen(option->name));
  (void)fputs("\\fR", out);
  if (option->argument != NULL) {
    (void)fputc(' ', out);
    put_text(out, command, option->argument);
  }
  const cli_help_text help = cli_option_help(option, command->bit);
  (void)fprintf(out, "\n%c", toupper((unsigned char)help.text[0]));
  put_text(out, command, help.text + 1);
  if (option->word != NULL) {
    put_words(out, option);
  }
  (void)fputs(".\n", out);
}

static void put_options(FILE *out, const cli_command *command) {
  put_section(out, "OPTIONS");
  for (size_t i = 0; i < cli_option_count; i++) {
    if ((cli_options[i].commands & command->bit) != 0) {
      put_option(out, command, &cli_options[i]);
    }
  }
}

static void put_list(FILE *out, const cli_command *command, const cli_manual_list *list) {
  bool is_first = true;
  for (size_t i = 0; i < list->count; i++) {
    const cli_manual_item *const item = &list->items[i];
    if ((item->commands & command->bit) == 0) {
      continue;
    }
    if (is_first) {
      put_section(out, list->title);
      is_first = false;
    }
    (void)fputs(".TP\n", out);
    put_font(out, 'B', item->head, strlen(item->head));
    (void)fputc('\n', out);
    put_text(out, command, item->detail);
    (void)fputc('\n', out);
  }
}

static void put_examples(FILE *out, const cli_command *command) {
  put_section(out, "EXAMPLES");
  for (size_t i = 0; i < CLI_EXAMPLES_MAX && command->examples[i] != NULL; i++) {
    (void)fputs(i == 0 ? ".EX\n" : "", out);
    put_plain(out, command->examples[i], strlen(command->examples[i]));
    (void)fputc('\n', out);
  }
  (void)fputs(".EE\n", out);
}

static void put_see_also(FILE *out, const pages_subject *subject) {
  put_section(out, "SEE ALSO");
  const bool is_program = subject->command == &cli_program;
  const char *separator = "";
  if (!is_program) {
    (void)fputs("\\fBdsm\\fR(1)", out);
    separator = ",\n";
  }
  for (size_t i = 0; i < cli_command_count; i++) {
    const cli_command *const other = &cli_commands[i];
    if (other != subject->command) {
      (void)fprintf(out, "%s\\fBdsm\\-%s\\fR(1)", separator, other->name);
      separator = ",\n";
    }
  }
  (void)fputs(is_program ? ",\n\\fBdsm\\-mpi\\fR(1)" : "", out);
  const bool has_formats = is_program || subject->command->bit == CLI_HELP;
  for (size_t i = 0; has_formats && cli_help_word(i) != NULL; i++) {
    (void)fprintf(out, ",\n\\fBdsm\\-%s\\fR(5)", cli_help_word(i));
  }
  (void)fputs("\n", out);
}

static void put_head(FILE *out, const char *name, const char *section, const char *date,
                     const char *version) {
  (void)fputs(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH ", out);
  for (const char *letter = name; *letter != '\0'; letter++) {
    put_character(out, (char)toupper((unsigned char)*letter));
  }
  (void)fprintf(out, " %s \"%s\" \"dsm %s\"\n", section, date, version);
  (void)fputs(".nh\n.ad l\n", out); /* paths and options are not to be broken */
  put_section(out, "NAME");
  put_plain(out, name, strlen(name));
  (void)fputs(" \\- ", out);
}

void pages_write(FILE *out, const pages_subject *subject, const char *date, const char *version) {
  const cli_command *const command = subject->command;
  put_head(out, subject->name, "1", date, version);
  put_plain(out, command->summary, strlen(command->summary));
  (void)fputc('\n', out);
  put_synopsis(out, subject);
  put_section(out, "DESCRIPTION");
  put_text(out, command, command->description);
  (void)fputc('\n', out);
  if (command == &cli_program) {
    put_commands(out);
  }
  put_options(out, command);
  put_list(out, command, &cli_exit_codes);
  put_list(out, command, &cli_environment);
  put_list(out, command, &cli_files);
  put_examples(out, command);
  put_see_also(out, subject);
}

/* ---- formats ---- */

static void put_prose(FILE *out, const char *text) {
  (void)fputs(*text == '.' ? "\\&" : "", out);
  put_plain(out, text, strlen(text));
  (void)fputc('\n', out);
}

static void put_key(FILE *out, const pages_key *key) {
  (void)fputs(".TP\n", out);
  put_font(out, 'B', key->path, strlen(key->path));
  (void)fputc('\n', out);
  put_plain(out, key->value, strlen(key->value));
  (void)fputs(key->description[0] == '\0' ? ".\n" : ".\n.br\n", out);
  if (key->description[0] != '\0') {
    put_prose(out, key->description);
  }
}

static void put_example_file(FILE *out, const pages_format *format) {
  put_section(out, "EXAMPLES");
  if (format->example == NULL) {
    (void)fputs("dsm explore writes one:\n.PP\n.EX\n"
                "dsm explore vgg16 torus64 \\-o plan.json\n.EE\n",
                out);
    return;
  }
  (void)fprintf(out, "dsm init %s writes this one:\n.PP\n.EX\n", format->name);
  put_plain(out, format->example, strlen(format->example));
  (void)fputs(".EE\n", out);
}

void pages_write_format(FILE *out, const pages_format *format, const char *date,
                        const char *version) {
  char name[NAME_SIZE];
  (void)snprintf(name, sizeof name, "dsm-%s", format->name);
  const dsm__json_node title = dsm__json_member(format->schema, "title");
  const dsm__json_node description = dsm__json_member(format->schema, "description");
  put_head(out, name, "5", date, version);
  put_prose(out, dsm__json_text(&title));
  put_section(out, "DESCRIPTION");
  put_prose(out, dsm__json_text(&description));
  (void)fputs(".PP\n", out);
  put_prose(out, pages_rules);
  (void)fprintf(out,
                ".PP\nThe JSON Schema is ../share/dsm/schemas/dsm\\-%s\\-1.schema.json, beside the "
                "folder of the program.\n",
                format->name);
  put_section(out, "KEYS");
  (void)pages_visit_keys(out, format->schema, put_key);
  put_example_file(out, format);
  put_section(out, "SEE ALSO");
  (void)fputs("\\fBdsm\\fR(1),\n\\fBdsm\\-init\\fR(1),\n\\fBdsm\\-validate\\fR(1)", out);
  for (size_t i = 0; cli_help_word(i) != NULL; i++) {
    if (strcmp(cli_help_word(i), format->name) != 0) {
      (void)fprintf(out, ",\n\\fBdsm\\-%s\\fR(5)", cli_help_word(i));
    }
  }
  (void)fputs("\n", out);
}
