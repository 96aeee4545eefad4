#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the baselines of the bundled descriptions anew, or says whether they are those of the list.

Kept is what `dsm check` compares, a layer a line, so that the files stay small and their differences
can be read. A change of them must be explained in CHANGELOG.md, as a line that begins with `model:` or
`search:`.

Usage: renew.py DSM BASELINES_DIR [--check]

--check writes nothing: it says whether there is one file for each line of baselines.txt, no other, and
whether each was made from the bundled descriptions with the options of its line.
"""
import json
import pathlib
import subprocess
import sys

KEPT_PASS = ("parallelism", "core_split", "utilization")
KEPT_RESULT = ("step_cycles", "step_seconds", "utilization")


def slim_pass(whole):
    slim = {key: whole[key] for key in KEPT_PASS}
    slim["cycles"] = {"total": whole["cycles"]["total"]}
    slim["invocations"] = [{"kind": item["kind"], "core_split": item["core_split"]}
                           for item in whole["invocations"]]
    return slim


def slim_layer(whole):
    slim = {key: value for key, value in whole.items() if key not in ("held_bytes", "passes")}
    slim["passes"] = {name: slim_pass(value) for name, value in whole["passes"].items()}
    return slim


def slim_plan(whole):
    slim = dict(whole)
    slim["result"] = {key: whole["result"][key] for key in KEPT_RESULT}
    slim["layers"] = [slim_layer(layer) for layer in whole["layers"]]
    return slim


def one_line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def text_of(plan):
    """One line a member, and one a layer."""
    members = []
    for key, value in plan.items():
        if key == "layers":
            lines = ",\n".join("  " + one_line(layer) for layer in value)
            members.append(f' "layers":[\n{lines}]')
        elif key == "workload":
            head = {name: member for name, member in value.items() if name != "layers"}
            lines = ",\n".join("  " + one_line(layer) for layer in value["layers"])
            members.append(f' "workload":{one_line(head)[:-1]},"layers":[\n{lines}]}}')
        else:
            members.append(f" {one_line(key)}:{one_line(value)}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def listed(folder):
    for line in (folder / "baselines.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, *arguments = line.split()
            yield folder / f"{name}.json", arguments


def explored(dsm, arguments):
    done = subprocess.run([dsm, "explore", *arguments, "--format", "json"], stdout=subprocess.PIPE,
                          check=True)
    return slim_plan(json.loads(done.stdout))


def question(plan):
    return {key: plan[key] for key in ("mode", "minibatch", "optimizations", "options", "workload",
                                       "system")}


def main():
    dsm, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    is_check = "--check" in sys.argv[3:]
    wanted = dict(listed(folder))
    failed = 0
    for path in sorted(set(folder.glob("*.json")) - set(wanted)):
        print(f"{path.name} is not in baselines.txt")
        failed += 1
    for path, arguments in wanted.items():
        if not is_check:
            path.write_text(text_of(explored(dsm, arguments)))
        elif not path.exists():
            print(f"{path.name} of baselines.txt is missing")
            failed += 1
        elif question(json.loads(path.read_text())) != question(explored(dsm, arguments)):
            print(f"{path.name} does not ask what baselines.txt says: {' '.join(arguments)}")
            failed += 1
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
