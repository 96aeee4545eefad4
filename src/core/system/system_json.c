/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_json.c: the format "dsm-system/1", read by walking the table of parameters. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/words.h"
#include "system/system_internal.h"

/* Deepest object of the format: $.chip.memory. */
enum { OBJECT_DEPTH_MAX = 3, KEYS_MAX = 128 };

void dsm__parameter_read(const dsm__parameter *parameter, dsm_system *system,
                         const dsm__json_node *object, const char *key) {
  void *const field = dsm__parameter_field(parameter, system);
  const dsm__json_node node = dsm__json_member(object, key);
  const bool is_present = dsm__json_is_present(&node);
  const dsm__default usual = dsm__parameter_default(parameter, system);
  if (!is_present && usual.is_required && parameter->kind != DSM__PARAMETER_WORD) {
    dsm__json_require(&node,
                      parameter->kind == DSM__PARAMETER_COUNT ? "a whole number" : "a number");
    return;
  }
  size_t index = 0;
  switch (parameter->kind) {
  case DSM__PARAMETER_COUNT:
    *(uint64_t *)field = (uint64_t)usual.value;
    if (is_present) {
      dsm__json_u64(&node, (uint64_t)parameter->min, (uint64_t)parameter->max, field);
    }
    return;
  case DSM__PARAMETER_REAL:
    if (!is_present) {
      *(double *)field = usual.value;
    } else {
      dsm__json_double(&node, (dsm__json_range){parameter->min, parameter->max, false}, field);
    }
    return;
  case DSM__PARAMETER_FLAG:
    *(bool *)field = usual.value > 0;
    if (is_present) {
      dsm__json_bool(&node, field);
    }
    return;
  case DSM__PARAMETER_WORD:
    index = (size_t)usual.value;
    if (is_present || usual.is_required) {
      dsm__json_enum(&node, parameter->words, &index);
    }
    *(unsigned *)field = (unsigned)index;
    return;
  }
}

/* Is `path` one step below `prefix` ("" or "chip." ...), or further? Gives that step's length. */
static size_t step_below(const char *path, const char *prefix, bool *is_leaf) {
  const size_t prefix_length = strlen(prefix);
  if (strncmp(path, prefix, prefix_length) != 0) {
    return 0;
  }
  const size_t length = strcspn(path + prefix_length, ".");
  *is_leaf = path[prefix_length + length] == '\0';
  return length;
}

/* Adds the keys of `object`, at `prefix`, whose choice is gone. Files that still have them are
 * read: one that asks for what is the rule now, as it was meant; in the description of a system,
 * one that does not is told. (A plan says by itself when its numbers are no longer those that it
 * records.) */
static size_t add_retired(const dsm__json_node *object, const char *prefix, const char **known,
                          size_t count) {
  for (size_t r = 0; r < dsm__retired_flag_count; r++) {
    bool is_leaf = false;
    bool value = true;
    const char *const path = dsm__retired_flags[r];
    const char *const key = path + (step_below(path, prefix, &is_leaf) > 0 ? strlen(prefix) : 0);
    const dsm__json_node node = dsm__json_member(object, key);
    if (!is_leaf || !dsm__json_is_present(&node)) {
      continue;
    }
    known[count++] = key;
    const bool is_of_system = object->parent != NULL && object->parent->parent == NULL;
    if (dsm__json_bool(&node, &value) && !value && is_of_system) {
      dsm__json_warning(&node, "the key may be left out",
                        "expected true, which is the only rule now, found false");
    }
  }
  return count;
}

/* Reads a member of an object; a list of axes stands in place of the short form. */
static void read_member(const dsm__parameter *parameter, dsm_system *system,
                        const dsm__json_node *object, const char *key) {
  const dsm__json_node axes = dsm__json_member(object, "axes");
  const bool has_axes =
      strncmp(parameter->path, "system.", strlen("system.")) == 0 && dsm__json_is_present(&axes);
  const dsm__json_node node = dsm__json_member(object, key);
  if (has_axes && dsm__parameter_is_of_short_form(parameter)) {
    if (dsm__json_is_present(&node)) {
      dsm__json_error(&node, "it is the short form of two axes, and \"axes\" is there",
                      "expected \"axes\" alone");
    }
  } else if (!has_axes || strcmp(key, "topology") != 0 || dsm__json_is_present(&node)) {
    dsm__parameter_read(parameter, system, object, key);
  }
}

/* Lists the members of the object at `prefix` behind those that it has of its own. The table keeps
 * an object's rows together, so a change of the step is a new member. */
