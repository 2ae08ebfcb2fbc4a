#!/usr/bin/env python3
"""Compares the engine with jsonschema from PyPI on random schemas and instances.

usage: compare_with_jsonschema.py DRIVER [--schemas N] [--seed S] [--shard I/N] [--seconds T]
       compare_with_jsonschema.py DRIVER --schema FILE TEXT...   (one schema, given texts)

DRIVER is differential_driver. For every schema: texts written by the engine's masks must be valid,
and every text must be accepted by the engine if and only if jsonschema finds it valid; a schema
refused as unsatisfiable must have no valid text. Resource limits are counted; other refusals are
faults, since every keyword is supported and the schemas are well formed. A difference is made
small (keywords and subschemas dropped while it lasts) and printed. The plain validator of
tests/judge votes too: where it sides with the engine, the difference is jsonschema's and is listed
apart (it does not fail the run). Exit status: 0 no difference, 1 some, 77 jsonschema is not there.

Known faults of jsonschema (4.23 to 4.26), all worked around below or left to the vote:
- numbers: binary floats; we parse decimals, and count 1.0 as an integer from draft 6 on;
- pattern: Python's `re`, not ECMA-262; translated here ($, \\d, \\s, \\w, ., \\p);
- format uuid, ipv6, date: Python's parsers take more than the standards say; checked here;
- 2019-09: `additionalProperties: {}` evaluates nothing for unevaluatedProperties, `contains`
  evaluates items for unevaluatedItems; both against the specification;
- `multipleOf` fails on numbers with exponents of some hundreds.
"""
import argparse
import datetime
import decimal
import ipaddress
import json
import os
import re
import select
import subprocess
import sys
import time
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import validate_texts  # noqa: E402

DRAFTS = ["4", "6", "7", "2019", "2020", "2020"]
ANSWER_SECONDS = 30
MAX_SHRINK_TRIES = 1500
MAX_SHOWN = 10


class Driver:
    """The process that answers; started anew when it crashes or hangs."""

    def __init__(self, path):
        self.path = path
        self.process = None
        self.buffer = b""

    def ask(self, request):
        """The answer, or a text that says why there is none."""
        if self.process is None:
            self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
            self.buffer = b""
        pipe = self.process
        try:
            pipe.stdin.write(json.dumps(request).encode() + b"\n")
            pipe.stdin.flush()
            end = time.monotonic() + ANSWER_SECONDS
            while b"\n" not in self.buffer:
                ready, _, _ = select.select([pipe.stdout], [], [], max(0, end - time.monotonic()))
                if not ready:
                    return self.lost("hangs")
                piece = os.read(pipe.stdout.fileno(), 1 << 20)
                if not piece:
                    return self.lost("crashes")
                self.buffer += piece
        except BrokenPipeError:
            return self.lost("crashes")
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line, parse_float=decimal.Decimal)

    def lost(self, what):
        self.process.kill()
        self.process.wait()
        self.process = None
        return what


def property_class(name, known={}):
    if name not in known:
        out = []
        for code in range(0x110000):
            if unicodedata.category(chr(code)).startswith(name) and not 0xD800 <= code < 0xE000:
                if out and out[-1][1] == code - 1:
                    out[-1][1] = code
                else:
                    out.append([code, code])
        known[name] = "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in out)
    return known[name]


SPACES = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def translate(pattern, known={}):
    """An ECMA-262 pattern (those that random_full_schema.cc writes) for Python's re."""
    if pattern in known:
        return known[pattern]
    out = ""
    in_class = False
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "\\":
            letter = pattern[at]
            at += 1
            if letter in "pP":
                end = pattern.index("}", at)
                body = property_class(pattern[at + 1:end])
                at = end + 1
                out += f"[{'^' if letter == 'P' else ''}{body}]"
            elif letter in "sS":
                out += f"[{'^' if letter == 'S' else ''}{SPACES}]"
            else:
                out += "\\" + letter
            continue
        in_class = char == "[" or (in_class and char != "]")
        if char == "$" and not in_class:
            out += r"\Z"
        elif char == "." and not in_class:
            out += r"[^\n\r\u2028\u2029]"
        else:
            out += char
    known[pattern] = re.compile(out, re.ASCII)
    return known[pattern]


def is_date(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    if text.startswith("0000"):  # a leap year that Python does not have
        text = "2000" + text[4:]
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def is_ipv6(text):
    if not re.fullmatch(r"[0-9a-fA-F:.]*", text):
        return False
    try:
        return bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


FORMATS = {
    "date": is_date,
    "ipv4": lambda text: re.fullmatch(r"((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.(?!$)|$)){4}",
                                      text) is not None and not text.endswith("\n"),
    "ipv6": is_ipv6,
    "uuid": lambda text: re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
                                      text) is not None,
}


