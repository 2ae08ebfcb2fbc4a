#!/usr/bin/env python3
"""Applies small faults to the sources one at a time and shows that some test notices each.

  tests/mutants/run.py                 build, run all of mutants.toml, write docs/mutants.md
  tests/mutants/run.py --only a,b      some of them again
  tests/mutants/run.py --missing       those without a result of an earlier run
  tests/mutants/run.py --check         only: does each replacement apply exactly once?

The faults go into a copy of the tree, so a build of the tree itself is not disturbed. Results are
kept beside the copy and written into the document together. Exits with 1 when a fault survives,
does not compile, or does not apply.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = ROOT / "docs" / "mutants.md"
COPIED = ["CMakeLists.txt", "CMakePresets.json", "compiler", "grammar", "kernels", "runtime",
          "schemas", "tests", "docs"]
# Beyond this a test hangs; no fault here is meant to be noticed that way.
LIMIT_SECONDS = 120

# By the longest beginning of the file's name; executables in the order in which they run.
TESTS = {
    "grammar/schema/": ["schema_semantics_test", "json_schema_test", "schema_reading_test",
                        "schema_options_test"],
    "grammar/regular/": ["regular_test", "ecma_parser_test", "schema_semantics_test"],
    "grammar/regular/look": ["schema_semantics_test", "regular_test", "ecma_parser_test"],
    "grammar/regex/": ["schema_semantics_test", "ecma_parser_test"],
    "grammar/formats/": ["formats_test", "schema_semantics_test"],
    "grammar/base/": ["decimal_test", "number_conditions_test", "schema_semantics_test",
                      "number_multiples_test"],
    "grammar/number_conditions": ["number_conditions_test", "schema_semantics_test"],
    "compiler/number_": ["number_multiples_test", "number_automaton_test",
                         "number_brute_force_test"],
    "compiler/": ["object_conditions_test", "arrays_test"],
    "compiler/marks": ["arrays_test", "object_conditions_test"],
    "compiler/distinct_items": ["arrays_test"],
    "compiler/json_value_key": ["arrays_test"],
    "compiler/array_plan": ["arrays_test"],
}


def read_mutants():
    with open(HERE / "mutants.toml", "rb") as file:
        return tomllib.load(file)["mutant"]


def check(mutants):
    """Says which replacements do not apply; an empty list when all do."""
    faults = []
    ids = [mutant["id"] for mutant in mutants]
    faults += [f"{name}: two faults of this name" for name in set(ids) if ids.count(name) > 1]
    for mutant in mutants:
        path = ROOT / mutant["file"]
        count = path.read_text().count(mutant["old"]) if path.is_file() else -1
        if count != 1:
            where = "the file is not there" if count < 0 else f"applies {count} times, not once"
            faults.append(f"{mutant['id']} ({mutant['file']}): {where}")
        if mutant["old"] == mutant["new"]:
            faults.append(f"{mutant['id']}: changes nothing")
    return faults


def tests_of(mutant):
    if "tests" in mutant:
        return mutant["tests"]
    fits = [name for name in TESTS if mutant["file"].startswith(name)]
    return TESTS[max(fits, key=len)]


class Tree:
    """A copy of the tree with a build of its own."""

    def __init__(self, folder, jobs):
        self.source = folder / "source"
        self.build = folder / "build"
        self.jobs = jobs

    def update(self):
        self.source.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            target = self.source / name
            if (ROOT / name).is_dir():
                self._copy(name)
            elif not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                shutil.copy2(ROOT / name, target)
        if not (self.build / "build.ninja").exists():
            subprocess.run(
                ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0"],
                check=True, stdout=subprocess.DEVNULL)

    def _copy(self, name):
        """What has not changed keeps its time, so that it is not compiled again."""
        kept = set()
        for path in (ROOT / name).rglob("*"):
            target = self.source / path.relative_to(ROOT)
            kept.add(target)
            if path.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            elif not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        for target in sorted((self.source / name).rglob("*"), reverse=True):
            if target not in kept:
                if target.is_dir():
                    target.rmdir()
                else:
                    target.unlink()

    def make(self, targets):
        """Returns "" or what the compiler says."""
        done = subprocess.run(["ninja", f"-j{self.jobs}", *targets], cwd=self.build, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return "" if done.returncode == 0 else done.stdout[-3000:]

    def run(self, name):
        """Returns the failed cases of a test program, in the order in which they failed."""
        programs = [p for p in self.build.rglob(name) if p.is_file() and os.access(p, os.X_OK)]
        environment = dict(os.environ)
        if "MASKLOOM_SHARED" not in environment and (ROOT.parent / "shared").is_dir():
            environment["MASKLOOM_SHARED"] = str(ROOT.parent / "shared")
        try:
            done = subprocess.run([programs[0], "--gtest_brief=1", "--gtest_fail_fast"],
                                  text=True, errors="replace", stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS, env=environment,
                                  cwd=programs[0].parent)
        except subprocess.TimeoutExpired:
            return None
        failed = [line.split("]", 1)[1].split(",")[0].split(" (")[0].strip()
                  for line in done.stdout.splitlines() if line.startswith("[  FAILED  ]")]
        if done.returncode != 0 and not failed:
            failed = [f"ends with {done.returncode}"]
        return failed


def try_mutant(tree, mutant):
    """Returns (caught by, problem), one of them empty."""
    path = tree.source / mutant["file"]
    before = path.read_text()
    path.write_text(before.replace(mutant["old"], mutant["new"]))
    try:
        for name in tests_of(mutant):
            problem = tree.make([name])
            if problem:
                return "", "does not compile:\n" + problem
            failed = tree.run(name)
            if failed is None:
                return "", f"{name} hangs"
            if failed:
                return f"{name}: {failed[0]}", ""
        return "", "survives"
    finally:
        path.write_text(before)


class Results:
    """What came of each fault, kept from run to run as long as the fault stays the same."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text()) if path.is_file() else {}

    @staticmethod
    def _key(mutant):
        return "\n".join([mutant["file"], mutant["old"], mutant["new"]])

    def caught(self, mutant):
        """The test that noticed the fault, "" if none did, None if it was not tried."""
        return self.known.get(self._key(mutant))

    def add(self, mutant, caught):
        self.known[self._key(mutant)] = caught
        self.path.write_text(json.dumps(self.known, indent=1))


