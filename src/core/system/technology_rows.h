/* SPDX-License-Identifier: GPL-3.0-or-later */
/* technology_rows.h: the rows of the table of parameters (parameters.c) of what a chip is made of:
 * those of a technology, and what a system says of its area. Where a number has no default, 0 says
 * that it is not stated. Sources of the defaults: docs/budget.md. */
#ifndef DSM_SYSTEM_TECHNOLOGY_ROWS_H
#define DSM_SYSTEM_TECHNOLOGY_ROWS_H

/* A number of a technology without a default; and one that has one. */
#define TECHNOLOGY(key, nature, max, unit, help)                                                   \
  NEUTRAL("technology." #key, REAL, technology.key, NULL, nature, 0, max, 0, unit,                 \
          "assumption: nothing is known of it", help)
#define TECHNOLOGY_OR(key, nature, min, max, fallback, unit, source, help)                         \
  NEUTRAL("technology." #key, REAL, technology.key, NULL, nature, min, max, fallback, unit,        \
          source, help)
#define MAC_ENERGY(key, type)                                                                      \
  NEUTRAL("technology.energy.mac_pJ." key, REAL, technology.energy.mac_pJ[type], NULL, true, 0,    \
          1e6, 0, "10^-12 J", "assumption: nothing is known of it",                                \
          "Energy of a multiply-accumulate of elements of this type; 0: not stated.")
#define LINK_ENERGY(key, medium)                                                                   \
  NEUTRAL("technology.energy.link_pJ_per_byte." key, REAL,                                         \
          technology.energy.link_pJ_per_byte[medium], NULL, true, 0, 1e9, 0, "10^-12 J/byte",      \
          "assumption: nothing is known of it",                                                    \
          "Energy of a byte on a link between chips of this kind; 0: not stated.")
#define AXIS_MEDIUM(key, axis, fallback, source)                                                   \
  NEUTRAL("technology.energy.medium." key, WORD, technology.energy.medium[axis], &media, false, 0, \
          0, fallback, "word", source, "What links along the " key " axis are made of.")
