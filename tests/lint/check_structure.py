#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the house that a compiler does not check: include direction, forbidden calls, sizes,
where foreign libraries are known, unfinished work, and budgets of lines.

Usage: check_structure.py SOURCE_DIR
"""
import pathlib
import re
import sys

# The rooms of programs: each may include from itself and from those it lists. Those of the library are
# in src/CMakeLists.txt, by which the compiler holds them apart.
PROGRAM_ROOMS = {"cli": [], "mpi": ["base", "sweep", "cli"], "pages": ["cli", "base"]}
PROGRAMS = tuple(PROGRAM_ROOMS)
# The folder of a companion that is of the command line.
COMMAND = "command"
# The folder of the rooms that `explore` needs.
CORE = "core"
# Public headers that a room may use beside those of the rooms below it.
PUBLIC_HEADERS = {
    "base": {"status", "diag", "element_type", "file", "number", "override", "limits", "lookup"},
    "workload": {"workload"},
    "import": {"import", "profile_import"},
    "system": {"system", "technology"},
    "model": {"mapping", "model", "role", "workload", "system"},
    "supply": {"storage"},
    "plan": {"plan", "strategy"},
    "search": {"explore"},
    "check": {"check", "diff"},
    "server": {"server", "instance"},
    "partition": {"partition", "partition_front", "dispatch"},
    "sweep": {"sweep", "sweep_store", "sweep_run", "elasticity", "ladder"},
    "chain": {"remat"},
    "report": {"report", "suggest", "export"},
    "editing": {"path_steps"},
}
FORBIDDEN_EVERYWHERE = [
    "atoi", "atol", "atof", "sprintf", "vsprintf", "strcpy", "strcat", "gets", "strtok", "alloca",
    "system", "abort", "sscanf", "rand", "srand", "setlocale", "longjmp", "setjmp",
]
FORBIDDEN_OUTSIDE = {
    # word: rooms that may use it
    "strtol": set(), "strtoul": set(), "strtoll": set(), "strtoull": set(),
    "strtod": {"base"},
    "printf": {"cli"}, "fprintf": {"cli", "pages"}, "puts": {"cli"}, "fputs": {"cli", "pages"},
    "putchar": {"cli"}, "fputc": {"cli", "pages"},
    "exit": {"cli"}, "getenv": {"cli", "base"}, # base: $DSM_PATH, in which a base may stand
    "malloc": {"base", "search", "mpi"}, "realloc": {"base", "search"},
    "calloc": {"base", "search", "cli", "mpi"},
    "isatty": {"cli"}, "time": {"cli"}, "clock_gettime": {"cli"},
}
# A file that may use a word that is forbidden everywhere: GLPK can be kept from aborting the process
# only by a jump out of its error hook.
EXCEPTIONS = {"src/partition/solver_session.c": {"setjmp", "longjmp"},
              "src/core/base/deadline.c": {"clock_gettime"}}
# A foreign header, and the files that may know it.
FOREIGN = {"cjson/cJSON.h": re.compile(r"src/core/base/json_\w+\.[ch]$"),
           "yaml.h": re.compile(r"src/import/astra_network\.c$"),
           "glpk.h": re.compile(r"src/partition/solver\w*\.[ch]$"),
           "sqlite3.h": re.compile(r"src/core/sweep/store\w*\.[ch]$"),
           "sha256.h": re.compile(r"src/core/base/digest\.c$"),
           "mpi.h": re.compile(r"src/core/mpi/dsm_mpi\.c$"),
           "pthread.h": re.compile(r"src/core/base/parallel\.c$"),
           "getopt.h": re.compile(r"src/core/cli/"),
           "argp.h": re.compile(r"src/core/cli/")}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|not (yet )?implemented|unimplemented)\b")
# Who may write into a problem of the search: what sets one up, or a case of it. All others take it
# as it is, so that nothing is written before a search and set back behind it.
PROBLEM_WRITERS = re.compile(r"(^|_)(init|init_with|fill|begin|finish|fini|count|ask)(_|$)|^(add_zone|count_all|"
                             r"set_payments|solve_without_preloading|dsm__case_find_apart)$")
ROLE = re.compile(r"\bDSM_ROLE_(?!COUNT\b|SEARCH_|GROUP_)")
ROLE_FILES = {"roles.c", "role_row.h"}
FILE_LINES_MAX = 800
BUDGET = "tests/lint/budget.txt"


def strip_comments_and_strings(text):
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: "\n" * m.group(0).count("\n") or " ", text, flags=re.S)


def read_rooms(source):
    """Each room with those below it, and nothing that stands on a room above."""
    rooms = {}
    for name, below in re.findall(r"^dsm_(?:room|companion)\((\w+)(?: NO_ANSWER)?([^)]*)\)",
                                  (source / "src/CMakeLists.txt").read_text(), flags=re.M):
        if set(below.split()) - set(rooms):
            raise SystemExit(f"src/CMakeLists.txt: {name} stands on a room that comes after it")
        rooms.setdefault(name, below.split())
    return {**rooms, **PROGRAM_ROOMS}


def allowed_public(room, rooms):
    headers = set()
    for name in [room, *closure(room, rooms)]:
        headers |= PUBLIC_HEADERS.get(name, set())
    return headers | PUBLIC_HEADERS["base"]


def closure(room, rooms):
    seen = []
    todo = list(rooms[room])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.append(name)
            todo += rooms[name]
    return seen


def check_command(path, room, text, complain):
    """A companion's command stands on the command line and on its own folder."""
    for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.M):
        if not header.startswith(("dsm/", "cli/", f"{room}/{COMMAND}/")):
            complain(path, f"the command of {room} must not include {header}")