def write_table(mutants, results):
    caught = [results.caught(mutant) for mutant in mutants]
    lines = ["# The faults that the tests must notice", "",
             "Written by `tests/mutants/run.py`: each fault was put into the tree by itself; beside it",
             "stands the test that noticed it first. The faults are in `tests/mutants/mutants.toml`.",
             "", f"{len(mutants)} faults, {sum(map(bool, caught))} noticed.", "",
             "| fault | file | noticed by |", "|---|---|---|"]
    for mutant, by in zip(mutants, caught):
        by = "**not tried**" if by is None else "**nobody**" if not by else ", ".join(f"`{part}`" for part in by.split(": "))
        lines.append(f"| {mutant['what']} | `{mutant['file']}` | {by} |")
    TABLE.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only check that all apply")
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--missing", action="store_true",
                        help="only those that no earlier run has seen noticed")
    parser.add_argument("--trust", action="store_true",
                        help="take it for granted that the tests pass without any fault")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants",
                        help="where the copy and its build go")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    mutants = read_mutants()
    faults = check(mutants)
    for fault in faults:
        print(fault)
    if arguments.check or faults:
        print(f"{len(mutants)} faults, {len(faults)} do not apply")
        return 1 if faults else 0
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = Results(arguments.folder / "results.json")
    only = set(filter(None, arguments.only.split(",")))
    chosen = [mutant for mutant in mutants if not only or mutant["id"] in only]
    if arguments.missing:
        chosen = [mutant for mutant in chosen if not results.caught(mutant)]
    tree = Tree(arguments.folder, arguments.jobs)
    tree.update()
    targets = sorted({name for mutant in chosen for name in tests_of(mutant)})
    problem = tree.make(targets)
    if problem:
        print(problem)
        return 1
    for name in targets if not arguments.trust else []:
        if tree.run(name) != []:
            print(f"{name} fails without any fault")
            return 1
    bad = []
    for mutant in chosen:
        begin = time.monotonic()
        caught, problem = try_mutant(tree, mutant)
        results.add(mutant, caught)
        if not caught:
            bad.append(mutant["id"])
        print(f"{mutant['id']}: {caught or '*** ' + problem} ({time.monotonic() - begin:.0f} s)",
              flush=True)
    print(f"{len(chosen)} faults, {len(bad)} not noticed: {' '.join(bad)}")
    write_table(mutants, results)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
