/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * technology.h: what a chip is made of, and what that costs: area, energy, money, carbon.
 *
 * A system may name a technology, "technology": "n5", a description "dsm-technology/1" that is
 * found as bases of systems are, and may state any number of it otherwise in place. Numbers that
 * are 0 are not stated, unless they say otherwise; what needs one of them is not stated either.
 * Equations and sources: docs/budget.md. A technology changes no time.
 */
#ifndef DSM_TECHNOLOGY_H
#define DSM_TECHNOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/element_type.h"
#include "dsm/limits.h"
#include "dsm/override.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct dsm_system;

/** What a link between chips is made of. */
typedef enum dsm_medium {
  DSM_MEDIUM_BOARD = 0, /**< traces of a board or backplane */
  DSM_MEDIUM_CABLE,     /**< copper */
  DSM_MEDIUM_OPTICS,
  DSM_MEDIUM_COUNT
} dsm_medium;

/** Interfaces to memory whose area is known. */
typedef enum dsm_memory_interface {
  DSM_MEMORY_INTERFACE_HBM2E = 0, /**< a stack */
  DSM_MEMORY_INTERFACE_DDR5,      /**< a channel of 32 bits */
  DSM_MEMORY_INTERFACE_COUNT
} dsm_memory_interface;

/** Interfaces of links whose area is known. */
typedef enum dsm_link_interface {
  DSM_LINK_INTERFACE_NVLINK3 = 0,
  DSM_LINK_INTERFACE_NVLINK4,
  DSM_LINK_INTERFACE_INFINITY_FABRIC,
  DSM_LINK_INTERFACE_PCIE5,
  DSM_LINK_INTERFACE_COUNT
} dsm_link_interface;

/** What work costs in energy, and what stands still in power. */
typedef struct dsm_energy {
  double mac_pJ[DSM_ELEMENT_TYPE_COUNT]; /**< of a multiply-accumulate with operands of a type; of
                                              types without a rate of their own 0 */
  double vector_pJ;                      /**< of an element-pass */
  double scratchpad_pJ_per_byte;         /**< read or written */
  double shared_pJ_per_byte;             /**< of the memory that cores share */
  double core_link_pJ_per_byte;          /**< a byte and hop */
  double memory_pJ_per_byte;             /**< of external memory */
  double link_pJ_per_byte[DSM_MEDIUM_COUNT]; /**< a byte and link between chips */
  dsm_medium medium[3];    /**< of the links along each axis, the innermost first */
  double static_W;         /**< of a chip, always; 0: none */
  double static_W_per_mm2; /**< of a chip, by its area; 0: none */
} dsm_energy;

/** A process: what fits on a square millimetre, and what a wafer of it costs. */
typedef struct dsm_silicon {
  double density_MTr_per_mm2;
  double cell_um2;            /**< of a bit of static memory with all around it */
  double control_transistors; /**< of a lane */
  double port_transistors;    /**< of a core on the interconnect */
  double wafer_dollars;
  double wafer_mm; /**< diameter */
  double defects_per_cm2;
  double alpha; /**< how defects cluster */
} dsm_silicon;

/** What is bought, and for how much. */
typedef struct dsm_prices {
  double memory_dollars_per_GB;
  double package_dollars; /**< a chip; 0: none */
  double host_dollars;    /**< 0: none */
  double chips_per_host;
  double switch_dollars_per_chip; /**< 0: none */
  double margin;                  /**< price over cost */
  double system_dollars;          /**< that is paid for all; 0: margin times cost */
  double host_W;                  /**< 0: none */
  double switch_W_per_chip;       /**< 0: none */
  double PUE;                     /**< power of the site over that of what computes */
  double dollars_per_kWh;
  double years;        /**< over which capital is paid back */
  double rate;         /**< interest a year, 0 .. 1 */
  double availability; /**< share of the hours that are used, above 0 to 1 */
} dsm_prices;

/** What making and running it emits. */
typedef struct dsm_carbon {
  double fab_kWh_per_cm2;
  double gas_g_per_cm2;
  double material_g_per_cm2;
  double fab_g_per_kWh;
  double use_g_per_kWh;
  double memory_g_per_GB;
} dsm_carbon;

