#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""explore_plan.py: libdsm from Python, with ctypes alone. Loads a workload and a system, explores,
and reads the plan as JSON.

Usage: explore_plan.py WORKLOAD.json SYSTEM.json [LIBRARY]     (default: libdsm as the loader finds it)
"""
import ctypes
import ctypes.util
import json
import sys

DSM_OK = 0


def load_library(path=None):
    """libdsm with the types of the functions that are called here."""
    dsm = ctypes.CDLL(path or ctypes.util.find_library("dsm") or "libdsm.so")
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in [
            ("dsm_version", text, []),
            ("dsm_diags_new", pointer, [size]),
            ("dsm_diags_free", None, [pointer]),
            ("dsm_diags_count", size, [pointer]),
            ("dsm_diags_get", pointer, [pointer, size]),
            ("dsm_diag_render", size, [pointer, ctypes.c_bool, text, size]),
            ("dsm_workload_load", ctypes.c_int, [pointer, text, pointer, size, pointer]),
            ("dsm_workload_free", None, [pointer]),
            ("dsm_system_load", ctypes.c_int, [pointer, text, pointer, size, pointer]),
            ("dsm_system_free", None, [pointer]),
            ("dsm_explore", ctypes.c_int, [pointer, pointer, pointer, pointer, pointer]),
            ("dsm_plan_print", pointer, [pointer]),
            ("dsm_plan_free", None, [pointer])]:
        function = getattr(dsm, name)
        function.restype = result
        function.argtypes = arguments
    return dsm


def explain(dsm, diags):
    """What was found wrong, a line each."""
    line = ctypes.create_string_buffer(2048)
    for index in range(dsm.dsm_diags_count(diags)):
        dsm.dsm_diag_render(dsm.dsm_diags_get(diags, index), False, line, len(line))
        print(line.value.decode(), file=sys.stderr)


def take_text(pointer):
    """A text that the library made with malloc; frees it."""
    text = ctypes.string_at(pointer).decode()
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(pointer)
    return text


def explore(dsm, workload_path, system_path):
    """The best plan as parsed JSON, with the default options of the system, or None after what was
    wrong has been printed."""
    workload, system, plan = (ctypes.c_void_p() for _ in range(3))
    diags = dsm.dsm_diags_new(10)
    result = None
    if (dsm.dsm_workload_load(ctypes.byref(workload), workload_path.encode(), None, 0,
                              diags) == DSM_OK
            and dsm.dsm_system_load(ctypes.byref(system), system_path.encode(), None, 0,
                                    diags) == DSM_OK
            and dsm.dsm_explore(ctypes.byref(plan), workload, system, None, diags) == DSM_OK):
        result = json.loads(take_text(dsm.dsm_plan_print(plan)))
    explain(dsm, diags)
    dsm.dsm_plan_free(plan)
    dsm.dsm_system_free(system)
    dsm.dsm_workload_free(workload)
    dsm.dsm_diags_free(diags)
    return result


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    dsm = load_library(*sys.argv[3:])
    plan = explore(dsm, *sys.argv[1:3])
    if plan is None:
        return 1
    result = plan["result"]
    print(f"dsm {dsm.dsm_version().decode()}: utilization {result['utilization']:.6f}, "
          f"step {result['step_seconds'] * 1e3:.6g} ms")
    for layer in plan["layers"]:
        forward = layer["passes"]["forward"]
        print(layer["name"], forward["parallelism"], f"{forward['utilization']:.6f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