class Judge:
    """jsonschema, with exact numbers and ECMA-262 patterns, in every draft."""

    def __init__(self):
        self.jsonschema = validate_texts.import_jsonschema()
        from jsonschema.exceptions import ValidationError
        from jsonschema.validators import extend
        self.error = ValidationError
        drafts = [self.jsonschema.Draft4Validator, self.jsonschema.Draft6Validator,
                  self.jsonschema.Draft7Validator, self.jsonschema.Draft201909Validator,
                  self.jsonschema.Draft202012Validator]
        self.kinds = []
        for base in drafts:
            checker = base.TYPE_CHECKER
            if base is not drafts[0]:  # in draft 4 an integer has no fraction and no exponent
                checker = checker.redefine("integer", validate_texts.is_integer)
            keywords = {"pattern": self.pattern, "patternProperties": self.pattern_properties,
                        "additionalProperties": self.additional_properties, "format": self.format}
            self.kinds.append(extend(base, keywords, type_checker=checker))

    def pattern(self, validator, wanted, instance, schema):
        if validator.is_type(instance, "string") and not translate(wanted).search(instance):
            yield self.error("pattern")

    def pattern_properties(self, validator, wanted, instance, schema):
        if validator.is_type(instance, "object"):
            for pattern, subschema in wanted.items():
                for name, value in instance.items():
                    if translate(pattern).search(name):
                        yield from validator.descend(value, subschema, path=name)

    def additional_properties(self, validator, wanted, instance, schema):
        if validator.is_type(instance, "object"):
            for name, value in instance.items():
                if name in schema.get("properties", {}):
                    continue
                if any(translate(p).search(name) for p in schema.get("patternProperties", {})):
                    continue
                yield from validator.descend(value, wanted, path=name)

    def format(self, validator, wanted, instance, schema):
        if isinstance(instance, str) and wanted in FORMATS and not FORMATS[wanted](instance):
            yield self.error("format")

    def validator(self, schema):
        name = schema.get("$schema", "") if isinstance(schema, dict) else ""
        index = next((i for i, d in enumerate(["draft-04", "draft-06", "draft-07", "2019-09"])
                      if d in name), 4)
        # A reference to a resource with `$schema` would go on with the plain validator.
        if isinstance(schema, dict):
            schema = {key: value for key, value in schema.items() if key != "$schema"}
        from jsonschema_specifications import REGISTRY
        from referencing.jsonschema import (DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012)
        draft = [DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012][index]
        registry = REGISTRY.with_resource("", draft.create_resource(schema))
        return self.kinds[index](schema, registry=registry)

    def valid(self, validator, text):
        """True, False, or None where jsonschema fails."""
        try:
            return next(validator.iter_errors(validate_texts.parse(text)), None) is None
        except ValueError:
            return False
        except Exception:  # a fault of its own; the vote decides
            return None