/** How often chips fail, and what a checkpoint takes. */
typedef struct dsm_failures {
  double chip_mtbf_hours; /**< mean time between failures of one chip */
  double restart_seconds; /**< from a failure until training goes on; 0: none */
} dsm_failures;

/** A technology: "dsm-technology/1". */
typedef struct dsm_technology {
  const char *name; /**< NULL: it has none, as the system states all of it itself */
  bool is_stated;   /**< false: the system names none, and everything below is 0 */
  dsm_energy energy;
  dsm_silicon silicon;
  dsm_prices prices;
  dsm_carbon carbon;
  dsm_failures failures;
  struct dsm_system *holder; /**< private: of one that is no system's */
} dsm_technology;

/** What of a chip a description of its performance does not say: "area" of a system. */
typedef struct dsm_area {
  dsm_element_type mac_type; /**< of the widest operands that a multiplier takes at full rate */
  double die_mm2;            /**< of a die, where it is known; 0: by the model */
  uint64_t dies;             /**< of a chip */
  double vector_lanes;       /**< of a core; 0: as many as core.sfu_ops_per_cycle says */
  double int32_per_lane;     /**< integer units */
  double fp32_per_lane;      /**< vector units of 32 bits */
  double fp64_per_lane;
  double register_files; /**< of a core */
  double registers;      /**< of each; 0: none */
  double register_bits;
  double register_ports;
  uint64_t memory_stacks; /**< of a chip; 0: by its bandwidth */
  dsm_memory_interface memory_interface;
  double link_GBps; /**< one way, of a chip; 0: by the system's axes */
  dsm_link_interface link_interface;
  double other_mm2;
  uint64_t spare_cores; /**< made beside those of the chip, which may be broken */
} dsm_area;

/** Parts of a chip's area. */
typedef enum dsm_area_part {
  DSM_AREA_PART_ARRAYS = 0, /**< multiply-accumulate units */
  DSM_AREA_PART_VECTOR,     /**< vector units */
  DSM_AREA_PART_CONTROL,    /**< of lanes */
  DSM_AREA_PART_REGISTERS,
  DSM_AREA_PART_SCRATCHPADS,
  DSM_AREA_PART_PORTS,  /**< of cores on the interconnect */
  DSM_AREA_PART_SHARED, /**< the memory that cores share */
  DSM_AREA_PART_MEMORY_PHY,
  DSM_AREA_PART_MEMORY_CONTROLLER,
  DSM_AREA_PART_LINK_PHY,
  DSM_AREA_PART_LINK_CONTROLLER,
  DSM_AREA_PART_OTHER,
  DSM_AREA_PART_COUNT
} dsm_area_part;

/** Parts of the power of a chip at its peak. */
typedef enum dsm_power_part {
  DSM_POWER_PART_STATIC = 0, /**< always */
  DSM_POWER_PART_ARRAYS,
  DSM_POWER_PART_VECTOR,
  DSM_POWER_PART_SCRATCHPADS,
  DSM_POWER_PART_CORE_LINKS,
  DSM_POWER_PART_SHARED,
  DSM_POWER_PART_MEMORY,
  DSM_POWER_PART_LINKS,
  DSM_POWER_PART_COUNT
} dsm_power_part;

/** Parts of what a system costs. */
typedef enum dsm_price_part {
  DSM_PRICE_PART_DIES = 0,
  DSM_PRICE_PART_MEMORY,
  DSM_PRICE_PART_PACKAGES,
  DSM_PRICE_PART_SWITCHES,
  DSM_PRICE_PART_HOSTS,
  DSM_PRICE_PART_COUNT
} dsm_price_part;

/** Most numbers that a machine's cost needs and that are not stated. */
#define DSM_UNSTATED_MAX 16