def check_includes(path, room, rooms, text, complain):
    for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.M):
        folder, _, name = header.partition("/")
        if folder == "dsm":
            # report, what stands on it and cli stand on the whole public interface
            if room != "report" and "report" not in rooms[room] and room not in PROGRAMS and name[:-2] not in allowed_public(room, rooms):
                complain(path, f"{room} must not include {header}")
        elif folder not in [room, *rooms[room]]:
            complain(path, f"{room} must not include {header}")
    for header in re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, flags=re.M):
        if header in FOREIGN and not FOREIGN[header].search(str(path)):
            complain(path, f"<{header}> is known only in {FOREIGN[header].pattern}")


def check_calls(path, room, text, complain):
    code = strip_comments_and_strings(text)
    allowed = next((words for name, words in EXCEPTIONS.items() if str(path).endswith(name)), set())
    for word in FORBIDDEN_EVERYWHERE:
        if word not in allowed and re.search(rf"(?<![\w.>]){word}\s*\(", code):
            complain(path, f"forbidden call: {word}")
    for word, rooms in FORBIDDEN_OUTSIDE.items():
        if (room not in rooms and word not in allowed
                and re.search(rf"(?<![\w.>]){word}\s*\(", code)):
            complain(path, f"forbidden call in {room}: {word}")


def check_globals(path, room, text, complain):
    """No mutable file-scope data in the library: every static or extern object is const."""
    if room in PROGRAMS:
        return
    code = strip_comments_and_strings(text)
    for line in code.splitlines():
        if re.match(r"(static|extern)\s", line) and "(" not in line and "const" not in line:
            complain(path, f"mutable global: {line.strip()}")


def check_problems(path, text, complain):
    code = strip_comments_and_strings(text)
    for name in re.findall(r"(\w+)\((?:[^();]*,\s*)?(?<!const )dsm__problem \*\w", code):
        if not PROBLEM_WRITERS.search(name):
            complain(path, f"{name} must take a const dsm__problem")


def check_roles(path, text, complain):
    """A role is a row: what others ask is a column of it."""
    if ROLE.search(strip_comments_and_strings(text)) and path.name not in ROLE_FILES:
        complain(path, "a role is named outside its table, model/roles.c")


def lines_of_rooms(source):
    """Lines of C in each folder of src, and in the public headers; of the tests those of Python too."""
    rooms = {}
    for pattern in ("src/**/*.[ch]", "include/**/*.h", "tests/**/*.[ch]", "tests/**/*.py"):
        for path in source.glob(pattern):
            parts = path.relative_to(source).parts
            room = "/".join(parts[:3 if parts[1] == CORE else 2]) if parts[0] == "src" else parts[0]
            rooms[room] = rooms.get(room, 0) + path.read_text().count("\n")
    return rooms


def check_budget(source, complain):
    """No room has more lines than its budget, which may only fall."""
    rows = [line.split("#")[0].split() for line in (source / BUDGET).read_text().splitlines()]
    budget = {row[0]: int(row[1]) for row in rows if row}
    rooms = lines_of_rooms(source)
    for room in sorted(set(rooms) | set(budget)):
        if rooms.get(room, 0) > budget.get(room, 0):
            complain(source / BUDGET, f"{room} has {rooms[room]} lines, more than its "
                                      f"{budget.get(room, 0)}")
        elif room not in rooms:
            complain(source / BUDGET, f"there is no {room}")


def main():
    source = pathlib.Path(sys.argv[1])
    complaints = []

    def complain(path, message):
        complaints.append(f"{path.relative_to(source)}: {message}")

    rooms = read_rooms(source)
    files = sorted(source.glob("src/*/**/*.[ch]"))
    for path in files:
        room, *inside = [part for part in path.relative_to(source).parts[1:] if part != CORE]
        if room not in rooms:
            complain(path, f"unknown room {room}")
            continue
        text = path.read_text()
        if inside[0] == COMMAND:
            check_command(path, room, text, complain)
            room = "cli"
        else:
            check_includes(path, room, rooms, text, complain)
        check_calls(path, room, text, complain)
        check_globals(path, room, text, complain)
        check_problems(path, text, complain)
        check_roles(path, text, complain)
    for path in files + sorted(source.glob("include/dsm/*.h")) + sorted(source.glob("tests/**/*.c")):
        text = path.read_text()
        if UNFINISHED.search(text):
            complain(path, f"unfinished work: {UNFINISHED.search(text).group(0)}")
        if text.count("\n") > FILE_LINES_MAX:
            complain(path, f"{text.count(chr(10))} lines, more than {FILE_LINES_MAX}")
        if "SPDX-License-Identifier: GPL-3.0-or-later" not in text.split("\n", 1)[0]:
            complain(path, "the first line must name the licence")
    check_budget(source, complain)
    names = [path.name for path in files]
    for name in sorted({name for name in names if names.count(name) > 1}):
        complaints.append(f"two files are called {name}")
    print("\n".join(complaints) if complaints else f"{len(files)} source files keep the rules")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
