/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget_data.c: what a machine costs by its parts, and how much of that rests on assumptions
 * (format "dsm-budget/1", CSV, a text). */
#include <math.h>
#include <string.h>

#include "dsm/technology.h"
#include "report/answer.h"
#include "report/data/records.h"
#include "report/table/number_style.h"
#include "system/system_internal.h"

/* ---- parts ---- */

/* The kinds of sums that parts are of. */
enum { OF_AREA = 0, OF_POWER, OF_PRICE, OF_COUNT };
static const char *const sums[OF_COUNT] = {"area", "power", "price"};
static const char *const units[OF_COUNT] = {"mm2", "W", "$"};

#define RESTS_ON_MAX 6

/* A part: what it is of, where its value is, and the parameters that it rests on. */
typedef struct part {
  int of;
  int index;
  const char *name;
  const char *paths[RESTS_ON_MAX + 1]; /* NULL behind the last */
} part;

#define DENSITY "technology.silicon.density_MTr_per_mm2"
#define CELL "technology.silicon.cell_um2"
static const part parts[] = {
    {OF_AREA, DSM_AREA_PART_ARRAYS, "arrays", {DENSITY, "area.mac_type"}},
    {OF_AREA,
     DSM_AREA_PART_VECTOR,
     "vector units",
     {DENSITY, "area.vector_lanes", "area.int32_per_lane", "area.fp32_per_lane",
      "area.fp64_per_lane"}},
    {OF_AREA,
     DSM_AREA_PART_CONTROL,
     "control",
     {DENSITY, "area.vector_lanes", "technology.silicon.control_transistors"}},
    {OF_AREA, DSM_AREA_PART_REGISTERS, "registers", {DENSITY, "area.registers"}},
    {OF_AREA, DSM_AREA_PART_SCRATCHPADS, "scratchpads", {CELL}},
    {OF_AREA,
     DSM_AREA_PART_PORTS,
     "ports of cores",
     {DENSITY, "technology.silicon.port_transistors"}},
    {OF_AREA, DSM_AREA_PART_SHARED, "shared memory", {CELL}},
    {OF_AREA,
     DSM_AREA_PART_MEMORY_PHY,
     "memory PHYs",
     {"area.memory_stacks", "area.memory_interface"}},
    {OF_AREA,
     DSM_AREA_PART_MEMORY_CONTROLLER,
     "memory controllers",
     {DENSITY, "area.memory_stacks", "area.memory_interface"}},
    {OF_AREA, DSM_AREA_PART_LINK_PHY, "link PHYs", {"area.link_GBps", "area.link_interface"}},
    {OF_AREA,
     DSM_AREA_PART_LINK_CONTROLLER,
     "link controllers",
     {DENSITY, "area.link_GBps", "area.link_interface"}},
    {OF_AREA, DSM_AREA_PART_OTHER, "other", {"area.other_mm2"}},
    {OF_POWER,
     DSM_POWER_PART_STATIC,
     "static",
     {"technology.energy.static_W", "technology.energy.static_W_per_mm2"}},
    {OF_POWER, DSM_POWER_PART_ARRAYS, "arrays", {"technology.energy.mac_pJ.fp16"}},
    {OF_POWER, DSM_POWER_PART_VECTOR, "vector units", {"technology.energy.vector_pJ"}},
    {OF_POWER,
     DSM_POWER_PART_SCRATCHPADS,
     "scratchpads",
     {"technology.energy.scratchpad_pJ_per_byte"}},
    {OF_POWER,
     DSM_POWER_PART_CORE_LINKS,
     "links of cores",
     {"technology.energy.core_link_pJ_per_byte"}},
    {OF_POWER, DSM_POWER_PART_SHARED, "shared memory", {"technology.energy.shared_pJ_per_byte"}},
    {OF_POWER, DSM_POWER_PART_MEMORY, "memory", {"technology.energy.memory_pJ_per_byte"}},
    {OF_POWER,
     DSM_POWER_PART_LINKS,
     "links of chips",
     {"technology.energy.link_pJ_per_byte.board", "technology.energy.medium.first"}},
    {OF_PRICE,
     DSM_PRICE_PART_DIES,
     "dies",
     {"technology.silicon.wafer_dollars", "technology.silicon.defects_per_cm2"}},
    {OF_PRICE, DSM_PRICE_PART_MEMORY, "memory", {"technology.prices.memory_dollars_per_GB"}},
    {OF_PRICE, DSM_PRICE_PART_PACKAGES, "packages", {"technology.prices.package_dollars"}},
    {OF_PRICE, DSM_PRICE_PART_SWITCHES, "switches", {"technology.prices.switch_dollars_per_chip"}},
    {OF_PRICE,
     DSM_PRICE_PART_HOSTS,
     "hosts",
     {"technology.prices.host_dollars", "technology.prices.chips_per_host"}},
};