static size_t list_members(const char *prefix, size_t own_count, char keys[KEYS_MAX][64],
                           const char *known[KEYS_MAX]) {
  size_t count = own_count;
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    bool is_leaf = false;
    const char *const path = dsm__parameters[p].path;
    const size_t length = step_below(path, prefix, &is_leaf);
    const char *const step = path + strlen(prefix);
    const bool is_repeated =
        length == 0 || (count > own_count && strlen(known[count - 1]) == length &&
                        strncmp(known[count - 1], step, length) == 0);
    if (!is_repeated) {
      memcpy(keys[count], step, length);
      keys[count][length] = '\0';
      known[count] = keys[count];
      count++;
    }
  }
  return count;
}

/* Reads the object at `prefix`, and the objects in it. */
static void read_object(dsm_system *system, const dsm__json_node *object, const char *prefix,
                        const dsm__object_type *own, unsigned depth) {
  char keys[KEYS_MAX][64];
  const char *known[KEYS_MAX] = {NULL};
  const size_t own_count = own == NULL ? 0 : own->count;
  for (size_t k = 0; k < own_count; k++) {
    known[k] = own->keys[k].name;
  }
  const size_t count = list_members(prefix, own_count, keys, known);
  const size_t known_count = add_retired(object, prefix, known, count);
  if (dsm__json_is_present(object) && !dsm__json_object_only(object, known, known_count)) {
    return;
  }
  for (size_t k = own_count; k < count; k++) {
    char below[128];
    const size_t prefix_length = strlen(prefix);
    const size_t key_length = strlen(known[k]);
    memcpy(below, prefix, prefix_length);
    memcpy(below + prefix_length, known[k], key_length + 1);
    bool is_member = false;
    for (size_t p = 0; p < dsm__parameter_count; p++) {
      if (strcmp(dsm__parameters[p].path, below) == 0) {
        read_member(&dsm__parameters[p], system, object, known[k]);
        is_member = true;
      }
    }
    if (!is_member && strcmp(below, "system.axes") == 0) {
      const dsm__json_node axes = dsm__json_member(object, known[k]);
      if (dsm__json_is_present(&axes)) {
        dsm__axes_read(system, &axes);
      }
    } else if (!is_member && depth < OBJECT_DEPTH_MAX) {
      below[prefix_length + key_length] = '.';
      below[prefix_length + key_length + 1] = '\0';
      const dsm__json_node member = dsm__json_member(object, known[k]);
      const bool is_technology = strcmp(below, DSM__TECHNOLOGY_PREFIX) == 0;
      read_object(system, &member, below, is_technology ? &dsm__technology_object : NULL,
                  depth + 1);
    }
  }
}

/* What a technology says beside its numbers; its notes are those of the system (read_notes). */
static void read_technology(dsm_system *system, const dsm__json_node *root) {
  dsm_technology *const technology = &system->technology;
  const dsm__json_node node = dsm__json_member(root, "technology");
  const dsm__json_node name = dsm__json_member(&node, "name");
  technology->is_stated = dsm__json_is_present(&node);
  if (dsm__json_is_present(&name)) {
    (void)dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX, system->arena, &technology->name);
  }
}

/* The notes of a technology, which are known by the same paths without its own. */
static bool has_only_notes_of_technology(const dsm__json_node *notes) {
  const char *known[DSM__PARAMETERS_MAX];
  size_t count = 0;
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (dsm__parameter_is_of_technology(&dsm__parameters[p])) {
      known[count++] = dsm__parameters[p].path + strlen(DSM__TECHNOLOGY_PREFIX);
    }
  }
  return !dsm__json_is_present(notes) || dsm__json_object_only(notes, known, count);
}

/* The note on a parameter. What is left of a divided axis has the notes of that axis, and axes
 * behind it are one place before in the description. */
static dsm__json_node note_in_place(const dsm__json_node *notes, const dsm__parameter *parameter,
                                    unsigned divided) {
  static const char axes[] = "system.axes.";
  char path[64];
  if (divided == 0 || parameter->axis <= divided) {
    return dsm__json_member(notes, parameter->path);
  }
  assert(strlen(parameter->path) < sizeof path);
  memcpy(path, parameter->path, strlen(parameter->path) + 1);
  path[sizeof axes - 1]--;
  return dsm__json_member(notes, path);
}

/* The note on a parameter: the system's own, else that of its technology. */
static dsm__json_node note_on(const dsm__json_node *notes, const dsm__json_node *of_technology,
                              const dsm__parameter *parameter, unsigned divided) {
  const dsm__json_node note = note_in_place(notes, parameter, divided);
  return dsm__json_is_present(&note) || !dsm__parameter_is_of_technology(parameter)
             ? note
             : dsm__json_member(of_technology, parameter->path + strlen(DSM__TECHNOLOGY_PREFIX));
}

