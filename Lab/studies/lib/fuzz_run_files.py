"""Runs the cases of scripts/lab fuzz-run-files. That script describes the arguments."""

import concurrent.futures
import csv
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

ROOT, BENCH = pathlib.Path(sys.argv[1]), sys.argv[2]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 300
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
RUNS = [pathlib.Path(run) for run in sys.argv[5:]] or [ROOT / "results" / "example"]
ONLY = os.environ.get("ONLY")
# The running commands, each in a separate process group.
GROUPS = set()
# A debug build takes half a second for a page. A longer run hangs.
LIMIT = 60

NUMBERS = [
    0, -1, 1, 2, -2, 3, 99, 2**31, 2**32, 2**53, 2**53 + 1, 2**61, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1, 2**63, -(2**63),
    -(2**62), 2**64 - 1, 2**64, 10**18, 10**17, 10**15, 9 * 10**15, 10**12, 10**9, 1e300, -1e300, 1.7e308, 5e-324, -5e-324, 1e-300,
    1e-9, 0.5, -0.0, 1e18, 9.3e18, 1.9e19, 1e19, 1e16, "RAW:1e400", "RAW:-1e400", "RAW:NaN", "RAW:Infinity", "RAW:00",
    "RAW:1.", "RAW:1e", "RAW:+1", "RAW:123456789012345678901234567890",
]
TEXTS = [
    "", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\x1b[2J\x1b[31mred", "\x9b31m", "a\n::error title=x::pwned", "::error::pwned",
    "a\r::error::pwned", "a\r\n::stop-commands::x", "\u2028::error::x", "\x00", "\x07\x08\x7f", "</script><script>alert(1)</script>", "x" * 100_000,
    "a" * 200, "\u202e\u2066rtl", "é" * 50, "e\u0301\u0301\u0301", "💥", "a,b\"c", "a|b", "`", "%s%n%p", "n/a", "ok", "failed", "null", "0", "1/0",
    "0/0", "9223372036854775807/9223372036854775807", "1/9223372036854775807", "-1/2", "/", "//", ":", "=", ":=:", "a:b=c:d=e", "*", "a/b/c/d", "sqlite", "plist",
    "random", "text", "durable", "shipped", "timed", "once", "cost", "sum", "max", "AAAA", "/////////wE=", "//////////8B//////////8B",
    "AP///////////wE=", "AAA=", "AQA=", "!", "4096", "100000000000000000000 GB", "-5", "1e308 %", "2026-99-99T99:99:99Z", "\U0010ffff", "\ufffe", "\ufeff",
]


def hostile(value, dice):
    """Returns another value for a field."""
    kind = dice.random()
    if isinstance(value, bool):
        return dice.choice([not value, 0, 1, "true", None, {}])
    if isinstance(value, (int, float)) and kind < 0.8:
        near = [value + 1, value - 1, -value, value * 10, value * 1000, value * 2**40, value / 3, value // 2]
        return dice.choice(NUMBERS) if kind < 0.65 else dice.choice(near)
    if isinstance(value, str) and kind < 0.75:
        return dice.choice(TEXTS)
    return dice.choice(
        [None, True, [], {}, [[]], [value], {"a": value}, [value] * 50, dice.choice(NUMBERS), dice.choice(TEXTS)]
        + ["RAW:" + "[" * 600 + "]" * 600, "RAW:" + "[" * 100_000, "RAW:", "RAW:nul"]
    )


def holders(value, path=""):
    """Returns every list and object within a value, with its keys."""
    found = []
    if isinstance(value, dict):
        found += [(value, key) for key in value if key not in ("scratch", "dataset")]
        for inner in value.values():
            found += holders(inner)
    elif isinstance(value, list):
        found += [(value, index) for index in range(len(value))]
        for inner in value:
            found += holders(inner)
    return found


RAW = re.compile(r'"RAW:([^"]*)"')


def text(value, dice=None):
    """Returns JSON with raw texts inserted unchanged, and sometimes a repeated key."""
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=dice is None or dice.random() < 0.5)
    return RAW.sub(lambda found: found.group(1), written).encode("utf-8", "surrogatepass")


def altered(value, dice):
    """Alters one to three fields of a JSON value, in place if possible."""
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        slots = holders(value)
        if not slots:
            return hostile(value, dice)
        holder, key = dice.choice(slots)
        kind = dice.random()
        if kind < 0.8:
            holder[key] = hostile(holder[key], dice)
        elif kind < 0.88:
            del holder[key]
        elif isinstance(holder, dict):
            holder[dice.choice(["schema", "cell", "x", "", "memory", "aged", "timing", "kinds", "rate", "shard", "places"])] = hostile(1, dice)
        else:
            holder.insert(key, holder[dice.randrange(len(holder))])
    return value


def bytes_altered(data, dice):
    """Alters a file without parsing it."""
    data = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 5])):
        offset = dice.randrange(len(data) + 1)
        kind = dice.randrange(10)
        if kind == 0:
            del data[offset:]
        elif kind == 1:
            data[offset:offset] = dice.choice([b"\0", b"\r", b"\xef\xbb\xbf", b"\xff", b"\n", b"\r\n", b'"', b"{", b"}", b"\x1b[2J", b"\n::error::x\n"])
        elif kind == 2 and offset < len(data):
            data[offset] ^= 1 << dice.randrange(8)
        elif kind == 3:
            data[0:0] = dice.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\n", b"\r\n", b"[]"])
        elif kind == 4:
            lines = bytes(data).split(b"\n")
            one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            data = bytearray(b"\n".join(lines))
        elif kind == 5:
            lines = bytes(data).split(b"\n")
            lines.insert(dice.randrange(len(lines)), dice.choice(lines))
            data = bytearray(b"\n".join(lines))
        elif kind == 6:
            data = bytearray(bytes(data).replace(b"\n", b"\r\n"))
        elif kind == 7:
            del data[offset : offset + dice.choice([1, 10, 1000])]
        elif kind == 8:
            # One digit is replaced, possibly by many.
            digits = [match.start() for match in re.finditer(rb"\d", bytes(data))]
            if digits:
                at = dice.choice(digits)
                data[at : at + 1] = dice.choice([b"9" * 19, b"-", b"9", b"0", b".", b"e300", b"99999999999"])
        else:
            data = bytearray(dice.choice([b"", b"\0" * 4096, b"{}", b"[]", b"null", b"1", b'""', b"\n", b'{"schema":2}', b'{"schema":9223372036854775807}']))
    return bytes(data)