typedef struct part_row {
  const char *of;
  const char *name;
  double value;
  const char *unit;
  double share;
  const char *assumed; /* the first parameter that is an assumption; NULL: none is */
} part_row;

DSM__OWN_RECORD(
    part_record, part_row, true, "A part of what a machine costs.",
    DSM__FIELD(TEXT, part_row, of, "of", DSM__COLUMN,
               .help = "area of a chip, power of a chip at its peak, or price of the system."),
    DSM__FIELD(TEXT, part_row, name, "part", DSM__COLUMN, .help = "What it is."),
    DSM__REAL(part_row, value, "value", DSM__COLUMN | DSM__NULLABLE, NULL,
              "In the unit beside it; null: not stated."),
    DSM__FIELD(TEXT, part_row, unit, "unit", DSM__COLUMN, .help = "mm2, W or $."),
    DSM__REAL(part_row, share, "share", DSM__COLUMN | DSM__NULLABLE, "ratio",
              "Of all parts; null: not stated."),
    DSM__FIELD(TEXT, part_row, assumed, "assumption", DSM__COLUMN | DSM__OPTIONAL,
               .help = "A parameter that it rests on and that is an assumption."));

typedef struct document {
  const char *system;
  const char *technology;
  uint64_t chips;
  uint64_t dies;
  dsm_machine_cost cost;
  double assumed[OF_COUNT]; /* shares */
  const char *const *unstated;
  size_t unstated_count;
  dsm__rows parts;
  const char *missing; /* these, said to people alone */
} document;

#define FIGURE(member, key, unit, flags, about)                                                    \
  DSM__REAL(document, cost.member, key, (flags) | DSM__NULLABLE, unit, about)
#define ASSUMED(of, key, about) DSM__REAL(document, assumed[of], key, DSM__NULLABLE, "ratio", about)

DSM__ANSWER(
    dsm__budget_record, document, "dsm-budget/1", "What a machine costs", "dsm describe --budget",
    DSM__FIELD(TEXT, document, system, "system", DSM__ASKED, .help = "Name of the system."),
    DSM__FIELD(TEXT, document, technology, "technology", DSM__ASKED | DSM__OPTIONAL,
               .help = "Name of its technology."),
    DSM__FIELD(COUNT, document, chips, "chips", DSM__ASKED, .unit = "chips", .help = "Of it."),
    DSM__FIELD(COUNT, document, dies, "dies", DSM__ASKED, .unit = "dies", .help = "Of a chip."),
    FIGURE(chip_mm2, "chip_mm2", "mm2", DSM__LESS, "Area of a chip's dies."),
    FIGURE(core_mm2, "core_mm2", "mm2", DSM__FIGURE, "Area of a core without its port."),
    FIGURE(die_mm2, "die_mm2", "mm2", DSM__LESS, "Area of a die."),
    FIGURE(dies_per_wafer, "dies_per_wafer", "dies", DSM__MORE, "On a wafer."),
    FIGURE(yield, "yield", "ratio", DSM__MORE, "Share of dies that work."),
    FIGURE(die_dollars, "die_dollars", "$", DSM__LESS, "Cost of a die that works."),
    FIGURE(chip_dollars, "chip_dollars", "$", DSM__LESS, "Cost of dies, memory and package."),
    FIGURE(system_dollars, "system_dollars", "$", DSM__LESS, "Cost of chips, hosts, switches."),
    FIGURE(price_dollars, "price_dollars", "$", DSM__LESS, "What is paid for the system."),
    FIGURE(hour_dollars, "hour_dollars", "$/h", DSM__LESS,
           "Capital, and energy at peak, of an hour that is used."),
    FIGURE(chip_static_W, "chip_static_W", "W", DSM__LESS, "Power of an idle chip."),
    FIGURE(chip_peak_W, "chip_peak_W", "W", DSM__LESS,
           "Power of a chip all parts of which run at their peak."),
    FIGURE(system_static_W, "system_static_W", "W", DSM__LESS, "Power of all that is idle."),
    FIGURE(system_W, "system_W", "W", DSM__LESS, "Power of chips at peak, hosts, switches."),
    FIGURE(site_W, "site_W", "W", DSM__LESS, "The same with what the site needs beside."),
    FIGURE(chip_kg, "chip_kg", "kg", DSM__LESS, "CO2 of making a chip."),
    FIGURE(system_kg, "system_kg", "kg", DSM__LESS, "CO2 of making all chips."),
    FIGURE(hour_kg, "hour_kg", "kg/h", DSM__LESS, "CO2 of an hour at peak."),
    FIGURE(mtbf_hours, "mtbf_hours", "hours", DSM__MORE, "Mean time between failures."),
    ASSUMED(OF_AREA, "area_assumed", "Share of the area that rests on assumptions."),
    ASSUMED(OF_POWER, "power_assumed", "Share of a chip's power that rests on assumptions."),
    ASSUMED(OF_PRICE, "price_assumed", "Share of the cost that rests on assumptions."),
    DSM__FIELD(TEXT_LIST, document, unstated, "unstated", DSM__UNLESS_0,
               .count_offset = offsetof(document, unstated_count),
               .help = "Parameters that are not stated, for which something above is null."),
    DSM__ROWS(document, parts, "parts", part_record, "Those that are not 0."));