/* Does the description state the parameter of this path? */
static bool is_stated(const dsm__json_node *root, const char *path) {
  dsm__json_node nodes[OBJECT_DEPTH_MAX + 2] = {*root};
  char key[64];
  for (size_t depth = 0; depth <= OBJECT_DEPTH_MAX; depth++) {
    const size_t length = strcspn(path, ".");
    memcpy(key, path, length);
    key[length] = '\0';
    nodes[depth + 1] = dsm__json_member(&nodes[depth], key);
    if (path[length] == '\0') {
      return dsm__json_is_present(&nodes[depth + 1]);
    }
    path += length + 1;
  }
  return false;
}

/* A default that the description states is no assumption of the program: it is noted as given, so
 * that a plan, which has all parameters, still knows. */
static void read_notes(dsm_system *system, const dsm__json_node *root, bool has_all) {
  const bool is_technology = system == system->technology.holder;
  const dsm__json_node technology = is_technology ? *root : dsm__json_member(root, "technology");
  const dsm__json_node notes = dsm__json_member(root, is_technology ? "" : "notes");
  const dsm__json_node network = dsm__json_member(root, "system");
  const dsm__json_node axes = dsm__json_member(&network, "axes");
  const unsigned divided = dsm__axes_divided(&axes);
  const char *known[DSM__PARAMETERS_MAX + 8];
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    known[p] = dsm__parameters[p].path;
  }
  size_t known_count = dsm__parameter_count;
  for (size_t r = 0; r < dsm__retired_flag_count; r++) {
    known[known_count++] = dsm__retired_flags[r]; /* a note on it is of no use, and no harm */
  }
  if (dsm__json_is_present(&notes) && !dsm__json_object_only(&notes, known, known_count)) {
    return;
  }
  const dsm__json_node of_technology = dsm__json_member(&technology, "notes");
  if (!has_only_notes_of_technology(&of_technology)) {
    return;
  }
  const char **const paths = dsm__arena_array(system->arena, dsm__parameter_count, sizeof *paths);
  const char **const texts = dsm__arena_array(system->arena, dsm__parameter_count, sizeof *texts);
  if (dsm__json_lacks_memory(root->doc, paths == NULL || texts == NULL)) {
    return;
  }
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    const dsm__json_node note = note_on(&notes, &of_technology, &dsm__parameters[p], divided);
    if (dsm__json_is_present(&note) &&
        dsm__json_string(&note, 0, DSM_TEXT_BYTES_MAX, system->arena, &texts[system->note_count])) {
      paths[system->note_count++] = known[p];
    } else if (!has_all && !dsm__parameters[p].is_neutral && is_stated(root, known[p]) &&
               dsm__parameter_has_default(&dsm__parameters[p], system)) {
      texts[system->note_count] = dsm__given;
      paths[system->note_count++] = known[p];
    }
  }
  system->note_paths = paths;
  system->note_texts = texts;
}

/* What the word says, and what is there. */
static void check_topology(dsm_system *system, const dsm__json_node *root) {
  const dsm__json_node network = dsm__json_member(root, "system");
  const dsm__json_node axes = dsm__json_member(&network, "axes");
  const dsm__json_node topology = dsm__json_member(&network, "topology");
  const bool has_axes = dsm__json_is_present(&axes);
  if (has_axes && dsm__json_is_present(&topology) && system->system.topology != DSM_TOPOLOGY_AXES) {
    dsm__json_error(&topology, "it may be left out", "expected \"axes\" where there are axes");
  } else if (!has_axes && system->system.topology == DSM_TOPOLOGY_AXES) {
    dsm__json_require(&axes, "a list of axes");
  }
  if (has_axes) {
    system->system.topology = DSM_TOPOLOGY_AXES;
  }
}

/* The chips as a whole have a limit beside those of each axis. */
static void check_chip_count(const dsm_system *system, const dsm__json_node *root) {
  if (dsm_system_chips(system) > DSM_CHIPS_MAX) {
    const dsm__json_node network = dsm__json_member(root, "system");
    dsm__json_error(&network, NULL, "expected at most %d chips, found %s", DSM_CHIPS_MAX,
                    dsm__chips_text_of(system, " x ").text);
  }
}

/* Cores that nothing joins have nothing to do with one another. */
static void check_interconnect(const dsm_system *system, const dsm__json_node *root) {
  const dsm__json_node chip = dsm__json_member(root, "chip");
  const dsm__json_node interconnect = dsm__json_member(&chip, "interconnect");
  if (system->chip.interconnect == DSM_INTERCONNECT_NONE && system->chip.cores > 1) {
    dsm__json_error(&interconnect, "\"none\" is for a chip of one core",
                    "expected an interconnect for %" PRIu64 " cores", system->chip.cores);
  }
}

