#!/usr/bin/env python3
"""Validates texts with jsonschema from PyPI.

usage: validate_texts.py SCHEMA_FOLDER TEXTS.jsonl

A line is {"schema": file name in the folder, "text": JSON text}. Numbers are compared exactly (as
decimals), repeated keys are an error. Exit status: 0 all valid, 1 some are not, 77 when jsonschema
is neither there nor can be installed (into the cache folder; nothing else is touched).
"""
import decimal
import json
import os
import re
import subprocess
import sys

REQUIREMENT = "jsonschema==4.23.0"
NOT_INSTALLED = 77
MAX_SHOWN = 10


def import_jsonschema():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    target = os.path.join(cache, "maskloom", "python")
    sys.path.insert(0, target)
    try:
        import jsonschema
    except ImportError:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input",
                   "--disable-pip-version-check", "--target", target, REQUIREMENT]
        if subprocess.run(command).returncode != 0:
            print(f"{REQUIREMENT} cannot be installed", file=sys.stderr)
            sys.exit(NOT_INSTALLED)
        import jsonschema
    return jsonschema


def unique_pairs(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is repeated")
    return result


def parse(text):
    return json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=unique_pairs)


def is_integer(checker, instance):
    if isinstance(instance, bool):
        return False
    if isinstance(instance, decimal.Decimal):
        return instance == instance.to_integral_value()
    return isinstance(instance, int)


def pattern(validator, wanted, instance, schema):
    """ECMA-262 as far as our schemas need it: ASCII classes, `$` only at the very end."""
    from jsonschema.exceptions import ValidationError

    translated = re.sub(r"(?<!\\)\$", r"\\Z", wanted)
    if validator.is_type(instance, "string") and not re.search(translated, instance, re.ASCII):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


def make_validator(jsonschema, schema):
    base = jsonschema.Draft202012Validator
    checker = base.TYPE_CHECKER.redefine("integer", is_integer)
    kind = jsonschema.validators.extend(base, {"pattern": pattern}, type_checker=checker)
    # A reference to a schema with `$schema` would go on with the plain validator of that draft.
    return kind({key: value for key, value in schema.items() if key != "$schema"})


def main(folder, path):
    jsonschema = import_jsonschema()
    decimal.getcontext().prec = 2000
    validators = {}
    count = 0
    wrong = 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            name = item["schema"]
            if name not in validators:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    validators[name] = make_validator(jsonschema, parse(file.read()))
            count += 1
            try:
                error = next(validators[name].iter_errors(parse(item["text"])), None)
                message = error.message if error else None
            except ValueError as failure:
                message = str(failure)
            if message is not None:
                wrong += 1
                if wrong <= MAX_SHOWN:
                    print(f"{name}: {message[:300]}\n  {item['text'][:1000]}")
    print(f"jsonschema: {count} texts, {wrong} invalid")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
