/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_record.c: the tables of the format "dsm-profile/1". */
#include "server/profile_record.h"

#include "dsm/limits.h"
#include "server/server_internal.h"
#include "workload/byte_parameters.h"

enum {
  READ = DSM__FIELD_IS_READ,
  REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
  MAY_BE = DSM__FIELD_IS_READ | DSM__FIELD_IS_OPTIONAL,
  ABOVE_0 = DSM__FIELD_IS_READ | DSM__FIELD_UNLESS_0
};

/* clang-format off: a field a row */
#define NAME(type, member, what, about)                                                            \
  DSM__FIELD(TEXT, type, member, "name", REQUIRED, .max = DSM_NAME_BYTES_MAX, .expected = (what),  \
             .help = (about))
#define SOURCE(type, about)                                                                        \
  DSM__FIELD(TEXT, type, source, "source", MAY_BE | DSM__FIELD_IS_TALL, .max = DSM_TEXT_BYTES_MAX, \
             .help = (about))
#define REAL(type, member, of_key, flags, least, most, of_unit, about, ...)                        \
  DSM__FIELD(REAL, type, member, of_key, flags, .min = (least), .max = (most), .unit = (of_unit),  \
             .help = (about), __VA_ARGS__)
#define ELEMENT(type, member, of_key, about)                                                       \
  REAL(type, member, of_key, ABOVE_0, DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, "bytes",     \
       about, .fallback = 0)
#define LIST(struct_type, member, member_count, of_key, flags, of_type, most, ...)                 \
  DSM__FIELD(LIST, struct_type, member, of_key, flags,                                             \
             .count_offset = offsetof(struct_type, member_count), .type = &(of_type), .min = 1,    \
             .max = (most), __VA_ARGS__)

#define WATTS(member, flags, about, ...)                                                           \
  REAL(dsm_instance_device, member, #member, flags, DSM__WATTS_MIN, DSM__WATTS_MAX, "W", about,    \
       __VA_ARGS__)

DSM__OWN_RECORD(power_record, dsm_instance_device, true, "What a device draws.",
                WATTS(busy_watts, REQUIRED, "While it computes.",
                      .expected = "the power of a busy device"),
                WATTS(idle_watts, MAY_BE | DSM__FIELD_OR_0,
                      "While it does not, at most busy_watts.", .fallback = 0));

#define CAPACITY(member, flags, of_unit, about, ...)                                               \
  REAL(dsm__profile_device, of.member, #member, flags, DSM__CAPACITY_MIN, DSM__CAPACITY_MAX,       \
       of_unit, about, __VA_ARGS__)

DSM__OWN_RECORD(
    device_record, dsm__profile_device, true, "A device.",
    NAME(dsm__profile_device, of.name, "the device's name", "Its name."),
    DSM__FIELD(FLAG, dsm__profile_device, of.is_accelerator, "accelerator", MAY_BE, .fallback = 1,
               .help = "It counts for the baseline of accelerators only."),
    SOURCE(dsm__profile_device, "Where its numbers come from."),
    CAPACITY(memory_bytes, MAY_BE, "bytes", "Memory for parameters; absent: unlimited.",
             .fallback = (double)INFINITY),
    CAPACITY(link_bytes_per_second, MAY_BE, "bytes/s",
             "Bandwidth out of the device; absent: unlimited.", .fallback = (double)INFINITY),
    CAPACITY(incoming_bytes_per_second, ABOVE_0, "bytes/s",
             "Bandwidth into the device; absent: unlimited.", .fallback = 0),
    REAL(dsm__profile_device, of.transfer_seconds, "transfer_seconds", ABOVE_0, 0, DSM__SECONDS_MAX,
         "seconds", "Fixed cost of each transfer over its link.", .fallback = 0),
    ELEMENT(dsm__profile_device, of.element_bytes, "element_bytes",
            "Of an element of activations and tensors that it makes; absent: as stated for the "
            "profile."),
    ELEMENT(dsm__profile_device, of.weight_bytes, "weight_bytes",
            "Of a parameter that it stores; absent: element_bytes of the device, else as stated."),
    REAL(dsm__profile_device, seconds_ratio, "seconds_ratio", READ | DSM__FIELD_UNLESS_1, 1e-3, 1e3,
         "ratio",
         "What its times are over those in seconds, at any batch, as of another precision.",
         .fallback = 1),
    {.key = "power",
     .kind = DSM__FIELD_RECORD,
     .flags = READ,
     .type = &power_record,
     .stated_if = DSM__IF(dsm__profile_device, of.has_power),
     .help = "What it draws; absent: not known."});

#define BYTES(type, member, of_key, flags, about, ...)                                             \
  REAL(type, member, of_key, (flags) | DSM__FIELD_OR_0, DSM__BYTES_MIN, DSM__BYTES_MAX, "bytes",   \
       about, __VA_ARGS__)
