/* SPDX-License-Identifier: GPL-3.0-or-later */
/* given_overrides.c: values of inputs that the command line replaces: --set, --minibatch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"

/* Adds an override, and notes it as PATH=VALUE; `owned` is freed with the arguments. */
static void add_override(cli_overrides *overrides, dsm_description root, dsm_override made,
                         const char *text, char *owned) {
  cli_override_list *const list = &overrides->of[root];
  list->items[list->count++] = made;
  overrides->texts[overrides->recorded.count] = owned;
  overrides->recorded.items[overrides->recorded.count++] = text;
}

cli_exit cli_apply_minibatch(cli_arguments *arguments, const cli_option *option, char *value) {
  static const char prefix[] = "workload.minibatch=";
  (void)option;
  const size_t size = sizeof prefix + strlen(value);
  char *const text = calloc(size, 1);
  if (text == NULL) {
    return cli_out_of_memory();
  }
  (void)snprintf(text, size, "%s%s", prefix, value);
  add_override(&arguments->overrides, DSM_DESCRIPTION_WORKLOAD,
               (dsm_override){.path = "minibatch", .value = value, .origin = "--minibatch"}, text,
               text);
  return CLI_EXIT_DONE;
}

unsigned cli_set_roots(const cli_command *command) {
  return command->set_roots != 0 ? command->set_roots
                                 : (unsigned)(CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM);
}

dsm_description cli_set_root(dsm_description kind) {
  const cli_companion_description *const row = cli_companion_description_of(kind);
  return row == NULL ? kind : row->root;
}

dsm_description cli_find_root(unsigned roots, const char *path) {
  dsm_description root = DSM_DESCRIPTION_WORKLOAD;
  for (; root < DSM_DESCRIPTION_COUNT; root++) {
    const char *const name = dsm_description_name(root);
    const size_t length = strlen(name);
    if ((roots & 1U << root) != 0 && strncmp(path, name, length) == 0 && path[length] == '.') {
      break;
    }
  }
  return root;
}

static cli_exit complain_of_path(const cli_arguments *arguments, const cli_option *option,
                                 const char *value) {
  unsigned left = cli_set_roots(arguments->command);
  char words[128] = "";
  size_t used = 0;
  for (dsm_description root = 0; left != 0; left &= ~(1U << root), root++) {
    if ((left & 1U << root) != 0) {
      const char *const before = used == 0 ? "" : left == 1U << root ? " or " : ", ";
      used += (size_t)snprintf(words + used, sizeof words - used, "%s%s.PATH=VALUE", before,
                               dsm_description_name(root));
    }
  }
  return cli_usage_error(arguments->command, "--%s: expected %s, found '%s'", option->name, words,
                         value);
}

cli_exit cli_apply_set(cli_arguments *arguments, const cli_option *option, char *value) {
  const size_t path_length = strcspn(value, "=");
  const dsm_description root = cli_find_root(cli_set_roots(arguments->command), value);
  const size_t prefix_length =
      root == DSM_DESCRIPTION_COUNT ? 0 : strlen(dsm_description_name(root)) + 1;
  if (value[path_length] == '\0' || prefix_length == 0 || path_length <= prefix_length) {
    return complain_of_path(arguments, option, value);
  }
  static const char option_text[] = "--set ";
  const size_t option_length = sizeof option_text - 1;
  char *const origin = calloc(option_length + path_length + 1, 1);
  if (origin == NULL) {
    return cli_out_of_memory();
  }
  memcpy(origin, option_text, option_length);
  memcpy(origin + option_length, value, path_length);
  add_override(&arguments->overrides, root,
               (dsm_override){.path = origin + option_length + prefix_length,
                              .value = value + path_length + 1,
                              .origin = origin},
               value, origin);
  return CLI_EXIT_DONE;
}