/* ---- what rests on assumptions ---- */

static bool is_assumed(dsm__page *page, const dsm_system *system, const char *path) {
  static const char by_default[] = "(default) ";
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (strcmp(dsm__parameters[p].path, path) == 0) {
      const char *source = dsm__parameter_source(page->arena, &dsm__parameters[p], system);
      page->out.failed = page->out.failed || source == NULL;
      source = source == NULL ? "" : source;
      source += strncmp(source, by_default, sizeof by_default - 1) == 0 ? sizeof by_default - 1 : 0;
      /* A default of 0 says that there is nothing of the kind: nothing rests on it. */
      return strncmp(source, "assumption", strlen("assumption")) == 0 &&
             (dsm__parameter_number(&dsm__parameters[p], system) > 0 ||
              strncmp(path, DSM__TECHNOLOGY_PREFIX, strlen(DSM__TECHNOLOGY_PREFIX)) != 0);
    }
  }
  return false;
}

static double value_of(const dsm_machine_cost *cost, const part *of) {
  return of->of == OF_AREA    ? cost->parts_mm2[of->index]
         : of->of == OF_POWER ? cost->parts_W[of->index]
                              : cost->parts_dollars[of->index];
}

static void add_part(dsm__page *page, const dsm_system *system, document *made, const part *of,
                     const double *all) {
  const double value = value_of(&made->cost, of);
  const char *assumed = NULL;
  if (value >= 0 && value <= 0) {
    return;
  }
  for (size_t i = 0; of->paths[i] != NULL && assumed == NULL; i++) {
    assumed = is_assumed(page, system, of->paths[i]) ? of->paths[i] : NULL;
  }
  part_row *const rows = made->parts.items;
  rows[made->parts.count++] = (part_row){.of = sums[of->of],
                                         .name = of->name,
                                         .value = value,
                                         .unit = units[of->of],
                                         .share = value / all[of->of],
                                         .assumed = assumed};
  made->assumed[of->of] += assumed != NULL ? value / all[of->of] : 0;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_machine_budget *const of = answer->of;
  document *const made = to;
  double all[OF_COUNT] = {0};
  *made = (document){.system = of->system->name,
                     .technology = of->system->technology.name,
                     .chips = dsm_system_chips(of->system),
                     .dies = of->system->area.dies,
                     .cost = of->cost,
                     .unstated = of->cost.unstated,
                     .unstated_count = of->cost.unstated_count};
  for (size_t i = 0; i < made->unstated_count; i++) {
    made->missing = i == 0 ? made->unstated[0]
                           : dsm__page_text(page, "%s, %s", made->missing, made->unstated[i]);
  }
  made->parts = dsm__rows_make(page, DSM__COUNT_OF(parts), sizeof(part_row));
  made->parts.count = 0;
  for (size_t i = 0; i < DSM__COUNT_OF(parts); i++) {
    all[parts[i].of] += value_of(&of->cost, &parts[i]);
  }
  for (size_t i = 0; made->parts.items != NULL && i < DSM__COUNT_OF(parts); i++) {
    add_part(page, of->system, made, &parts[i], all);
  }
}

/* ---- for people ---- */

static const dsm__table_column columns[] = {
    {.title = "of", .value = "{of}"},
    DSM__COLUMN_OF("part", "{part}", .is_name = true),
    DSM__NUMBERS("value", "{value:4|not stated}"),
    {.title = "unit", .gap = 2, .value = "{unit}"},
    DSM__NUMBERS("share", "{share:%|}"),
    DSM__COLUMN_OF("rests on the assumption", "{assumption}", .is_name = true, .rank = 1),
};
static const dsm__row_table parts_table = {.list = "parts", DSM__COLUMNS(columns)};