class Comparison:
    def __init__(self, driver, only="", chains=False):
        self.driver = driver
        self.only = only
        self.chains = chains
        self.judge = Judge()
        self.counts = {}
        self.shown = 0
        self.faults = 0

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def differences(self, answer):
        """What is wrong in an answer of the driver: (kind, text) pairs."""
        status = answer["status"]
        if "texts" not in answer:
            return
        if status in ("error", "unsupported", "invalid definition"):
            yield "refused as " + status, answer["message"]
        if status == "ok" and answer["message"]:
            yield "matcher: " + answer["message"], ""
        schema = json.loads(answer["schema"], parse_float=decimal.Decimal)
        validator = self.judge.validator(schema)
        for item in answer["texts"]:
            valid = self.judge.valid(validator, item["text"])
            plain = {"valid": True, "invalid": False, "unknown": None}[item["plain"]]
            if valid is None:
                self.count("jsonschema failed")
                valid = plain
            if valid is None:
                continue
            self.count("pairs judged")
            if plain is not None and valid != plain:
                engine = item["engine"] if status == "ok" else None
                who = "the plain validator" if engine == valid else "jsonschema"
                if engine is None:
                    who = "one of the judges"
                said = valid if who == "jsonschema" else plain
                yield f"{who} alone says {'valid' if said else 'invalid'}", item["text"]
                continue
            if status not in ("ok", "unsatisfiable"):
                continue
            self.count("pairs compared")
            self.count("valid pairs", 1 if valid else 0)
            if status == "unsatisfiable":
                if valid:
                    yield "refused as unsatisfiable, but valid", item["text"]
            elif item["engine"] != valid:
                own = " (written by our masks)" if item["own"] else ""
                yield ("invalid, but accepted" if item["engine"] else "valid, but rejected") + own, \
                    item["text"]

    def ask(self, schema, text):
        answer = self.driver.ask({"schema": schema, "texts": [text]})
        return answer if isinstance(answer, dict) else {"status": answer}

    def shrink(self, schema_text, kind, text):
        """The smallest schema found with a difference of that kind on that text."""
        kind = kind.split(" (")[0]
        best = json.loads(schema_text, parse_float=decimal.Decimal)
        tries = 0
        progress = True
        saved = dict(self.counts)
        while progress and tries < MAX_SHRINK_TRIES:
            progress = False
            for smaller in sorted(smaller_schemas(best), key=lambda s: len(dumps(s))):
                tries += 1
                if tries > MAX_SHRINK_TRIES:
                    break
                answer = self.ask(dumps(smaller), text)
                try:
                    found = [k.split(" (")[0] for k, _ in self.differences(answer)]
                except Exception:  # no schema any more
                    found = []
                if kind in found or (kind in ("hangs", "crashes") and answer["status"] == kind):
                    best = smaller
                    progress = True
                    break
        self.counts = saved
        return dumps(best)

    def report(self, seed, schema, kind, text):
        self.count(kind.split(" (")[0].split(":")[0])
        if " alone says" in kind:
            if self.counts[kind] > 3:
                return
        else:
            self.faults += 1
        self.shown += 1
        if self.shown > MAX_SHOWN:
            return
        small = schema if kind.startswith("matcher") else self.shrink(schema, kind, text)
        print(f"seed {seed}: {kind}\n  schema {small}\n  text {text}", flush=True)

    def run_seed(self, seed, values, walks):
        request = {"seed": seed, "draft": DRAFTS[seed % len(DRAFTS)], "values": values,
                   "walks": walks}
        if self.chains or seed % 4 == 3:
            request["chain"] = 1
        answer = self.driver.ask(request)
        if isinstance(answer, str):
            self.faults += 1
            self.count("driver " + answer)
            print(f"seed {seed}: the engine {answer}: {json.dumps(request)}", flush=True)
            return
        self.count("schemas")
        self.count("schemas: " + answer["status"])
        for kind, text in self.differences(answer):
            if not kind.startswith(self.only):
                continue
            self.report(seed, answer["schema"], kind, text)
            break  # one a schema


def dumps(value):
    """JSON text with decimals as they are."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dumps(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    return str(value) if isinstance(value, decimal.Decimal) else json.dumps(value)


def smaller_schemas(node):
    """Every tree with one part dropped or put in place of what is around it."""
    if isinstance(node, dict):
        for key in node:
            yield {k: v for k, v in node.items() if k != key}
        for value in node.values():
            parts = value if isinstance(value, list) else [value]
            yield from (part for part in parts if isinstance(part, dict))
        for key, value in node.items():
            for smaller in smaller_schemas(value):
                yield {**node, key: smaller}
    elif isinstance(node, list):
        for i in range(len(node)):
            yield node[:i] + node[i + 1:]
        for i, value in enumerate(node):
            for smaller in smaller_schemas(value):
                yield node[:i] + [smaller] + node[i + 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--schemas", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--values", type=int, default=20)
    parser.add_argument("--walks", type=int, default=8)
    parser.add_argument("--only", default="", help="tell differences that begin so alone")
    parser.add_argument("--chains", action="store_true", help="schemas whose branches ask about keys"
                        " alone; otherwise they are one in four")
    parser.add_argument("--schema")
    parser.add_argument("texts", nargs="*")
    options = parser.parse_args()
    decimal.getcontext().prec = 2000
    sys.setrecursionlimit(5000)
    comparison = Comparison(Driver(options.driver), options.only, options.chains)
    if options.schema:
        with open(options.schema, encoding="utf-8") as file:
            answer = comparison.driver.ask({"schema": file.read(), "texts": options.texts})
        print(json.dumps(answer, indent=1, default=str))
        for kind, text in comparison.differences(answer):
            print(f"{kind}: {text}")
        return 0
    index, count = map(int, options.shard.split("/"))
    end = time.monotonic() + options.seconds
    for i in range(options.schemas):
        if i % count != index - 1:
            continue
        if time.monotonic() > end:
            break
        comparison.run_seed(options.seed + i, options.values, options.walks)
    print("differential: " + ", ".join(f"{n} {k}" for k, n in sorted(comparison.counts.items())))
    return 1 if comparison.faults else 0


if __name__ == "__main__":
    sys.exit(main())