/* NOLINTBEGIN(bugprone-macro-parentheses): a member stands bare there. */
#define NAMES(type, member, member_count, of_key, flags, least, ...)                               \
  DSM__FIELD(TEXT_LIST, type, member, of_key, flags, .count_offset = offsetof(type, member_count), \
             .min = (least), .max = DSM_NAME_BYTES_MAX, __VA_ARGS__)
/* NOLINTEND(bugprone-macro-parentheses) */

DSM__OWN_RECORD(tensor_record, dsm__profile_tensor, true,
                "A tensor. Tasks that need it do not name its task among their inputs.",
                BYTES(dsm__profile_tensor, bytes, "bytes", REQUIRED,
                      "It goes whole to each device that needs it.",
                      .expected = "the size of the tensor"),
                NAMES(dsm__profile_tensor, users, user_count, "used_by", REQUIRED, 1,
                      .expected = "the tasks that need it",
                      .help = "Other tasks, each once: who needs it."));

DSM__OWN_RECORD(
    task_record, dsm__profile_task, true, "A task.",
    NAME(dsm__profile_task, of.name, "the task's name", "Its name."),
    BYTES(dsm__profile_task, of.weights_bytes, "weights_bytes", REQUIRED, "Of its parameters.",
          .expected = "the size of the task's parameters"),
    BYTES(dsm__profile_task, of.activation_bytes, "activation_bytes", MAY_BE,
          "Most that is live while it runs.", .fallback = 0),
    BYTES(dsm__profile_task, of.input_bytes, "input_bytes", ABOVE_0,
          "What it reads of the request's input; it counts with --count-input.", .fallback = 0),
    BYTES(dsm__profile_task, of.output_bytes, "output_bytes", REQUIRED,
          "Of its output, which goes whole to each device that needs it.",
          .expected = "the size of the task's output"),
    BYTES(dsm__profile_task, of.result_bytes, "result_bytes", ABOVE_0,
          "What of it leaves the server although tasks need its tensors, as of joined layers.",
          .fallback = 0),
    NAMES(dsm__profile_task, inputs, input_count, "inputs", READ, 0,
          .stated_if = DSM__IF(dsm__profile_task, inputs),
          .help = "Other tasks, each once, whose outputs it needs; absent: the task before it, of "
                  "the first none."),
    LIST(dsm__profile_task, tensors, tensor_count, "tensors", ABOVE_0, tensor_record, DSM_TASKS_MAX,
         .help = "What it sends in place of its output, where it sends several tensors, or one of "
                 "another "
                 "size, as joined layers may; absent: its output alone."),
    DSM__FIELD(TEXT, dsm__profile_task, of.group, "group", MAY_BE, .max = DSM_NAME_BYTES_MAX,
               .help = "Tasks of the same group run on the same devices, equally often, where all "
                       "of them can; absent: it is in none."),
    DSM__OWN("seconds", DSM__FIELD_IS_REQUIRED, dsm__profile_write_seconds, JSON,
             .help = "Its time on each device by name, 0 or 1e-12 to 1e9; null where it cannot "
                     "run; or a list of up to 64 pairs of a batch (1 to 65536, rising) and the "
                     "time of all of it."));

DSM__DOCUMENT(
    dsm__profile_record, dsm__profile, "dsm-profile/1",
    "A partitioning problem in numbers: tasks, devices, and the time of each task on each device.",
    NAME(dsm__profile, name, "the profile's name", "Name of the profile."),
    SOURCE(dsm__profile, "Where the numbers come from."),
    ELEMENT(dsm__profile, element_bytes, "element_bytes",
            "Of an element that activation_bytes and output_bytes are stated for; required where a "
            "device has its own."),
    ELEMENT(dsm__profile, weight_bytes, "weight_bytes",
            "Of a parameter that weights_bytes are stated for; absent: element_bytes."),
    LIST(dsm__profile, devices, device_count, "devices", REQUIRED, device_record, DSM_DEVICES_MAX,
         .help = "In the order that breaks ties.", .expected = "a list of devices"),
    DSM__LISTED(dsm__profile, ports, port_count, "ports", DSM__FIELD_UNLESS_0,
                dsm__profile_port_record,
                "Switches and bridges whose bandwidth several devices share."),
    DSM__LISTED(dsm__profile, pairs, pair_count, "pairs", DSM__FIELD_UNLESS_0,
                dsm__profile_pair_record, "Devices with a connection of their own."),
    LIST(dsm__profile, tasks, task_count, "tasks", REQUIRED, task_record, DSM_TASKS_MAX,
         .help = "In any order.", .expected = "a list of tasks"));
/* clang-format on */
