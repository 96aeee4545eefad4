#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The completions work in bash, zsh and fish themselves: commands, every option of every command, words
of options and lists of words, names of descriptions (bundled, in $DSM_PATH, here), paths of --set, files.

Bash and zsh run in a terminal of their own: a line is typed, all its completions are inserted, and the
line is turned into a command that writes its words to a file.

Usage: test_completions.py DSM_BINARY COMPLETIONS_FOLDER
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

TIMEOUT_SECONDS = 30
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(message)


class Terminal:
    """An interactive shell. `insert` is the key that inserts all completions of the word."""

    def __init__(self, command, environment, folder, insert):
        self.out = pathlib.Path(folder, ".out")
        self.insert = insert
        self.shown = b""
        pid, self.master = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.pid = pid
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 20000, 0, 0))
        self.drainer = threading.Thread(target=self.drain, daemon=True)
        self.drainer.start()

    def drain(self):
        """What the shell shows is only of interest where a test fails."""
        while True:
            try:
                select.select([self.master], [], [])
                self.shown += os.read(self.master, 65536)
            except OSError:
                return

    def type(self, keys):
        os.write(self.master, keys.encode())

    def run(self, line):
        """Runs a line that writes .out, and returns what it wrote."""
        self.out.unlink(missing_ok=True)
        self.type(line)
        end = time.monotonic() + TIMEOUT_SECONDS
        while not self.out.exists() and time.monotonic() < end:
            time.sleep(0.01)
        if not self.out.exists():
            print(self.shown[-2000:].decode(errors="replace"))
            raise SystemExit(f"no answer to {line!r}")
        return self.out.read_text().splitlines()

    def complete(self, line):
        """The words that the last word of a line can become."""
        words = self.run(f"{line}{self.insert}\x01printf '%s\\n' \x05 >.tmp; mv .tmp .out\r")
        return words[len(line.split(" ")) - 1:]

    def close(self):
        self.type("\x15exit\r")
        os.waitpid(self.pid, 0)
        self.drainer.join()  # else it would read from what next gets the number of the descriptor
        os.close(self.master)


def bash(environment, folder, scripts):
    terminal = Terminal(["bash", "--norc", "--noprofile", "-i"],
                        {**environment, "PS1": "", "INPUTRC": "/dev/null"}, folder, "\x1b*")
    terminal.run(f"bind 'set enable-bracketed-paste off'; . '{scripts}/dsm.bash'; echo >.out\r")
    return terminal


def zsh(environment, folder, scripts):
    """The widget that inserts all matches is the one of zsh's manual, section _all_matches."""
    terminal = Terminal(["zsh", "-f", "-i"], {**environment, "PS1": ""}, folder, "\x18a")
    terminal.run(f"bindkey -e; fpath=('{scripts}' $fpath); autoload -Uz compinit; "
                 "compinit -u -D; zle -C all-matches complete-word _generic; "
                 "bindkey '^Xa' all-matches; "
                 "zstyle ':completion:all-matches::::' completer _all_matches _complete; "
                 "zstyle ':completion:all-matches:*' insert true; unsetopt zle_bracketed_paste; "
                 "echo >.out\r")
    return terminal


class Fish:
    def __init__(self, environment, folder, scripts):
        self.environment, self.folder, self.script = environment, folder, f"{scripts}/dsm.fish"

    def complete(self, line):
        done = subprocess.run(["fish", "-c", f"source '{self.script}'; complete -C '{line}'"],
                              env=self.environment, cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=TIMEOUT_SECONDS)
        expect(not done.stderr, f"fish, {line}: {done.stderr}")
        return [found.split("\t")[0] for found in done.stdout.splitlines()]

    def close(self):
        pass


def ask(dsm, *command):
    return subprocess.run([dsm, *command], capture_output=True, text=True, check=True).stdout


def tables(dsm):
    """{command: its long options}, from the help."""
    overview = ask(dsm, "help")
    listed = overview[overview.index("\nCommands:\n"):overview.index("\nOptions:\n")]
    commands = re.findall(r"^  (\S+) ", listed, flags=re.M)
    return {name: re.findall(r"^  (?:-\w, |    )(--[\w-]+)", ask(dsm, "help", name), flags=re.M)
            for name in commands}


