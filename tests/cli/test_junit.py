#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JUnit reports of `dsm check`, read by python3-junitparser: what a build server reads is there,
and right. And the examples of docs and examples/ci: the commands in them work.

Usage: test_junit.py DSM SOURCE_DIR
"""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import junitparser
import yaml

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(message)


def run(folder, *command, **options):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=300, **options)


# ---- reports ----


def write_baselines(dsm, folder):
    """A baseline of every outcome; returns {file: expected result}."""
    done = run(folder, dsm, "explore", "vgg16", "torus64", "--format", "json")
    good = json.loads(done.stdout)
    regressed, improved, changed = (json.loads(done.stdout) for _ in range(3))
    regressed["result"]["step_seconds"] *= 0.9
    improved["result"]["step_seconds"] *= 1.1
    changed["layers"][0]["dysm_factor"] = 2
    small = json.loads(done.stdout)
    small["system"]["chip"]["memory"]["capacity_GB"] = 0.001
    files = {"good.json": (good, None), "improved.json": (improved, None),
             "changed.json": (changed, None), "infeasible.json": (small, "infeasible"),
             "regressed.json": (regressed, "regressed"),
             'a "name" & <tags> \u00e4\u4e2d \x07\x1b[31m \ufffe.json': (regressed, "regressed"),
             "']]>.json": (good, None), "new\nline\t.json": (good, None),
             "broken.json": ({"format": "dsm-plan/2"}, "invalid input")}
    for name, (plan, _) in files.items():
        (folder / name).write_text(json.dumps(plan))
    return {name: outcome for name, (_, outcome) in files.items()}


def shown_name(name):
    """A name as XML can hold it."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", name)


def check_case(case, outcome, is_strict_failure):
    name = case.name
    expect(case.classname == "dsm.check", f"{name}: classname {case.classname}")
    expect(case.time is not None and 0 <= case.time < 300, f"{name}: time {case.time}")
    results = list(case.result)
    if is_strict_failure:
        outcome = outcome or "strict"
    if outcome is None:
        expect(not results, f"{name}: expected to pass, found {results}")
        expect("vgg16 on torus64" in (case.system_out or ""), f"{name}: no details")
        return
    expect(len(results) == 1, f"{name}: expected one result, found {results}")
    result = results[0]
    kind = junitparser.Error if outcome in ("infeasible", "invalid input") else junitparser.Failure
    expect(isinstance(result, kind), f"{name}: expected {kind}, found {result}")
    expect(outcome == "strict" or result.type == outcome, f"{name}: type {result.type}")
    expect(bool(result.message) and "\n" not in result.message, f"{name}: message")
    expect(bool(result.text), f"{name}: text")
    if kind is junitparser.Failure:
        expect("step time" in result.message and "tolerance 0.5 %" in result.message,
               f"{name}: message {result.message}")
        expect("utilization (%)" in result.text, f"{name}: text {result.text}")


def check_report(path, outcomes, strict_failures=()):
    xml.etree.ElementTree.parse(path)
    whole = junitparser.JUnitXml.fromfile(str(path))
    suites = list(whole)
    expect(len(suites) == 1, "expected one test suite")
    suite = suites[0]
    errors = sum(1 for outcome in outcomes.values() if outcome in ("infeasible", "invalid input"))
    failed = sum(1 for outcome in outcomes.values() if outcome == "regressed") + len(strict_failures)
    for what in (whole, suite):
        expect(what.name == "dsm check", f"name {what.name}")
        expect((what.tests, what.failures, what.errors) == (len(outcomes), failed, errors),
               f"expected {len(outcomes)}, {failed}, {errors}, found {what.tests}, {what.failures}, "
               f"{what.errors}")
        expect(what.time is not None and what.time >= 0, "time")
    expect(suite.skipped == 0, "skipped")
    cases = {case.name: case for case in suite}
    wanted = {shown_name(name): (name, outcome) for name, outcome in outcomes.items()}
    expect(set(cases) == {f"b/{name}" for name in wanted}, f"names {sorted(cases)}")
    for name, (raw, outcome) in wanted.items():
        if f"b/{name}" in cases:
            check_case(cases[f"b/{name}"], outcome, raw in strict_failures)
    total = sum(case.time for case in suite)
    expect(abs(total - suite.time) < 0.002 * (1 + len(outcomes)), "times add up")


def check_reports(dsm, folder):
    baselines = folder / "b"
    baselines.mkdir()
    outcomes = write_baselines(dsm, baselines)
    report = folder / "report.xml"
    done = run(folder, dsm, "check", "b", "-o", "report.xml")
    expect(done.returncode == 4, f"exit {done.returncode}: {done.stderr}")
    expect("regressed" in done.stdout, "the table is shown beside the report")
    check_report(report, outcomes)
    done = run(folder, dsm, "check", "b", "--format", "junit", "--strict")
    report.write_text(done.stdout)
    check_report(report, outcomes, {"improved.json", "changed.json"})
    # The report's order is that of the files' bytes.
    names = [case.name for suite in junitparser.JUnitXml.fromfile(str(report)) for case in suite]
    wanted = [f"b/{shown_name(name)}" for name in sorted(outcomes, key=str.encode)]
    expect(names == wanted, f"order {names}")


def check_whole_or_not(dsm, folder):
    """A report that cannot be written leaves the old one, and nothing else."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    report = folder / "report.xml"
    report.write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    done = run(folder, dsm, "check", "b", "-o", "report.xml", "-q", preexec_fn=limit)
    expect(done.returncode == 5, f"a full disk: exit {done.returncode}")
    expect(report.read_text() == "old", "a full disk: the old report is kept")
    expect(sorted(path.name for path in folder.iterdir()) == before, "a full disk: no trace")


# ---- examples ----


def commands_of(value):
    """Every line of a `run` or `script` that calls dsm."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key in ("run", "script", "before_script"):
                lines = member if isinstance(member, list) else member.splitlines()
                yield from (line.strip() for line in lines if line.strip().startswith("dsm "))
            else:
                yield from commands_of(member)
    elif isinstance(value, list):
        for item in value:
            yield from commands_of(item)


def reports_of(value):
    """Every file that is kept or shown."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key in ("path", "report_paths", "junit"):
                yield member
            else:
                yield from reports_of(member)
    elif isinstance(value, list):
        for item in value:
            yield from reports_of(item)


def check_examples(dsm, source):
    paths = sorted((source / "examples/ci").glob("*.yml"))
    expect(len(paths) == 2, f"expected two examples, found {paths}")
    for path in paths:
        document = yaml.safe_load(path.read_text())
        commands, reports = list(commands_of(document)), set(reports_of(document))
        expect(commands, f"{path.name}: no command of dsm")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "baselines").mkdir()
            made = run(folder, dsm, "explore", "raider", "torus64", "-q", "-o",
                       "baselines/raider.json")
            expect(made.returncode == 0, made.stderr)
            environment = {"PATH": f"{pathlib.Path(dsm).parent}:/usr/bin:/bin"}
            for command in commands:
                done = run(folder, "sh", "-c", command, env=environment)
                expect(done.returncode == 0, f"{path.name}: {command}: {done.stderr}")
            for report in reports:
                expect(len(list(junitparser.JUnitXml.fromfile(str(folder / report)))) == 1,
                       f"{path.name}: no report {report}")
            expect(reports, f"{path.name}: keeps no report")


def main():
    dsm, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="dsm-junit-") as name:
        check_reports(dsm, pathlib.Path(name))
        check_whole_or_not(dsm, pathlib.Path(name))
    check_examples(dsm, source)
    print(f"{len(failures)} failures" if failures else "the reports are as build servers read them")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