static const dsm__fact facts[] = {
    DSM__FACT("chip", "{chip_mm2:4 mm2|area not stated} in {dies} die{dies;s}, a core "
                      "{core_mm2:4 mm2|not stated}"),
    DSM__FACT("dies", "{dies_per_wafer:4|not stated} on a wafer, {yield:%|not stated} % of them "
                      "good, each {die_dollars:4 $|not stated}"),
    DSM__FACT("power", "a chip {chip_static_W:4 W|not stated} idle, {chip_peak_W:4 W|not stated} "
                       "at peak; {chips} chip{chips;s} with hosts and switches "
                       "{system_static_W:4 W|not stated} and {system_W:4 W|not stated}; the site "
                       "{site_W:4 W|not stated}"),
    DSM__FACT("price", "a chip {chip_dollars:4 $|not stated}, the system "
                       "{system_dollars:4 $|not stated}, paid {price_dollars:4 $|not stated}: "
                       "{hour_dollars:4 $|not stated} an hour"),
    DSM__FACT("carbon", "making a chip {chip_kg:4 kg|not stated}, all {system_kg:4 kg|not stated}; "
                        "an hour at peak {hour_kg:4 kg|not stated}"),
    DSM__FACT("failures", "one each {mtbf_hours:4 hours|time that is not stated}"),
    DSM__FACT("not stated", "{missing}"),
    DSM__FACT("assumptions", "{area_assumed:%|-} % of the area, {power_assumed:%|-} % of a chip's "
                             "power, {price_assumed:%|-} % of the cost rest on them"),
};
/* ---- a picture ---- */

/* Colours on which black can be read. */
enum { BRIGHT = 6 };

/* A bar of one sum from left to right, a box a part; names stand in the boxes that have room. */
static void put_sum(dsm__plot_maker *maker, const document *of, int sum, double top) {
  static const double left = 90;
  static const double height = 30;
  static const double gap = 4;
  const double width = maker->width - left - DSM__PLOT_MARGIN;
  const part_row *const rows = of->parts.items;
  const double middle = top + height / 2;
  double at = left;
  size_t color = 0;
  for (size_t i = 0; i < of->parts.count; i++) {
    const part_row *const row = &rows[i];
    if (row->of != sums[sum] || !(row->share > 0)) {
      continue;
    }
    const double wide = width * row->share;
    const char *const about = dsm__plot_text(
        maker, "%s: %s %s, %s %%%s%s", row->name, dsm__figure_digits(row->value, 4).text, row->unit,
        dsm__figure_fixed(100 * row->share, 1).text, row->assumed == NULL ? "" : ", by assumption ",
        row->assumed == NULL ? "" : row->assumed);
    dsm__plot_box(maker, (dsm__area){at, top, wide, height}, dsm__color_of_series(color++ % BRIGHT),
                  about);
    if (dsm__plot_text_width(row->name, DSM__SIZE_SMALL) + 2 * gap < wide) {
      dsm__plot_label(maker, (dsm__point){at + gap, middle},
                      (dsm__label_style){.size = DSM__SIZE_SMALL}, row->name);
    }
    at += wide;
  }
  dsm__plot_label(maker, (dsm__point){left - 2 * gap, middle},
                  (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_RIGHT},
                  sums[sum]);
}

static void draw_parts(dsm__plot_maker *maker, const void *document_of) {
  static const double pitch = 40;
  for (int sum = 0; sum < OF_COUNT; sum++) {
    put_sum(maker, document_of, sum, DSM__PLOT_MARGIN + pitch * sum);
  }
  maker->height = DSM__PLOT_MARGIN + pitch * OF_COUNT;
}

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts)},
    {.id = "bars",
     .title = "What it is made of",
     .draw = draw_parts,
     .label = "Parts of the area of a chip, of its power at peak, and of the price of the system. "
              "The table has the numbers.",
     .caption = "Point at a part for its size, and for the assumption that it rests on."},
    {.id = "parts", .title = "Parts", .table = &parts_table}};

DSM__OWN_RECORD(shown_record, document, false, "A budget with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &dsm__budget_record},
                DSM__SAID(TEXT, document, missing));

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{system}: {chips} chip{chips;s}, technology {technology|of its own}",
    .series = DSM__SERIES_COLORS,
    DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_budget = {
    .record = &dsm__budget_record, .fill = fill, .tables = {"parts"}, .layout = &layout};