def csv_altered(data, dice):
    """Alters one number or text of a costs file."""
    fields = re.split(rb"([,=\n])", data)
    indices = [index for index, field in enumerate(fields) if index % 2 == 0]
    for _ in range(dice.choice([1, 1, 2])):
        other = hostile(1 if dice.random() < 0.6 else "", dice)
        fields[dice.choice(indices)] = str(other).replace("RAW:", "").encode("utf-8", "surrogatepass")
    return b"".join(fields)


# Patterns, because a case has only some of the run's cells.
RULES = [
    "'*/*/*/* p50 <= 1h'",
    "'*/*/*/* syncs <= 4'",
    "'*/save-one/*/* bytes <= 100MB'",
    "'*/save-one/*/* amplification <= 10000'",
    "'*/save-one/*/shipped rewrite_share >= 1 x */*/*/*'",
    "'*/save-one/*/shipped p50 <= 100 x */*/*/*'",
]
COSTS = """schema=1,architecture=x86_64,page_size=4096,swift=6.3,mode=release,seed=1,payload=random,engine.null=none,engine.memory=x
save-one,100,memory,shipped,ops=2000,bytes=0,writes=0,syncs=0,allocations=60
read-one,100,memory,-,record_bytes=200,threads=1,ops=2000,bytes=0,writes=0,syncs=0,allocations=60
"""