/** What a machine costs, whatever it computes. NaN: not stated. */
typedef struct dsm_machine_cost {
  double parts_mm2[DSM_AREA_PART_COUNT];      /**< of a chip, by the model */
  double parts_W[DSM_POWER_PART_COUNT];       /**< of a chip at its peak */
  double parts_dollars[DSM_PRICE_PART_COUNT]; /**< of the system */
  double core_mm2;                            /**< of a core without its port */
  double chip_mm2;                            /**< of all dies of a chip */
  double die_mm2;
  double dies_per_wafer;
  double yield; /**< of dies, 0 .. 1 */
  double die_dollars;
  double chip_dollars;   /**< dies, memory, package */
  double system_dollars; /**< what it costs: chips, hosts, switches */
  double price_dollars;  /**< what is paid for it */
  double hour_dollars;   /**< of the system: capital, and energy at full use */
  double chip_static_W;
  double chip_peak_W;                     /**< all parts at their peak rates at once */
  double system_static_W;                 /**< chips, hosts, switches */
  double system_W;                        /**< the same at peak */
  double site_W;                          /**< and all that the site needs beside (PUE) */
  double chip_kg;                         /**< CO2 that making a chip emits */
  double system_kg;                       /**< and that of all chips */
  double hour_kg;                         /**< at full use, without making it */
  double mtbf_hours;                      /**< mean time between failures of all chips together */
  const char *unstated[DSM_UNSTATED_MAX]; /**< paths of numbers that are missing; static */
  unsigned unstated_count;
} dsm_machine_cost;

/** Reads a technology by itself, as dsm_system_parse does a system. *technology is set only on
 * DSM_OK and then belongs to the caller. */
DSM_API DSM_NODISCARD dsm_status dsm_technology_parse(dsm_technology **technology, const char *text,
                                                      size_t length, const char *file,
                                                      const dsm_override *overrides,
                                                      size_t override_count, dsm_diags *diags);

/** dsm_technology_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_technology_load(dsm_technology **technology, const char *path,
                                                     const dsm_override *overrides,
                                                     size_t override_count, dsm_diags *diags);

/** Frees one that was read by itself, never that of a system; NULL is fine. */
DSM_API void dsm_technology_free(dsm_technology *technology);

/** What failures leave of a run's time. */
typedef struct dsm_goodput {
  double mtbf_seconds;     /**< of all chips together */
  double interval_seconds; /**< between checkpoints, the best */
  double ratio; /**< share of the time that is no checkpoint, lost work or restart; from 0 */
} dsm_goodput;

/** Area of static memory of so many bytes, mm2: the least that a macro of at least as many takes
 * (LLMCompass, after CACTI). 0 for none. */
DSM_API double dsm_sram_mm2(double bytes, double cell_um2);

/** Dies on a round wafer: pi (d/2)^2 / A - pi d / sqrt(2 A); 0 or less: none fits. */
DSM_API double dsm_dies_per_wafer(double die_mm2, double wafer_mm);

/** A die whose cores may be broken. */
typedef struct dsm_die {
  double mm2;
  uint64_t cores; /**< with the spare ones */
  double core_mm2;
  uint64_t spare_cores; /**< of them, which may be broken; fewer than cores, or both 0 */
} dsm_die;

/** Share of the dies that work, 0 .. 1: defects have a gamma distribution with `alpha`, one rate a
 * die (negative binomial yield). */
DSM_API double dsm_die_yield(const dsm_die *die, double defects_per_cm2, double alpha);

/** CO2 of making a good die, kg: area * (electricity + gases + materials) / yield (ACT). */
DSM_API double dsm_die_kg(const dsm_carbon *carbon, double die_mm2, double yield);

/**
 * Young's interval between checkpoints that take `checkpoint_seconds`, on so many chips that fail
 * as stated: sqrt(2 delta M), and what is left of the time. False, and nothing set, where a
 * checkpoint takes half of the time between failures or more, or no failures are stated.
 */
DSM_API DSM_NODISCARD bool dsm_goodput_of(dsm_goodput *goodput, const dsm_failures *failures,
                                          double chips, double checkpoint_seconds);

/** The energy of a byte on a link along an axis (from 0, the innermost), pJ; 0: not stated. */
DSM_API double dsm_technology_link_pJ(const dsm_technology *technology, unsigned axis);

/**
 * What a machine costs (docs/budget.md). DSM_ERROR_INVALID with a finding where the system names no
 * technology, where a die is larger than a wafer, or more cores are spare than there are; what is
 * not stated is NaN and no error. *cost is set in any case.
 */
DSM_API DSM_NODISCARD dsm_status dsm_machine_cost_of(const struct dsm_system *system,
                                                     dsm_machine_cost *cost, dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