#define AREA(key, of_kind, words, max, fallback, unit, source, help)                               \
  NEUTRAL("area." #key, of_kind, area.key, words, true, 0, max, fallback, unit, source, help)

#define DSM__TECHNOLOGY_ROWS                                                                       \
  MAC_ENERGY("int4", DSM_ELEMENT_TYPE_INT4), MAC_ENERGY("fp4", DSM_ELEMENT_TYPE_FP4),              \
      MAC_ENERGY("int8", DSM_ELEMENT_TYPE_INT8), MAC_ENERGY("fp8", DSM_ELEMENT_TYPE_FP8),          \
      MAC_ENERGY("fp16", DSM_ELEMENT_TYPE_FP16), MAC_ENERGY("bf16", DSM_ELEMENT_TYPE_BF16),        \
      MAC_ENERGY("tf32", DSM_ELEMENT_TYPE_TF32), MAC_ENERGY("fp32", DSM_ELEMENT_TYPE_FP32),        \
      TECHNOLOGY(energy.vector_pJ, true, 1e6, "10^-12 J",                                          \
                 "Energy of an element-pass of the vector unit; 0: not stated."),                  \
      TECHNOLOGY(energy.scratchpad_pJ_per_byte, true, 1e6, "10^-12 J/byte",                        \
                 "Energy of a byte that a scratchpad reads or writes; 0: not stated."),            \
      TECHNOLOGY(energy.shared_pJ_per_byte, true, 1e6, "10^-12 J/byte",                            \
                 "The same of the memory that cores share; 0: not stated."),                       \
      TECHNOLOGY(energy.core_link_pJ_per_byte, true, 1e6, "10^-12 J/byte",                         \
                 "Energy of a byte on a link between cores, for each hop; 0: not stated."),        \
      TECHNOLOGY(energy.memory_pJ_per_byte, true, 1e6, "10^-12 J/byte",                            \
                 "Energy of a byte that external memory reads or writes; 0: not stated."),         \
      LINK_ENERGY("board", DSM_MEDIUM_BOARD), LINK_ENERGY("cable", DSM_MEDIUM_CABLE),              \
      LINK_ENERGY("optics", DSM_MEDIUM_OPTICS),                                                    \
      AXIS_MEDIUM("first", 0, DSM_MEDIUM_BOARD, "assumption: within a board"),                     \
      AXIS_MEDIUM("second", 1, DSM_MEDIUM_CABLE, "assumption: within a rack"),                     \
      AXIS_MEDIUM("third", 2, DSM_MEDIUM_OPTICS, "assumption: between racks"),                     \
      TECHNOLOGY(energy.static_W, true, 1e6, "W", "Power of a chip that does nothing."),           \
      TECHNOLOGY(energy.static_W_per_mm2, true, 1e3, "W/mm2",                                      \
                 "The same for each mm2 of its area; both are added."),                            \
      TECHNOLOGY(silicon.density_MTr_per_mm2, false, 1e6, "10^6/mm2",                              \
                 "Transistors on a square millimetre of logic; 0: not stated."),                   \
      TECHNOLOGY(silicon.cell_um2, true, 1e3, "10^-12 m2",                                         \
                 "Area of a bit of static memory before the efficiency of its macro; 0: not "      \
                 "stated."),                                                                       \
      TECHNOLOGY_OR(silicon.control_transistors, true, 0, 1e9, 996200, "transistors",              \
                    "LLMCompass (Zhang et al., ISCA 2024), mean of GA100 and MI210",               \
                    "Transistors that decode and schedule for a lane."),                           \
      TECHNOLOGY_OR(silicon.port_transistors, true, 0, 1e12, 44.3e6, "transistors",                \
                    "LLMCompass (Zhang et al., ISCA 2024), mean of GA100 and MI210",               \
                    "Transistors of a core's port on the interconnect."),                          \
      TECHNOLOGY(silicon.wafer_dollars, true, 1e9, "$", "Price of a wafer; 0: not stated."),       \
      TECHNOLOGY_OR(silicon.wafer_mm, false, 1, 1e4, 300, "10^-3 m", "diameter of today's wafers", \
                    "Diameter of a wafer."),                                                       \
      TECHNOLOGY(silicon.defects_per_cm2, true, 1e3, "1/cm2",                                      \
                 "Defects on a square centimetre; 0: not stated."),                                \
      TECHNOLOGY_OR(silicon.alpha, false, 0.1, 1e3, 3, "ratio",                                    \
                    "usual for negative binomial yield (Stapper 1983; CSET 2020)",                 \
                    "How evenly defects lie: small where they cluster."),                          \
      TECHNOLOGY(prices.memory_dollars_per_GB, true, 1e6, "$/10^9 bytes",                          \
                 "Price of external memory; 0: not stated."),                                      \
      TECHNOLOGY(prices.package_dollars, true, 1e9, "$", "Price of a chip's package and test."),   \
      TECHNOLOGY(prices.host_dollars, true, 1e9, "$", "Price of a host with all but its chips."),  \
      TECHNOLOGY_OR(prices.chips_per_host, false, 1, 1e6, 8, "chips",                              \
                    "assumption: as servers of GPUs", "Chips of a host."),                         \
      TECHNOLOGY(prices.switch_dollars_per_chip, true, 1e9, "$",                                   \
                 "Price of switches, cables and network cards for each chip."),                    \
      TECHNOLOGY_OR(prices.margin, true, 0, 1e3, 1, "ratio", "assumption: bought at cost",         \
                    "Price over cost, where prices.system_dollars does not say."),                 \
      TECHNOLOGY(prices.system_dollars, true, 1e15, "$",                                           \
                 "What is paid for the whole system; 0: margin times cost."),                      \
      TECHNOLOGY(prices.host_W, true, 1e6, "W", "Power of a host without its chips."),             \
      TECHNOLOGY(prices.switch_W_per_chip, true, 1e6, "W",                                         \
                 "Power of switches and network cards for each chip."),                            \
      TECHNOLOGY_OR(prices.PUE, true, 1, 1e2, 1, "ratio", "assumption: nothing but the machine",   \
                    "Power of the site over that of the machine."),                                \
      TECHNOLOGY(prices.dollars_per_kWh, true, 1e3, "$/kWh",                                       \
                 "Price of electricity; 0: not stated."),                                          \
      TECHNOLOGY_OR(prices.years, false, 1e-2, 100, 5, "years", "assumption",                      \
                    "Time over which capital is paid back."),                                      \
      TECHNOLOGY_OR(prices.rate, true, 0, 10, 0.05, "1/year", "assumption", "Interest."),          \
      TECHNOLOGY_OR(prices.availability, false, 1e-3, 1, 0.9, "ratio", "assumption",               \
                    "Share of the hours in which the machine is used."),                           \
      TECHNOLOGY(carbon.fab_kWh_per_cm2, true, 1e3, "kWh/cm2",                                     \
                 "Electricity that making a square centimetre takes; 0: not stated."),             \
      TECHNOLOGY(carbon.gas_g_per_cm2, true, 1e6, "10^-3 kg/cm2",                                  \
                 "CO2 equivalent of gases of the fab; 0: not stated."),                            \
      TECHNOLOGY(carbon.material_g_per_cm2, true, 1e6, "10^-3 kg/cm2",                             \
                 "CO2 equivalent of materials; 0: not stated."),                                   \
      TECHNOLOGY_OR(carbon.fab_g_per_kWh, true, 0, 1e5, 583, "10^-3 kg/kWh",                       \
                    "ACT (Gupta et al., ISCA 2022): Taiwan", "CO2 of the fab's electricity."),     \
      TECHNOLOGY_OR(carbon.use_g_per_kWh, true, 0, 1e5, 301, "10^-3 kg/kWh",                       \
                    "ACT (Gupta et al., ISCA 2022): world",                                        \
                    "CO2 of the electricity that the machine takes."),                             \
      TECHNOLOGY_OR(carbon.memory_g_per_GB, true, 0, 1e6, 65, "10^-3 kg/10^9 bytes",               \
                    "ACT (Gupta et al., ISCA 2022): DRAM", "CO2 of making external memory."),      \
      TECHNOLOGY(failures.chip_mtbf_hours, false, 1e12, "hours",                                   \
                 "Mean time between failures that stop a run, of one chip; 0: not stated."),       \
      TECHNOLOGY(failures.restart_seconds, true, 1e9, "s",                                         \
                 "Time from a failure until a run goes on from its last checkpoint."),             \
      NEUTRAL("area.mac_type", WORD, area.mac_type, &dsm__element_type_words, true, 0, 0,          \
              DSM_ELEMENT_TYPE_FP16, "word", "assumption: operands of 16 bits",                    \
              "Type of the widest operands that a multiplier of the arrays takes at full rate."),  \
      AREA(die_mm2, REAL, NULL, 1e6, 0, "mm2", "assumption: as the model of area has it",          \
           "Area of a die, where it is known; 0: by the model."),                                  \
      NEUTRAL("area.dies", COUNT, area.dies, NULL, true, 1, 64, 1, "dies",                         \
              "assumption: a chip is one die", "Dies of a chip, all alike."),                      \
      AREA(vector_lanes, REAL, NULL, 1e9, 0, "lanes", "assumption: as core.sfu_ops_per_cycle",     \
           "Lanes of the vector units of a core; 0: one for each of core.sfu_ops_per_cycle."),     \
      AREA(int32_per_lane, REAL, NULL, 1e3, 1, "units", "assumption: one",                         \
           "Integer units of a lane."),                                                            \
      AREA(fp32_per_lane, REAL, NULL, 1e3, 1, "units", "assumption: one",                          \
           "Vector units of 32 bits of a lane."),                                                  \
      AREA(fp64_per_lane, REAL, NULL, 1e3, 0, "units", "assumption: none",                         \
           "Vector units of 64 bits of a lane."),                                                  \
      AREA(register_files, REAL, NULL, 1e6, 1, "files", "assumption: one", "Of a core."),          \
      AREA(registers, REAL, NULL, 1e9, 0, "registers",                                             \
           "assumption: operands come from the scratchpad", "Of each register file."),             \
      AREA(register_bits, REAL, NULL, 1e5, 32, "bits", "assumption: of an element of 4 bytes",     \
           "Bits of a register."),                                                                 \
      AREA(register_ports, REAL, NULL, 1e3, 4, "ports", "assumption: three operands and a result", \
           "Ports of a register file."),                                                           \
      AREA(memory_stacks, COUNT, NULL, 4096, 0, "interfaces",                                      \
           "assumption: as many as its bandwidth needs",                                           \
           "Interfaces to memory: stacks, or channels; 0: by the bandwidth."),                     \
      AREA(memory_interface, WORD, &memory_interfaces, 0, DSM_MEMORY_INTERFACE_HBM2E, "word",      \
           "assumption: stacked memory", "Kind of the interfaces to memory."),                     \
      AREA(link_GBps, REAL, NULL, RATE_MAX, 0, "10^9 bytes/s", "assumption: as system.axes says",  \
           "Bandwidth of all links of a chip, one way; 0: by the axes of the system."),            \
      AREA(link_interface, WORD, &link_interfaces, 0, DSM_LINK_INTERFACE_NVLINK3, "word",          \
           "assumption: as links of GPUs", "Kind of the interfaces of links."),                    \
      AREA(other_mm2, REAL, NULL, 1e6, 0, "mm2", "assumption: nothing else",                       \
           "What else is on a chip."),                                                             \
      AREA(spare_cores, COUNT, NULL, DSM_CORES_MAX, 0, "cores",                                    \
           "assumption: every core must work",                                                     \
           "Cores of the die beyond chip.cores, which may be broken."),

#endif