def check_shell(name, shell, options):
    def same(line, wanted):
        found = shell.complete(line)
        expect(sorted(set(found)) == sorted(wanted), f"{name}, {line}: expected {wanted}, found {found}")

    def holds(line, *wanted):
        found = shell.complete(line)
        expect(set(wanted) <= set(found), f"{name}, {line}: expected also {wanted}, found {found}")
        return found

    same("dsm ", list(options))
    same("dsm help ", sorted({*options, "workload", "system", "server", "sweep", "stages", "rl-workload",
                                         "pim-system", "technology", "profile", "plan"}))
    same("dsm list ", ["workload", "system", "server", "sweep", "stages", "rl-workload", "pim-system", "technology", "answer"])
    for command, known in options.items():
        same(f"dsm {command} --", known)
    same("dsm explore vg", ["vgg16"])
    same("dsm explore vgg16 torus64_ref", ["torus64_refined", "torus64_refined_symmetric"])
    same("dsm explore of_path", ["of_path_net"])
    same("dsm explore my_", ["my_net.json", "my_plan.json", "my_results.sqlite"])
    same("dsm explore vgg16 my_", ["my_machine.json"])
    same("dsm explore nets/", ["nets/deep.json"])
    same("dsm explore odd", ["odd net.json"])
    same("dsm score my_", ["my_plan.json", "my_results.sqlite"])
    same("dsm sweep my_", ["my_net.json", "my_results.sqlite"])
    same("dsm partition vgg16 edge_", ["edge_gpu", "edge_npu"])
    same("dsm explore vgg16 torus64 --ladder-base torus64_s", ["torus64_symmetric"])
    same("dsm explore vgg16 torus64 --mode ", ["training", "inference"])
    same("dsm explore vgg16 torus64 --optimize reuse,p", ["reuse,pipeline", "reuse,per_pass", "reuse,preload"])
    same("dsm check my_plan.json --format j", ["json", "junit"])
    same("dsm explore vgg16 torus64 --explain fc", ["fc1", "fc2", "fc3"])
    same("dsm score my_plan.json --explain f", ["f1"])
    same("dsm explore vgg16 torus64 --set ", ["workload.", "system."])
    same("dsm explore vgg16 torus64 --set workload.layers.fc", ["workload.layers.fc1.", "workload.layers.fc2.",
                                                               "workload.layers.fc3."])
    same("dsm explore vgg16 torus64 --set system.chip.memory.", [
        "system.chip.memory.capacity_GB=", "system.chip.memory.bandwidth_GBps=",
        "system.chip.memory.efficiency_ratio=", "system.chip.memory.auxiliary_efficiency_ratio=",
        "system.chip.memory.reserve_ratio=",
        "system.chip.memory.tile_minor=", "system.chip.memory.tile_second=", "system.chip.memory.stacks="])
    holds("dsm explore --set system.model.", "system.model.exact_forks=", "system.model.layout_move=")
    same("dsm partition vgg16 cpu_2gpu --set server.devices.gpu.mem", ["server.devices.gpu.memory_GB=",
                                                                     "server.devices.gpu.memory_bandwidth_GBps="])
    same("dsm sweep vgg16 torus64 --vary opt", [
        "options.mode=", "options.optimize=", "options.parallelism=", "options.as_run_by=", "options.stages_at=",
        "options.schedule=", "options.recomputation=", "options.shard_level=", "options.objective=",
        "options.power_cap_W="])
    same("dsm sweep --vary workload=vgg16,ale", ["workload=vgg16,alexnet"])
    same("dsm explore vgg16 torus64 -o my_n", ["my_net.json"])
    same("dsm check base", ["baselines/"])


def check_ends(terminal, name):
    """What a single completion leaves on the line: the whole of a word that has an =, a space behind
    what is at its end and none behind what is not."""
    for line, wanted in (("dsm explore vgg16 torus64 --format=js", "--format=json x"),
                         ("dsm explore vgg16 torus64 --set system.array.start",
                          "system.array.startup_cycles=x"),
                         ("dsm explore vgg16 torus64 --set system.chip.mem", "system.chip.memory.x"),
                         ("dsm explore vgg16 torus64 --output=my_n", "--output=my_net.json x"),
                         ("dsm explore vgg16 torus64 --set=system.array.startup", "--set=system.array.startup_cycles=x"),
                         ("dsm explore odd\\ n", "odd net.json x"),
                         ("dsm explore vgg", "vgg16 x")):
        found = terminal.run(f"{line}\tx\x01printf '%s\\n' \x05 >.tmp; mv .tmp .out\r")
        found = " ".join(found[len(shlex.split(line)) - 1:])
        expect(found == wanted, f"{name}, {line}<TAB>x: expected {wanted!r}, found {found!r}")


# Names of layers that a shell would take for something else. A name has no control characters; a file
# may have, and is not offered then.
ODD_NAMES = ["a$(touch x)", "a`touch x`", "a;touch x", "a&&touch x|touch x", "a>x", "a b", "a'b", 'a"b', "a\\b",
             "a*?[a-z]", "a{b,c}", "a~", "a!b", "a#b", "a^b", "a$HOME", "a=b", "a:b", "a@b", "a%b", "a\u00e4\u5c42",
             "-dash", "--help", "~root", "$(touch x)", "`touch x`", ";touch x", "'", '"', "#", ":x", "!!"]