/* A memory that is there has room and a bandwidth: 0 stands for one that is not. */
static void check_shared_memory(const dsm_system *system, const dsm__json_node *root) {
  static const char *const keys[] = {"capacity_MB", "bandwidth_GBps"};
  const dsm_shared_memory *const memory = &system->chip.shared_memory;
  const double numbers[] = {memory->capacity_MB, memory->bandwidth_GBps};
  const dsm__json_node chip = dsm__json_member(root, "chip");
  const dsm__json_node shared = dsm__json_member(&chip, "shared_memory");
  for (size_t i = 0; dsm__json_is_present(&shared) && i < DSM__COUNT_OF(keys); i++) {
    const dsm__json_node node = dsm__json_member(&shared, keys[i]);
    if (!dsm__json_is_present(&node)) {
      dsm__json_require(&node, "a number");
    } else if (numbers[i] < DSM__RATE_MIN) {
      dsm__json_error(&node, "a chip without a shared memory has no \"shared_memory\"",
                      "expected a number of at least %g, found %g", DSM__RATE_MIN, numbers[i]);
    }
  }
}

/* A chip of which only the peak rate is known has one, and moves each tensor once. */
static void check_peak(const dsm_system *system, const dsm__json_node *root) {
  const dsm__json_node chip = dsm__json_member(root, "chip");
  const dsm__json_node model = dsm__json_member(root, "model");
  const dsm__json_node peak = dsm__json_member(&chip, "peak_TFLOPS");
  const dsm__json_node tiles = dsm__json_member(&model, "tile_schedule");
  const double number = system->chip.peak_TFLOPS;
  if (number > 0 && number < DSM__RATE_MIN) {
    dsm__json_error(&peak, "a chip whose arrays are described has no \"peak_TFLOPS\"",
                    "expected a number of at least %g, found %g", DSM__RATE_MIN, number);
  } else if (number > 0 && !system->model.tile_schedule) {
    dsm__json_error(&tiles, "it may be left out", "expected true with chip.peak_TFLOPS");
  }
}

/* Storage that is there has both tiers, each with what it takes. */
static void check_storage(const dsm_system *system, const dsm__json_node *root) {
  static const struct {
    const char *tier;
    const char *key;
    const char *what;
  } keys[] = {{"fast", "capacity_GB", "the room that the job has in fast storage"},
              {"fast", "bandwidth_GBps", "the bandwidth of fast storage"},
              {"capacity", "bandwidth_GBps", "the bandwidth of the storage that has all"}};
  const dsm_storage_tiers *const tiers = &system->storage;
  const double numbers[] = {tiers->fast.capacity_GB, tiers->fast.bandwidth_GBps,
                            tiers->capacity.bandwidth_GBps};
  const dsm__json_node storage = dsm__json_member(root, "storage");
  bool is_whole = dsm__json_is_present(&storage);
  for (size_t i = 0; dsm__json_is_present(&storage) && i < DSM__COUNT_OF(keys); i++) {
    const dsm__json_node tier = dsm__json_member(&storage, keys[i].tier);
    const dsm__json_node node = dsm__json_member(&tier, keys[i].key);
    is_whole = is_whole && dsm__json_is_present(&node) && !(numbers[i] < DSM__RATE_MIN);
    if (!dsm__json_is_present(&node)) {
      dsm__json_require(&node, keys[i].what);
    } else if (numbers[i] < DSM__RATE_MIN) {
      dsm__json_error(&node, "a system that says nothing of its storage has no \"storage\"",
                      "expected a number of at least %g, found %g", DSM__RATE_MIN, numbers[i]);
    }
  }
  if (is_whole && tiers->capacity.bandwidth_GBps > tiers->fast.bandwidth_GBps) {
    dsm__json_warning(&storage, "are the two tiers the other way round?",
                      "expected fast storage to be at least as fast as that which has all, found "
                      "%g and %g GB/s",
                      tiers->fast.bandwidth_GBps, tiers->capacity.bandwidth_GBps);
  }
}

/* Percentiles do not fall, and are there where measurements are. */
static void check_spread(const dsm_system *system, const dsm__json_node *root) {
  const dsm__json_node model = dsm__json_member(root, "model");
  const double high = system->model.spread_high;
  if (system->model.spread_count > 0 && !(system->model.spread_low > 0)) {
    dsm__json_error(&model, NULL,
                    "expected spread_low and spread_high above 0 where spread_count is");
  } else if ((high > 0 || system->model.spread_count > 0) && high < system->model.spread_low) {
    dsm__json_error(&model, NULL, "expected spread_high to be at least spread_low");
  }
}

