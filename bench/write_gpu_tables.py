#!/usr/bin/env python3
"""Writes the tables of docs/gpu.md: what the stand-in counts, floor times from peak figures, what
ptxas says of the kernels.

    write_gpu_tables.py --bench BUILD/bench/bench_logits --resources FILE --keep FOLDER

FILE is what `cmake --build BUILD --target cuda_resources` prints. Each run of bench_logits leaves
its lines in FOLDER and is not made again where they are; all of them take about 15 minutes of one
core, full batches of 256 rows of 262,144 tokens included. Tables stand between marks; a table
without a mark is an error.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

VOCABS = (49152, 128256, 262144)
FILTERS = ("greedy", "none", "top_k", "top_p", "min_p", "all")
HEAD = "greedy | no filter | top-k | top-p | min-p | all, 200 penalties"

# Public peak figures of the makers' data sheets: memory in GB/s; instructions of float, of integers
# and of both together in 10^12 a second (a fused multiply-add is one).
DEVICES = {
    "A100 80GB": {"memory": 2039, "float": 9.75, "integer": 9.75, "both": 19.5},
    "H100 SXM": {"memory": 3350, "float": 33.5, "integer": 16.7, "both": 33.5},
    "H200": {"memory": 4800, "float": 33.5, "integer": 16.7, "both": 33.5},
    "B200": {"memory": 8000, "float": 37.5, "integer": 18.7, "both": 37.5},
}

# Instructions of an allowed token, counted in the source and in what nvcc makes of its functions
# for sm_90: of float; of integers, with moves and selections. Good to a third.
OPERATIONS = (
    ("load, mask, temperature, largest value: every row", 5, 9),
    ("exact masses: rows that report log-probabilities, top-p", 13, 32),
    ("noise: rows without a filter", 5, 28),
    ("logarithms of tokens that may win: rows without a filter", 6, 6),
    ("histogram: top-k, top-p", 5, 8),
)


def runs():
    """Yields (name, options) of every run of bench_logits."""
    for vocab in VOCABS:
        for spread, flag in (("trained", ()), ("flat", ("--flat",))):
            for dtype in ("bf16", "f32"):
                yield (f"{spread}_{dtype}_{vocab}",
                       ("--dtype", dtype, "--vocab", str(vocab), "--batch", "1", "16", *flag))
        whole = ("--dtype", "bf16", "--vocab", str(vocab), "--batch", "256", "--case", "dense")
        yield f"full_{vocab}", whole
    kernels = ("--dtype", "bf16", "--vocab", "128256", "--batch", "16", "--by-kernel", "--report")
    yield "kernels", kernels
    yield "apply", ("--batch", "1", "16", "--dtype", "bf16", "--apply")
    yield "usual", ("--dtype", "bf16", "--vocab", "128256", "--usual")


def run_bench(bench, folder, name, options):
    """Returns the lines of a run, made now or before."""
    kept = folder / f"{name}.jsonl"
    if not kept.exists():
        command = [bench, "--backend", "simt", "--json", *options]
        made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        kept.write_text(made)
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    return [dict(line, spread=name.split("_")[0]) for line in lines]


def table(head, rows):
    columns = [column.strip() for column in head.split("|")]
    text = "| " + " | ".join(columns) + " |\n|---|" + "--:|" * (len(columns) - 1) + "\n"
    return text + "".join("| " + " | ".join(row) + " |\n" for row in rows)


def fitting(lines, wanted):
    def fits(line):
        return all(line[key] in (value if isinstance(value, tuple) else (value,))
                   for key, value in wanted.items())
    return [line for line in lines if fits(line)]


def ratio_of(lines, **wanted):
    """Returns the worst ratio of the lines that match."""
    return max(line["ratio"] for line in fitting(lines, wanted))


def ratio_with_table(lines, **wanted):
    """The same, over a floor that counts the tables of penalties."""
    return max(line["bytes"] / (line["floor_bytes"] + line["table_bytes"])
               for line in fitting(lines, wanted))


def sizes_table(lines):
    rows = []
    for vocab in VOCABS:
        for batch in (1, 16, 256):
            spread = "full" if batch == 256 else "trained"
            cells = [f"{ratio_of(lines, vocab=vocab, batch=batch, spread=spread, dtype='bf16', mask='dense', filters=f):.2f}"
                     for f in FILTERS]
            rows.append([f"{vocab:,} × {batch}", *cells])
    return table(f"tokens × rows | {HEAD}", rows)


def worst_table(lines):
    kinds = (
        ("a few tokens stand out; no mask or a dense one", ("trained", "full"), ("none", "dense")),
        ("none stands out; no mask or a dense one", "flat", ("none", "dense")),
        ("64 allowed tokens, as a row of bits", ("trained", "flat"), "short"),
        ("the same as a list of ids", ("trained", "flat"), "list"),
    )
    rows = [[name] + [f"{ratio_of(lines, spread=spread, mask=mask, filters=f):.2f}" for f in FILTERS]
            + [f"{ratio_with_table(lines, spread=spread, mask=mask, filters='all'):.2f}"]
            for name, spread, mask in kinds]
    return table(f"rows | {HEAD} | the same, their table in the floor", rows)


def kernels_table(lines):
    """Bytes by kernel beside the floor, for rows that report all they can."""
    rows = []
    for kernel in sorted({line["kernel"] for line in lines if "kernel" in line}):
        cells = []
        for name in FILTERS:
            found = [line["ratio"] for line in lines if line.get("kernel") == kernel
                     and line["mask"] == "dense" and line["filters"] == name]
            cells.append(f"{found[0]:.2f}" if found else "")
        rows.append([f"`{kernel}`", *cells])
    return table(f"kernel | {HEAD}", rows)


def micros(bytes_, device):
    return bytes_ / DEVICES[device]["memory"] / 1000


def floors_table(lines):
    rows = []
    for vocab in VOCABS:
        for batch in (1, 16, 256):
            spread = "full" if batch == 256 else "trained"
            of_size = [line for line in lines
                       if line["spread"] == spread and line["dtype"] == "bf16"
                       and line["mask"] == "dense" and (line["vocab"], line["batch"]) == (vocab, batch)]
            floor = of_size[0]["floor_bytes"]
            moved = {line["filters"]: line["bytes"] for line in of_size}
            cells = [f"{micros(floor, d):.2f} / {micros(moved['none'], d):.2f} / {micros(moved['top_p'], d):.2f}"
                     for d in DEVICES]
            rows.append([f"{vocab:,} × {batch}", f"{floor / 1e6:.2f}", *cells])
    return table("tokens × rows | floor, MB | " + " | ".join(DEVICES), rows)


def operations_table():
    tokens = 128256 * 256
    rows = []
    for name, floats, integers in OPERATIONS:
        cells = []
        for peak in DEVICES.values():
            slowest = max(floats / peak["float"], integers / peak["integer"],
                          (floats + integers) / peak["both"])
            cells.append(f"{tokens * slowest / 1e6:.0f}")
        rows.append([name, f"{floats} / {integers}", *cells])
    return table("part | float / integer | " + " | ".join(DEVICES), rows)


def resources_table(text):
    """Joins the lines of a kernel on all architectures."""
    kernels = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|\n ").split("|")]
        if len(cells) != 6 or not cells[1].isdigit():
            continue
        kernels.setdefault(cells[0], []).append(cells[1:])
    rows = []
    for name, found in sorted(kernels.items()):
        def joined(column):
            return ", ".join(sorted({row[column] for row in found}, key=int))
        registers = ", ".join(row[1] for row in found)
        rows.append([f"`{name}`", registers, joined(2), joined(3), joined(4)])
    architectures = ", ".join(f"sm_{row[0]}" for row in next(iter(kernels.values())))
    return table(f"kernel | registers: {architectures} | stack, bytes | spilled, bytes | shared, bytes",
                 rows)


def apply_table(lines):
    rows = []
    for mask, name in (("dense", "dense"), ("short", "64 tokens, as a row of bits"),
                       ("list", "64 tokens, as a list of ids")):
        rows.append([name] + [f"{ratio_of(lines, mask=mask, vocab=vocab):.2f}" for vocab in VOCABS])
    return table("mask | " + " | ".join(f"{vocab:,}" for vocab in VOCABS), rows)


def usual_table(lines):
    cells = [f"{ratio_of(lines, mask='dense', filters=f):.2f}" for f in FILTERS]
    return table(f"pipeline | {HEAD}", [["a kernel a step", *cells]])


def replace(document, name, text):
    mark = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.S)
    if not mark.search(document):
        sys.exit(f"write_gpu_tables.py: docs/gpu.md has no mark for the table {name}")
    return mark.sub(lambda found: found[1] + text + found[2], document)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bench", required=True)
    parser.add_argument("--resources", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool:
        made = {name: pool.submit(run_bench, arguments.bench, arguments.keep, name, options)
                for name, options in runs()}
        lines = {name: future.result() for name, future in made.items()}
    counted = sum((found for name, found in lines.items() if name not in ("kernels", "apply", "usual")), [])
    path = pathlib.Path(__file__).parent.parent / "docs" / "gpu.md"
    document = path.read_text(encoding="utf-8")
    for name, text in (
            ("sizes", sizes_table(counted)),
            ("worst", worst_table(counted)),
            ("kernels", kernels_table(lines["kernels"])),
            ("apply", apply_table(lines["apply"])),
            ("floors", floors_table(counted)),
            ("operations", operations_table()),
            ("resources", resources_table(arguments.resources.read_text())),
            ("usual", usual_table(lines["usual"]))):
        document = replace(document, name, text)
    path.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main()