class Base:
    """A complete run. Each case takes some of its cells."""

    def __init__(self, path):
        self.plan = json.loads((path / "plan.json").read_bytes())
        self.environment = json.loads((path / "environment.json").read_bytes())
        self.trials = [json.loads(line) for line in (path / "trials.jsonl").read_bytes().split(b"\n") if line]
        probes = path / "probes.jsonl"
        self.probes = [json.loads(line) for line in probes.read_bytes().split(b"\n") if line] if probes.exists() else []
        found = json.loads((ROOT / "results/reference/findings/safety.json").read_bytes())
        found["findings"] = found["findings"][:3]
        for result in found["findings"]:
            result["failures"] = [{"name": "kill:save=1:call=2", "story": ["a", "b"], "command": "c", "replay": "d"}]
        self.safety = found

    def part(self, dice):
        """Returns some of the cells with their trials, as files by name."""
        copy = json.loads(json.dumps(self.plan))
        cells = copy["cells"]
        chosen = dice.sample(cells, min(len(cells), dice.choice([2, 4, 8])))
        # All sizes of one backend's saves, from which curves are drawn.
        backend = chosen[0]["cell"]["backend"]
        chosen += [c for c in cells if c["cell"]["backend"] == backend and c["cell"]["workload"] == "save-one" and c not in chosen]
        copy["cells"] = [cell for cell in cells if cell in chosen]
        names = [cell["cell"] for cell in copy["cells"]]
        copy["scratch"] = "scratch"
        trials = [json.loads(json.dumps(trial)) for trial in self.trials if trial["cell"] in names]
        for trial in trials:
            # Rare fields are added.
            if "timing" in trial and dice.random() < 0.1:
                trial["timing"].setdefault("rate", 100.5)
                trial["timing"].setdefault("overFrame", 1)
                trial["timing"].setdefault("singlesElapsed", 1000)
            if dice.random() < 0.1:
                trial.setdefault("findings", [{"name": "wait_p99_ns", "value": 5.5, "rule": "max"}])
        return {
            "plan.json": copy, "environment.json": json.loads(json.dumps(self.environment)), "trials.jsonl": trials,
            "probes.jsonl": json.loads(json.dumps(self.probes)), "safety.json": json.loads(json.dumps(self.safety)),
        }


def write(parts, path, replaced=()):
    path.mkdir(parents=True)
    for name, value in parts.items():
        if name in replaced:
            data = replaced[name]
        elif name.endswith("jsonl"):
            data = b"".join(text(line) + b"\n" for line in value)
        else:
            data = text(value)
        (path / name).write_bytes(data)


def alter(parts, dice):
    """Alters one file of a run."""
    name = dice.choice(["trials.jsonl"] * 5 + ["plan.json"] * 3 + ["environment.json", "safety.json", "probes.jsonl"])
    value = parts[name]
    if dice.random() < 0.25:
        data = b"".join(text(line) + b"\n" for line in value) if name.endswith("jsonl") else text(value)
        return name, {name: bytes_altered(data, dice)}
    if not name.endswith("jsonl"):
        return name, {name: text(altered(value, dice), dice)}
    if not value:
        return name, {}
    if name == "trials.jsonl" and dice.random() < 0.4:
        # The same field is altered in every line, so that no other round compensates for it.
        key = dice.choice([None, "timing", "cost", "cell"])
        lines = [line for line in value if key is None or key in line]
        if lines:
            holder = lines[0] if key is None else lines[0][key]
            field = dice.choice(list(holder))
            other = hostile(holder[field], dice)
            for line in lines:
                target = line if key is None else line[key]
                if field in target:
                    target[field] = other
            if key == "cell" and dice.random() < 0.7:
                for planned in parts["plan.json"]["cells"]:
                    if field in planned["cell"]:
                        planned["cell"][field] = other
            return f"{name} {field}", {name: b"".join(text(line, dice) + b"\n" for line in value), "plan.json": text(parts["plan.json"])}
    line = dice.randrange(len(value))
    value[line] = altered(value[line], dice)
    return name, {name: b"".join(text(one, dice) + b"\n" for one in value)}


FORMATS = "csv,markdown,html,svg,json,junit,benchstat,bencher,github-summary,github-annotations"
# A dash alone and numbers are not formulas.
csv.field_size_limit(1 << 30)
FORMULA = re.compile(r"[=@\t\r]|[+-](?!$|(\d+\.?\d*|\.\d+|inf|nan)(e[+-]?\d+)?$)", re.IGNORECASE)
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|^::(?!notice |warning |error )|pwned$", re.M)