/* What may be left out depends on it, whatever is wrong with it. */
static void peek_at_peak(dsm_system *system, const dsm__json_node *root) {
  const dsm__json_node chip = dsm__json_member(root, "chip");
  const dsm__json_node peak = dsm__json_member(&chip, "peak_TFLOPS");
  double number = 0;
  const bool is_number = dsm__json_is_number(&peak, &number);
  if (dsm__json_is_present(&peak) && (!is_number || number < 0 || number > 0)) {
    system->chip.peak_TFLOPS = number > 0 ? number : 1;
  }
}

/* What a description in a file of its own has of another one is in the document already. */
static void read_base(dsm_system *system, const dsm__json_node *node) {
  const char *own = NULL;
  const dsm__json_node left = dsm__json_member(node, "base");
  if (dsm__json_is_present(&left)) {
    dsm__json_error(&left, "a base is read where a system is a file of its own",
                    "expected no base here");
  }
  const char *const base = node->parent == NULL ? dsm__json_doc_base(node->doc, &own) : NULL;
  if (base != NULL) {
    system->base = dsm__arena_strdup(system->arena, base);
    system->own = dsm__arena_strdup(system->arena, own);
    if (system->base == NULL || system->own == NULL) {
      dsm__json_set_out_of_memory(node->doc);
    }
  }
}

DSM__OBJECT(dsm__system_object, "system", {.name = "format"}, {.name = "name"}, {.name = "base"},
            {.name = "source"}, {.name = "notes"});
DSM__OBJECT(dsm__technology_object, "technology", {.name = "format"}, {.name = "name"},
            {.name = "base"}, {.name = "source"}, {.name = "notes"});

void dsm__system_read(dsm_system *system, const dsm__json_node *node, bool has_all) {
  const size_t errors_before = dsm__json_doc_error_count(node->doc);
  if (!dsm__json_format(node, "dsm-system/1")) {
    return;
  }
  if (!dsm__json_is_object(node)) {
    read_object(system, node, "", &dsm__system_object, 0);
    return;
  }
  dsm__json_read_name(node, "the system's name", system->arena, &system->name);
  peek_at_peak(system, node);
  read_object(system, node, "", &dsm__system_object, 0);
  dsm__json_read_source(node, system->arena, &system->source);
  read_base(system, node);
  read_technology(system, node);
  read_notes(system, node, has_all);
  if (dsm__json_doc_error_count(node->doc) == errors_before) {
    check_topology(system, node);
    check_chip_count(system, node);
    check_interconnect(system, node);
    check_shared_memory(system, node);
    check_peak(system, node);
    check_storage(system, node);
    check_spread(system, node);
  }
}

/* A technology by itself is that of a system that has nothing else. */
static dsm_technology *technology_new(void) {
  dsm_system *const holder = dsm__system_new();
  if (holder == NULL) {
    return NULL;
  }
  holder->technology.holder = holder;
  holder->technology.is_stated = true;
  return &holder->technology;
}

void dsm_technology_free(dsm_technology *technology) {
  dsm_system_free(technology == NULL ? NULL : technology->holder);
}

static void read_technology_document(dsm_technology *made, const dsm__json_node *root) {
  dsm_system *const holder = made->holder;
  if (!dsm__json_format(root, "dsm-technology/1")) {
    return;
  }
  read_object(holder, root, DSM__TECHNOLOGY_PREFIX, &dsm__technology_object, 1);
  if (dsm__json_is_object(root)) {
    dsm__json_read_name(root, "the technology's name", holder->arena, &made->name);
    dsm__json_read_source(root, holder->arena, &holder->source);
    holder->name = made->name;
    read_notes(holder, root, true);
  }
}

DSM__DESCRIPTION(dsm__technology_description, TECHNOLOGY, "dsm-technology/1", dsm_technology,
                 technology_new, read_technology_document, dsm_technology_free);
DSM__DESCRIPTION_READERS(dsm__technology_description, dsm_technology, dsm_technology_parse,
                         dsm_technology_load);

static void read_document(dsm_system *made, const dsm__json_node *root) {
  dsm__system_read(made, root, false);
}

DSM__DESCRIPTION(dsm__system_description, SYSTEM, "dsm-system/1", dsm_system, dsm__system_new,
                 read_document, dsm_system_free);
DSM__DESCRIPTION_READERS(dsm__system_description, dsm_system, dsm_system_parse, dsm_system_load);
