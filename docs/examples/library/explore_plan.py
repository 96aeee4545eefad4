#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""explore_plan.py: libdsm from Python, with ctypes alone. Loads a workload and a system, explores,
and reads the plan as JSON.

Usage: explore_plan.py WORKLOAD.json SYSTEM.json [--library FILE] [OPTION=VALUE...]

An OPTION is one of `dsm explore`, such as mode=inference. The library is the one that the loader finds.
"""
import ctypes
import ctypes.util
import json
import sys

DSM_OK = 0


class Session:
    """A network on a system: the functions of dsm.h that begin with dsm_session_."""

    def __init__(self, library=None):
        self.dsm = ctypes.CDLL(library or ctypes.util.find_library("dsm") or "libdsm.so")
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        for name, result, arguments in [
                ("dsm_version", text, []),
                ("dsm_session_new", pointer, []),
                ("dsm_session_free", None, [pointer]),
                ("dsm_session_set", ctypes.c_int, [pointer, text, text]),
                ("dsm_session_load", ctypes.c_int, [pointer, text, text]),
                ("dsm_session_explore", ctypes.c_int, [pointer]),
                ("dsm_session_print", pointer, [pointer, text]),
                ("dsm_session_finding", text, [pointer, size]),
                ("dsm_text_free", None, [pointer])]:
            function = getattr(self.dsm, name)
            function.restype = result
            function.argtypes = arguments
        self.handle = self.dsm.dsm_session_new()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.dsm.dsm_session_free(self.handle)

    def call(self, name, *texts):
        """Calls dsm_session_NAME, and prints what was found. True: it succeeded."""
        function = getattr(self.dsm, f"dsm_session_{name}")
        status = function(self.handle, *(text.encode() for text in texts))
        index = 0
        while (line := self.dsm.dsm_session_finding(self.handle, index)) is not None:
            print(line.decode(), file=sys.stderr)
            index += 1
        return status == DSM_OK

    def plan(self):
        """The plan as parsed JSON (format "dsm-plan/1")."""
        text = self.dsm.dsm_session_print(self.handle, b"json")
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            self.dsm.dsm_text_free(text)


def main():
    words = sys.argv[1:]
    library = None
    if "--library" in words[:-1]:
        at = words.index("--library")
        library = words[at + 1]
        del words[at:at + 2]
    if len(words) < 2 or any("=" not in word for word in words[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    with Session(library) as session:
        if not (all(session.call("set", *word.split("=", 1)) for word in words[2:])
                and session.call("load", *words[:2]) and session.call("explore")):
            return 1
        plan = session.plan()
        version = session.dsm.dsm_version().decode()
    result = plan["result"]
    print(f"dsm {version}: utilization {result['utilization']:.6f}, "
          f"step {result['step_seconds'] * 1e3:.6g} ms")
    for layer in plan["layers"]:
        forward = layer["passes"]["forward"]
        print(layer["name"], forward["parallelism"], f"{forward['utilization']:.6f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