def case(number, bases, work):
    """Runs one case.

    Returns its description and what is wrong with it, or nothing.
    """
    dice = random.Random(f"{SEED}/{number}")
    directory = pathlib.Path(work) / str(number)
    directory.mkdir()
    base = dice.choice(bases)
    parts = base.part(dice)
    command = dice.choice(["report"] * 4 + ["compare", "compare", "rules", "advise", "merge", "resume", "costs", "repeat"])
    allowed = {0, 3, 64}
    if command == "costs":
        what = "costs.csv"
        data = COSTS.encode()
        data = csv_altered(data, dice) if dice.random() < 0.7 else bytes_altered(data, dice)
        (directory / "costs.csv").write_bytes(data)
        arguments = ["check", "costs.csv"]
        allowed |= {1, 2, 69}
    else:
        whole = {name: json.loads(json.dumps(value)) for name, value in parts.items()}
        what, replaced = alter(parts, dice)
        write(parts, directory / "run", replaced)
        arguments = {
            "report": ["report", "run", "-f", FORMATS, "-o", "out"],
            "compare": ["compare", "run", "other"] if dice.random() < 0.5 else ["compare", "other", "run"],
            "rules": ["check", "rules.yaml", "run"],
            "advise": ["advise", "run", "--records", str(dice.choice([1, 500, 2000, 10**6])), "--reads-per-save", "5"],
            "merge": ["merge", "run", "other", "-o", "merged"],
            "resume": ["run", "--resume", "run"],
            "repeat": ["run", "--plan", "run/plan.json", "--dry-run", "-o", "out"],
        }[command]
        if command in ("compare", "merge"):
            if command == "merge":
                whole["plan.json"]["cells"] = [
                    cell for cell in base.plan["cells"] if cell not in whole["plan.json"]["cells"]][:3]
                names = [cell["cell"] for cell in whole["plan.json"]["cells"]]
                whole["trials.jsonl"] = [trial for trial in base.trials if trial["cell"] in names]
            write(whole, directory / "other")
        if command == "rules":
            (directory / "rules.yaml").write_text("rules:\n" + "".join(f"- {rule}\n" for rule in RULES))
        # Failed cells and regressions are valid results.
        allowed |= {"compare": {1, 2}, "rules": {1, 2}, "merge": {1}, "resume": {1}, "report": {1}, "repeat": {69}}.get(command, set())
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process = subprocess.Popen(
        [BENCH, *arguments], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    GROUPS.add(process.pid)
    wrong = []
    try:
        output, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        wrong.append(f"took over {LIMIT} s")
    GROUPS.discard(process.pid)
    output, errors = (data.decode("utf-8", "replace") for data in (output, errors))
    status = process.returncode
    if not wrong and status not in allowed:
        wrong.append(f"exit code {status}")
    # The log reports the progress of the counting every ten seconds.
    sentences = [line for line in errors.split("\n") if line and " trials done" not in line]
    if status == 64 and len(sentences) != 1:
        wrong.append(f"{len(sentences)} lines on standard error")
    for name, shown in (("output", output), ("error", errors)):
        found = STEERING.search(shown)
        if found:
            wrong.append(f"standard {name} has {shown[max(0, found.start() - 40):found.end() + 10]!r}")
    if status == 0 and len(errors) > 20_000 or status == 64 and len(errors) > 5_000:
        wrong.append(f"{len(errors)} characters on standard error")
    for path in directory.glob("out/*.csv"):
        # A real CSV reader is needed, since a quoted field may contain line breaks.
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            fields = (field for row in csv.reader(file) for field in row)
            formula = next((field for field in fields if FORMULA.match(field)), None)
        if formula:
            wrong.append(f"{path.name} has the formula {formula[:200]!r}")
    description = f"case {number}: {' '.join(arguments)} ({what})"
    last = errors.strip().split("\n")[-1][:300] if errors.strip() else ""
    if not wrong:
        shutil.rmtree(directory, ignore_errors=True)
    else:
        trap = [line for line in errors.split("\n") if "Fatal" in line or ": error" in line][:1]
        last = (trap[0] if trap else last)[:300]
        last += f"\n    kept in {directory}"
    return status, description, wrong, last


def main():
    bases = [Base(run) for run in RUNS]
    work = tempfile.mkdtemp(prefix="fuzz-run-files-")

    def end(number, _):
        # Unfinished cases are removed. After the rename no thread adds to the directory.
        os.rename(work, f"{work}.ended")
        for group in list(GROUPS):
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(f"{work}.ended", ignore_errors=True)
        os._exit(128 + number)

    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    numbers = [int(ONLY)] if ONLY else range(1, COUNT + 1)
    failed, statuses = 0, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, description, wrong, last in pool.map(lambda number: case(number, bases, work), numbers):
            statuses[status] = statuses.get(status, 0) + 1
            if ONLY or wrong:
                print(f"{description}: {'; '.join(wrong) or f'exit code {status}'}\n    {last}", flush=True)
            failed += bool(wrong)
    if not failed:
        shutil.rmtree(work, ignore_errors=True)
    counts = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items()))
    print(f"{len(numbers)} altered files, seed {SEED}: {failed} failed; exit codes: {counts}", flush=True)
    sys.exit(1 if failed else 0)


try:
    main()
except OSError as error:
    # The buffered standard output cannot be written, either.
    print(f"scripts/lab fuzz-run-files: {error}; free some space, or send the output elsewhere", file=sys.stderr, flush=True)
    os._exit(74)