def check_odd_names(name, shell, folder):
    """Every name becomes the word that it is, whatever the shell makes of its characters."""
    def same(line, wanted):
        found = shell.complete(line)
        expect(sorted(set(found)) == sorted(wanted), f"{name}, {line}: expected {wanted}, found {found}")

    same("dsm explore strange.json torus64 --explain ", ODD_NAMES)
    same("dsm explore strange.json torus64 --explain a", [odd for odd in ODD_NAMES if odd[0] == "a"])
    same("dsm explore files/", [f"files/{file}" for file in ODD_FILES])
    same("dsm explore strange.json torus64 --explain -", ["-dash", "--help"])
    found = shell.complete("dsm explore ")  # fish hides what begins with a dot
    expect(("./-out.json" in found or name == "fish") and "-out.json" not in found,
           f"{name}: a file whose name begins with a dash: {found}")
    expect(not (folder / "x").exists(), f"{name}: a name of a layer was run as a command")


def check_quotes(terminal, name, folder):
    """A word whose quotes are open, or that has escapes, is completed as what it means."""
    for start, wanted in (("a\\$\\(", "a$(touch x)"), ("'a$(", "a$(touch x)"), ("\"a\\$(", "a$(touch x)"),
                          ("'a`", "a`touch x`"), ("\"a\\`", "a`touch x`"), ("'a\"", 'a"b'), ("\"a'", "a'b"),
                          ("\"a\\\\", "a\\b"), ("'a\\", "a\\b"), ("a\\;", "a;touch x"), ("a\\'", "a'b"),
                          ("\\~", "~root"), ("a\\ ", "a b"), ("'a ", "a b"), ("\"a;", "a;touch x")):
        line = f"dsm explore strange.json torus64 --explain {start}"
        found = terminal.run(f"{line}\t\x01printf '%s\\n' \x05 >.tmp; mv .tmp .out\r")
        expect(found[5:] == [wanted], f"{name}, {line}<TAB>: expected {wanted!r}, found {found[5:]}")
    expect(not (folder / "x").exists(), f"{name}: a name of a layer was run as a command")


NET = """{ "format": "dsm-workload/1", "name": "net", "minibatch": 8,
  "layers": [{ "name": "f1", "type": "fc", "in": 8, "out": 8 }] }
"""


ODD_FILES = ["$(touch x).json", "-rf.json", "a b.json", "a;touch x.json", "a'b\".json"]


def prepare_odd(folder):
    layers = [{"name": name, "type": "fc", "in": 8, "out": 8} for name in ODD_NAMES]
    net = {"format": "dsm-workload/1", "name": "odd", "minibatch": 8, "layers": layers}
    (folder / "strange.json").write_text(json.dumps(net))
    (folder / "files").mkdir()
    for name in ODD_FILES + ["a\nb.json", "a\x1b[31m.json", "a\tb.json"]:
        (folder / "files" / name).write_text(NET)
    (folder / "-out.json").write_text(NET)


def prepare(dsm, folder):
    """Descriptions of several kinds here and in a folder of $DSM_PATH."""
    prepare_odd(folder)
    (folder / "nets").mkdir()
    (folder / "baselines").mkdir()
    (folder / "path").mkdir()
    for name in ("my_net.json", "odd net.json", "nets/deep.json", "path/of_path_net.json"):
        (folder / name).write_text(NET)
    bundled = pathlib.Path(dsm).resolve().parent.parent / "share" / "dsm"
    shutil.copy(bundled / "systems" / "chip1.json", folder / "my_machine.json")
    subprocess.run([dsm, "explore", "my_net.json", "my_machine.json", "-q", "-o", "my_plan.json"],
                   cwd=folder, check=True)
    subprocess.run([dsm, "sweep", "my_net.json", "chip1", "--vary", "workload.minibatch=8", "-q",
                    "--database", "my_results.sqlite"], cwd=folder, check=True)


def main():
    dsm, scripts = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    options = tables(dsm)
    with tempfile.TemporaryDirectory(prefix="dsm-complete-") as name:
        folder = pathlib.Path(name)
        prepare(dsm, folder)
        environment = {"PATH": f"{pathlib.Path(dsm).resolve().parent}:/usr/bin:/bin", "HOME": name,
                       "TERM": "xterm", "LC_ALL": "C", "DSM_PATH": f"{name}/path", "HISTFILE": ""}
        for shell, start in (("bash", bash), ("zsh", zsh), ("fish", Fish)):
            began = start(environment, folder, scripts)
            check_shell(shell, began, options)
            check_odd_names(shell, began, folder)
            if shell != "fish":
                check_ends(began, shell)
                check_quotes(began, shell, folder)
            began.close()
    count = sum(len(known) for known in options.values())
    print(f"{len(failures)} failures" if failures else
          f"bash, zsh and fish know {len(options)} commands and {count} options")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
