"""Creates the files of scripts/lab fuzz-data-files and runs them. That script describes the arguments."""

import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

BENCH = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ONLY = os.environ.get("ONLY")
# A debug build takes seconds. A longer run hangs.
LIMIT = 120
BACKENDS = "plist,archive,defaults:value=archive,sqlite,sqlite-queue,lmdb,object-graph"
WORKLOADS = ["save-one", "aggregate", "find-prefix", "find-name", "import", "find-range", "sections", "delete-one", "insert-one"]
TEXTS = [
    "", "a", "Anna", "\u00e9", "e\u0301", "\u30ac", "\u30ab\u3099", "\u212b", "\u00c5", "A\u030a", "\ufeff", "x\ufeff", "\U0001f600", "\u202e",
    "=1+1", "+1", "@x", "\x1b[2J", "::error::x", "a\n::error title=x::y", "a\r\nb", "a\rb", "\x00", "\x7f", "\u2028", "a,b", "a;b", "a\tb", '"', '""',
    "it's", "{}", "null", "x" * 10_000, "\u00e9" * 500, " ", "a ", "\ud55c\uae00", "\u1112\u1161\u11ab", "%s", "NULL", "ı", "İ", "ß",
]
NUMBERS = [
    "0", "-0", "-0.0", "0.0", "1", "-1", "1.5", "1e308", "-1e308", "1.7976931348623157e308", "5e-324", "-5e-324", "1e-300", "9007199254740993",
    "0.1", "", "1e20", "123456789", "-1e-5",
]
BAD_NUMBERS = ["nan", "inf", "-inf", "1e400", "0x10", "1,5", " 1", "1 ", "1.2.3", "x", "--1", "\u0661", "1_000", "+", "e5", "."]
DATES = ["2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00+01:00", "2000-02-29", "", "0001-01-01", "9999-12-31T23:59:59.999Z"]
BAD_DATES = ["2026-02-30", "2026-01-31 12:00:00", "2026-01-31 x", "yesterday", "31.01.2026", "1770000000", "1770000000000", "2026", "20260131"]
IDS = [0, 1, -1, 2**63 - 1, -(2**63), 2**62, 2**53 + 1]


def records(dice):
    """Returns columns and rows of texts, occasionally with an invalid text."""
    bad = dice.random() < 0.35
    columns = [name for name in ("id", "name", "group", "score", "modified", "payload", "extra", "caf\u00e9") if dice.random() < 0.7]
    columns = columns or ["name"]
    if dice.random() < 0.1:
        columns[0] = dice.choice(["ID", "title", " name", "Score", "updated_at", "x"])
    dice.shuffle(columns)
    count = dice.choice([1, 2, 3, 7, 20])
    ids = dice.sample(IDS + list(range(5, 60)), count)
    rows = []
    for row in range(count):
        values = {
            "id": str(ids[row]), "score": dice.choice(NUMBERS), "modified": dice.choice(DATES),
        }
        rows.append([values.get(column, dice.choice(TEXTS)) for column in columns])
    if bad:
        row, column = dice.randrange(count), dice.randrange(len(columns))
        rows[row][column] = dice.choice(BAD_NUMBERS + BAD_DATES)
    return columns, rows


def csv_text(columns, rows, dice):
    end = dice.choice(["\n"] * 6 + ["\r\n"] * 3 + ["\r"])
    separator = dice.choice([","] * 12 + [";", "\t", "|"])

    def field(text):
        plain = not any(character in text for character in ',;|\t"\r\n')
        return text if plain and dice.random() < 0.7 else '"' + text.replace('"', '""') + '"'

    lines = [separator.join(field(text) for text in row) for row in [columns, *rows]]
    return end.join(lines) + dice.choice([end, "", end * 3])


def json_text(columns, rows, dice):
    end = dice.choice(["\n"] * 4 + ["\r\n", "\r"])

    def value(column, text):
        if column in ("id", "score") and dice.random() < 0.5:
            try:
                return json.loads(text)
            except ValueError:
                return text
        return text

    lines = []
    for row in rows:
        fields = {column: value(column, text) for column, text in zip(columns, row) if column == "id" or dice.random() < 0.9}
        lines.append(json.dumps(fields, ensure_ascii=dice.random() < 0.5))
    return end.join(lines) + end


def data_file(dice):
    """Returns the bytes of a file and the extension of its name."""
    columns, rows = records(dice)
    kind = dice.choice(["csv", "csv", "CSV", "jsonl"])
    text = json_text(columns, rows, dice) if kind == "jsonl" else csv_text(columns, rows, dice)
    encoding = dice.choice(["utf-8"] * 10 + ["utf-8-sig", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
    data = text.encode(encoding, "replace")
    if dice.random() < 0.1:
        offset = dice.randrange(len(data) + 1)
        data = dice.choice([data[:offset], data[:offset] + dice.choice([b"\xff", b'"', b"\r", b"\0", b","]) + data[offset:]])
    return data, kind


def case(number, work):
    dice = random.Random(f"{SEED} {number}")
    data, kind = data_file(dice)
    workload = dice.choice(WORKLOADS)
    directory = pathlib.Path(work) / str(number)
    directory.mkdir()
    path = directory / f"data.{kind}"
    path.write_bytes(data)
    wrong, statuses, errors = [], [], ""
    for attempt in (1, 2):
        arguments = [BENCH, "run", "--allow-debug", "--once", "-q", "-b", BACKENDS, "-w", workload, "--dataset", path, "-o", directory / f"run{attempt}"]
        try:
            finished = subprocess.run(arguments, capture_output=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            wrong.append("hangs")
            break
        statuses.append(finished.returncode)
        errors = finished.stderr.decode("utf-8", "replace")
        if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]|^::", errors, re.MULTILINE):
            wrong.append("steers the terminal")
    if len(set(statuses)) > 1:
        wrong.append(f"ends with {statuses}")
    elif statuses and statuses[0] not in (0, 64):
        wrong.append(f"ends with {statuses[0]}")
    # Errors about formats and about files without rows name no line.
    if statuses and statuses[0] == 64 and not re.search(
        r", line \d+, column |line 1: (the header is separated|the names of some columns are close to)|iconv|has no rows|is empty", errors
    ):
        wrong.append("names no line and column")
    if statuses and statuses[0] == 64 and len(errors.strip().split("\n")) != 1:
        wrong.append("does not refuse in one sentence")
    if not wrong:
        shutil.rmtree(directory, ignore_errors=True)
    return statuses[0] if statuses else None, wrong, f"file {number} ({workload}): {path}\n    {errors.strip()[-300:]}"


def main():
    work = tempfile.mkdtemp(prefix="fuzz-data-files-")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: (shutil.rmtree(work, ignore_errors=True), os._exit(128 + number)))
    numbers = [int(ONLY)] if ONLY else range(1, COUNT + 1)
    failed, statuses = 0, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, wrong, description in pool.map(lambda number: case(number, work), numbers):
            statuses[status] = statuses.get(status, 0) + 1
            if ONLY or wrong:
                print(f"{description}\n    {'; '.join(wrong)}", flush=True)
            failed += bool(wrong)
    if not failed:
        shutil.rmtree(work, ignore_errors=True)
    counts = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items(), key=str))
    print(f"{len(numbers)} data files, seed {SEED}: {failed} failed; exit codes: {counts}", flush=True)
    sys.exit(1 if failed else 0)


try:
    main()
except OSError as error:
    print(f"scripts/lab fuzz-data-files: {error}; free some space, or send the output elsewhere", file=sys.stderr, flush=True)
    os._exit(74)
