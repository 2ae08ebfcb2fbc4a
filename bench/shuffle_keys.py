#!/usr/bin/env python3
"""Copies MaskBench files with the keys of their texts in random order, each text several times.

    shuffle_keys.py LIST ROOT OUT [--copies N] [--seed N]

LIST names files of the folder ROOT; the copies go to the folder OUT. For `maskloom bench steps`, which then shows what
the order of keys costs rows that go by tables.
"""

import argparse
import json
import pathlib
import random


def shuffled(value, source):
    """Returns `value` with the members of all objects in an order drawn from `source`."""
    if isinstance(value, dict):
        keys = list(value)
        source.shuffle(keys)
        return {key: shuffled(value[key], source) for key in keys}
    if isinstance(value, list):
        return [shuffled(item, source) for item in value]
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for line in arguments.list.read_text().split():
        name = pathlib.PurePath(line).name
        case = json.loads((arguments.root / name).read_text())
        case["tests"] = [dict(test, data=shuffled(test["data"], source))
                         for test in case["tests"] for _ in range(arguments.copies)]
        (arguments.out / name).write_text(json.dumps(case, ensure_ascii=False))


if __name__ == "__main__":
    main()
