"""Runs every `run:` line of the workflows on a bare Debian, as GitHub would: `scripts/lab try-workflows --run`.

Each job has an overlay over CHROOT, which stays unchanged. All mounts and processes are in namespaces of this script, and
end with it. Actions are replaced by their effects on files. A build is kept for the next job that checks out the same commit
at the same path: its files are moved there, with the system that it was built on.
"""
import glob
import hashlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

HELP = """Usage: CHROOT=DIR scripts/lab try-workflows --run [--base REVISION] [--again] [--logs DIR] [FILE...]

  CHROOT=DIR         a Debian of the release of the workflows' image, in which swift and git work; it is not changed
  --base REVISION    what a pull request is compared with (default: HEAD~1)
  --again            runs every job with a cache once more, with what it has cached
  --logs DIR         what every line printed; without it, the last lines of one that failed
  FILE               default: those of .github/workflows, docs/ci and Examples; two with the same content are run once
"""
HOW = ("as root: debootstrap --variant=minbase bookworm DIR, then install Swift and git in it, "
       "and bind or copy what they need")
# The environment of every job, as set by the runner. 1001 is its user, and owns the workspace. Containers run as root.
RUNNER = 1001
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The lines that are not run, with the reason.
NOT_RUN = {"scripts/test": "it takes 25 minutes; run it by itself"}
# Files that this repository does not have. Lines with `if: hashFiles('NAME')` are run only with them.
GIVEN = {"rules.yaml": "rules:\n  - sqlite/save-one/1000/shipped syncs <= 4\n"}
# The maximum size in bytes of the summary of a step on GitHub.
LONGEST_SUMMARY = 1024 * 1024
GH = """#!/bin/sh
# In place of gh: the real one judges the options, and nothing is sent.
printf 'gh %s\\n' "$*" >&2
/usr/bin/gh "$@" --help >/dev/null || exit 1
[ -n "${GH_TOKEN:-}" ] || { echo 'gh: set the GH_TOKEN environment variable' >&2; exit 4; }
[ -n "${GH_REPO:-}" ] || git rev-parse --git-dir >/dev/null || exit 1
before=
for word; do
  case $before in --body-file | -F) cat -- "$word" >/dev/null || exit 1 ;; esac
  before=$word
done
case " $* " in
*' --edit-last '*) [ -e "${0%/*}/commented" ] || { echo 'no comments found for current user' >&2; exit 1; } ;;
esac
touch -- "${0%/*}/commented"
"""


class Stop(Exception):
    """Ends the script with an exit code and a sentence."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def say(text):
    print(text, flush=True)


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


# The expressions that workflows here use.

TOKEN = re.compile(r"\s*(?:(?P<op>==|!=|&&|\|\||[!(),])|(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<name>[A-Za-z_][\w.-]*))")


class Expression:
    def __init__(self, text, context, functions):
        self.context, self.functions, self.tokens, at = context, functions, [], 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Stop(1, f"this script does not know the expression: {text}")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.text = text

    def value(self):
        value = self.either()
        if self.tokens:
            raise Stop(1, f"this script does not know the expression: {self.text}")
        return value

    def take(self, *operators):
        if self.tokens and self.tokens[0][0] == "op" and self.tokens[0][1] in operators:
            return self.tokens.pop(0)[1]
        return None

    def either(self):
        value = self.both()
        while self.take("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.compared()
        while self.take("&&"):
            other = self.compared()
            value = other if value else value
        return value

    def compared(self):
        value = self.single()
        operator = self.take("==", "!=")
        if operator:
            same = str(value).lower() == str(self.single()).lower()
            value = same == (operator == "==")
        return value

    def single(self):
        if self.take("!"):
            return not self.single()
        if self.take("("):
            value = self.either()
            self.take(")")
            return value
        kind, word = self.tokens.pop(0) if self.tokens else ("", "")
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if kind == "number":
            return int(word)
        if kind != "name":
            raise Stop(1, f"this script does not know the expression: {self.text}")
        if self.take("("):
            values = []
            while not self.take(")"):
                values.append(self.either())
                self.take(",")
            if word not in self.functions:
                raise Stop(1, f"this script does not know the function {word}()")
            return self.functions[word](*values)
        value = self.context
        for part in word.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value


def substituted(text, context, functions):
    text = re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(Expression(match[1], context, functions).value()), str(text))
    return text


def holds(condition, context, functions):
    """Returns whether an `if:` is true. A condition without a status requires success."""
    if condition is None:
        return functions["success"]()
    text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", str(condition).strip())
    if not re.search(r"\b(always|failure|cancelled|success)\(\)", text) and not functions["success"]():
        return False
    return bool(Expression(text, context, functions).value())


# Files of artifacts.

def uploaded(workspace, patterns, hidden):
    """Returns the files of upload-artifact, and the directory that their paths are relative to."""
    files, directories = set(), []
    for pattern in patterns:
        whole = os.path.normpath(os.path.join(workspace, pattern))
        for match in glob.glob(whole, recursive=True, include_hidden=True):
            if os.path.isdir(match):
                for folder, _, names in os.walk(match):
                    files.update(os.path.join(folder, name) for name in names)
            else:
                files.add(match)
        fixed = []
        for part in whole.split("/"):
            if glob.has_magic(part):
                break
            fixed.append(part)
        directories.append("/".join(fixed))
    if not hidden:
        files = {file for file in files if "/." not in "/" + os.path.relpath(file, workspace)}
    directories = [directory for directory in set(directories) if not any(directory.startswith(other + "/") for other in directories)]
    root = os.path.commonpath(directories)
    if len(directories) == 1 and files == {root}:
        root = os.path.dirname(root)
    return files, root


def copied(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    subprocess.run(["cp", "-a", "--", source, target], check=True)


class Runner:
    """Runs jobs, one after the other."""

    def __init__(self, work, chroot, repository, base, logs, again):
        self.work, self.chroot, self.repository, self.logs = work, chroot, repository, logs
        self.head, self.base = output("git", "-C", repository, "rev-parse", "HEAD"), base
        self.again = again
        self.disk, self.home = f"{work}/w", f"{work}/home"
        self.builds, self.caches, self.layer = {}, {}, 0
        self.faults, self.ran, self.kept_out = [], 0, []
        package = open(f"{repository}/Package.swift").read()
        self.name = re.search(r'Package\(\s*name: "([\w-]+)"', package)[1]
        os.makedirs(f"{work}/origin")
        self.origin(repository, self.name, self.head)

    def origin(self, source, name, head):
        """Creates a repository to fetch from, like that of GitHub."""
        path = f"{self.work}/origin/{name}.git"
        subprocess.run(["git", "clone", "-q", "--bare", source, path], check=True)
        git = ["git", "-C", path]
        subprocess.run([*git, "update-ref", "refs/heads/main", head], check=True)
        subprocess.run([*git, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
        subprocess.run([*git, "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)

    def fault(self, sentence):
        say(f"   FAULT: {sentence}")
        self.faults.append(sentence)

    # The machine of a job.

    def mount(self, *arguments):
        made = subprocess.run(["mount", *arguments], text=True, capture_output=True)
        if made.returncode:
            raise Stop(69, f"cannot mount ({made.stderr.strip()}); run this as root, with TMPDIR on a disk, not on an overlay")

    def start(self, layers):
        """Starts a fresh machine: the root with these layers over it."""
        self.root = f"{self.work}/root"
        for name in ("root", "upper", "overlay", "w", "home"):
            shutil.rmtree(f"{self.work}/{name}", ignore_errors=True)
            os.makedirs(f"{self.work}/{name}")
        lower = ":".join([*layers, self.chroot])
        self.mount("-t", "overlay", "overlay", "-o",
                   f"lowerdir={lower},upperdir={self.work}/upper,workdir={self.work}/overlay", self.root)
        for name in ("proc", "dev", "sys", "__w", "__origin", "github/home", "home/runner/work"):
            os.makedirs(f"{self.root}/{name}", exist_ok=True)
        self.mount("-t", "proc", "proc", f"{self.root}/proc")
        self.mount("--rbind", "/dev", f"{self.root}/dev")
        self.mount("-t", "sysfs", "-o", "ro", "sysfs", f"{self.root}/sys")
        # Mounts that the caller has bound into the root.
        for line in open("/proc/self/mountinfo").read().splitlines():
            point = line.split()[4].encode().decode("unicode_escape")
            if point.startswith(self.chroot + "/"):
                inside = point[len(self.chroot):]
                if not re.match(r"/(proc|dev|sys)(/|$)", inside):
                    if os.path.isdir(point):
                        os.makedirs(self.root + inside, exist_ok=True)
                    self.mount("--bind", point, self.root + inside)
        self.mount("--bind", self.disk, f"{self.root}/__w")
        self.mount("--bind", self.disk, f"{self.root}/home/runner/work")
        self.mount("--bind", self.home, f"{self.root}/github/home")
        self.mount("--bind", f"{self.work}/origin", f"{self.root}/__origin")

    def end(self):
        """Ends the remaining processes of the job, and its mounts."""
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            while os.waitpid(-1, 0):
                pass
        except ChildProcessError:
            pass
        subprocess.run(["umount", "-R", "-l", self.root], check=True)

    def inside(self, command, env, where, log=subprocess.DEVNULL, user=None):
        """Runs a command on the machine, and returns its exit code."""
        words = ["chroot", *([f"--userspec={user}:{user}"] if user else []), self.root, "/usr/bin/env", "-i", "-C", where,
                 *(f"{name}={value}" for name, value in env.items()), *command]
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode

    def works(self, images):
        """Returns whether the root has the tools of these images, such as swift:6.3-bookworm."""
        self.start([])
        printed = f"{self.work}/versions"
        with open(printed, "wb") as log:
            for command in ("swift --version", "git --version", "cat /etc/os-release"):
                if self.inside(command.split(), {"PATH": PATH, "HOME": "/root"}, "/", log):
                    raise Stop(69, f"`{command}` fails in {self.chroot}; make another, {HOW}")
        self.end()
        facts = open(printed).read()
        for image in images:
            version, release = re.fullmatch(r"swift:([\d.]+)-(\w+)", image).groups()
            if f"Swift version {version}" not in facts or f"VERSION_CODENAME={release}" not in facts:
                raise Stop(69, f"{self.chroot} is not like {image}, on which the lines run; "
                               f"give it Swift {version} and Debian {release}")

    # Jobs.

    def instances(self, job):
        matrix = (job.get("strategy") or {}).get("matrix") or {}
        if "include" in matrix or "exclude" in matrix:
            raise Stop(1, "this script does not know include and exclude of a matrix")
        found = [{}]
        for name, values in matrix.items():
            found = [{**one, name: value} for one in found for value in values]
        return found

    def workflow(self, path, text):
        """Runs all jobs of a file, in the order of their needs."""
        shown = os.path.relpath(path, self.repository)
        try:
            flow = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise Stop(1, f"{shown} is no YAML: {' '.join(str(error).split())}")
        events = flow.get("on", flow.get(True))
        events = [events] if isinstance(events, str) else list(events)
        event = "pull_request" if "pull_request" in events else events[0]
        project = self.name
        # The workflow of an example runs in a separate repository, to which the example is copied.
        if path.endswith("/ci.yml"):
            project = self.example(os.path.dirname(path), shown)
        self.facts = dict(path=shown, text=text, flow=flow, event=event, project=project)
        jobs, results = dict(flow["jobs"]), {}
        shutil.rmtree(f"{self.work}/artifacts", ignore_errors=True)
        self.store, later = "all", []
        while jobs:
            name = next(name for name in jobs if set(self.needs(jobs[name])) <= set(results))
            job = jobs.pop(name)
            needed = any(name in self.needs(other) for other in flow["jobs"].values())
            outcomes, matrices = [], self.instances(job)
            for matrix in matrices:
                outcomes.append(self.job(name, job, matrix, results, failing=needed and matrix is matrices[-1]))
                if self.cached_now and self.again:
                    say("   the same again, on another machine, with what was cached:")
                    self.store = "again"
                    outcomes.append(self.job(name, job, matrix, results, fresh=True))
                    self.store = "all"
                    shutil.rmtree(f"{self.work}/artifacts/again", ignore_errors=True)
            results[name] = {"result": "failure" if "failure" in outcomes else outcomes[0]}
            if "failure" in outcomes:
                self.fault(f"{shown}: {name} failed")
            if self.needs(job):
                later.append((name, job))
        for name, job in later:
            for store, case in (("late", "failed, with results"), ("early", "failed, without any")):
                if not os.path.isdir(f"{self.work}/artifacts/{store}"):
                    continue
                say(f"   when {' and '.join(self.needs(job))} {case}:")
                failed = {**results, **{other: {"result": "failure"} for other in self.needs(job)}}
                self.store = store
                outcome = self.job(name, job, {}, failed)
                self.store = "all"
                if store == "late" and outcome != "success":
                    self.fault(f"{shown}: {name} is {outcome} when what it needs has failed and left its results")
                elif outcome == "skipped":
                    self.fault(f"{shown}: {name} is skipped when what it needs has failed")

    def needs(self, job):
        needs = job.get("needs") or []
        return [needs] if isinstance(needs, str) else needs

    def example(self, folder, shown):
        """Creates a repository of the example, which depends on this one as its manifest says, and returns its name."""
        copy = f"{self.work}/example"
        shutil.rmtree(copy, ignore_errors=True)
        files = output("git", "-C", folder, "ls-files", "-z", ".").split("\0")
        for file in filter(None, files):
            copied(f"{folder}/{file}", f"{copy}/{file}")
        manifest = open(f"{copy}/Package.swift").read()
        name = re.search(r'Package\(\s*name: "([\w-]+)"', manifest)[1]
        url = f'.package(url: "file:///__origin/{self.name}.git", branch: "main")'
        changed = re.sub(r'\.package\(name: "[\w-]+", path: "../.."\)', url, manifest)
        if changed == manifest:
            raise Stop(1, f"{shown}: its Package.swift does not depend on ../.., and this script knows no other form")
        open(f"{copy}/Package.swift", "w").write(changed)
        git = ["git", "-C", copy, "-c", "user.name=example", "-c", "user.email=example@example.org"]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "add", "-A", "-f"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "Example"], check=True)
        shutil.rmtree(f"{self.work}/origin/{name}.git", ignore_errors=True)
        self.origin(copy, name, output(*git, "rev-parse", "HEAD"))
        return name

    def job(self, name, job, matrix, needs, failing=False, fresh=False):
        """Runs a job and returns its result. With `failing`, its uploads are repeated, as after a failure of its lines."""
        flow, project = self.facts["flow"], self.facts["project"]
        self.title = f"{self.facts['path']}: {name}" + (f" ({', '.join(map(str, matrix.values()))})" if matrix else "")
        head = output("git", "-C", f"{self.work}/origin/{project}.git", "rev-parse", "main")
        repository = f"owner/{project}"
        pull = {"number": 1, "base": {"sha": self.base, "ref": "main"},
                "head": {"sha": head, "ref": "change", "repo": {"full_name": repository}}}
        event = {"number": 1, "pull_request": pull} if self.facts["event"] == "pull_request" else {}
        container = job.get("container")
        top = "/__w" if container else "/home/runner/work"
        self.inner_workspace, self.user = f"{top}/{project}/{project}", None if container else RUNNER
        self.workspace = f"{self.disk}/{project}/{project}"
        github = {"event": event, "event_name": self.facts["event"], "repository": repository, "sha": head, "token": "token",
                  "ref": "refs/pull/1/merge" if event else "refs/heads/main", "workspace": self.inner_workspace, "run_id": "1",
                  "run_attempt": "1", "run_number": "1", "workflow": flow.get("name", ""), "job": name, "actor": "owner"}
        self.context = {"github": github, "matrix": matrix, "needs": {other: needs[other] for other in self.needs(job)},
                        "steps": {}, "env": {}, "runner": {"os": "Linux", "temp": f"{top}/_temp"}, "job": {"status": "success"}}
        wanted = [needs[other]["result"] for other in self.needs(job)]
        functions = {"always": lambda: True, "cancelled": lambda: False,
                     "success": lambda: all(result == "success" for result in wanted),
                     "failure": lambda: "failure" in wanted, "hashFiles": self.hash_files}
        if not holds(job.get("if"), self.context, functions):
            say(f"== {self.title}: skipped")
            return "skipped"
        functions["success"] = lambda: self.context["job"]["status"] == "success"
        functions["failure"] = lambda: self.context["job"]["status"] == "failure"
        self.functions, self.fresh, self.saves, self.cached_now = functions, fresh, [], False

        checkouts = [self.checked_out(step) for step in job["steps"] if "actions/checkout@" in step.get("uses", "")]
        layers = next((self.builds[key][1] for key in checkouts if key in self.builds and not fresh), [])
        say(f"== {self.title}" + (", with the build of a job before" if layers else ""))
        self.start(layers)
        for folder in (self.workspace, f"{self.disk}/_temp"):
            os.makedirs(folder)
        for folder in (self.disk, os.path.dirname(self.workspace), self.workspace, f"{self.disk}/_temp", self.home):
            os.chown(folder, RUNNER, RUNNER)
        json.dump(event, open(f"{self.disk}/_temp/event.json", "w"))
        self.env = {"PATH": PATH, "HOME": "/github/home" if container else "/home/runner", "CI": "true",
                    "GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": f"{top}/_temp/event.json", "RUNNER_OS": "Linux",
                    "RUNNER_TEMP": f"{top}/_temp", "GITHUB_SERVER_URL": "https://github.com",
                    "GITHUB_BASE_REF": "main" if event else "", "GITHUB_HEAD_REF": "change" if event else "",
                    **{f"GITHUB_{key.upper()}": github[key] for key in (
                        "event_name", "repository", "sha", "ref", "workspace", "run_id", "run_attempt", "run_number",
                        "workflow", "job", "actor")}}
        for level in (flow, job):
            self.env |= {key: substituted(value, self.context, functions) for key, value in (level.get("env") or {}).items()}
        if any(re.search(r"\bgh ", step.get("run", "")) for step in job["steps"]):
            self.need_gh()
        self.shell = (job.get("defaults") or flow.get("defaults") or {}).get("run", {}).get("shell")

        self.uploads = {}
        lines = [number for number, step in enumerate(job["steps"]) if "run" in step]
        for number, step in enumerate(job["steps"]):
            self.step(step, number)
        status = self.context["job"]["status"]
        if status == "success":
            for save in self.saves:
                save()
        if failing and lines:
            self.fail_late([step for step in job["steps"][lines[0] + 1:] if "uses" in step])
        self.end()
        self.keep(checkouts, layers)
        return status

    def fail_late(self, steps):
        """The stores as they are when a line of the job failed, and when it had nothing to upload."""
        own = set(self.uploads)
        artifacts = f"{self.work}/artifacts"
        os.makedirs(f"{artifacts}/all", exist_ok=True)
        for store in ("late", "early"):
            shutil.rmtree(f"{artifacts}/{store}", ignore_errors=True)
            subprocess.run(["cp", "-a", f"{artifacts}/all", f"{artifacts}/{store}"], check=True)
            for name in own:
                shutil.rmtree(f"{artifacts}/{store}/{name}")
        self.store, self.uploads = "late", {}
        self.context["job"]["status"] = "failure"
        say("   the actions after its lines, when one failed:")
        for step in steps:
            self.step(step, 0)
        self.store = "all"
        if own - set(self.uploads):
            self.fault(f"{self.title} uploads nothing after a failure: {', '.join(own - set(self.uploads))}")

    def step(self, step, number):
        uses, run = step.get("uses", ""), step.get("run")
        known = {"name", "uses", "run", "if", "with", "env", "id", "shell", "working-directory", "continue-on-error",
                 "timeout-minutes"}
        if set(step) - known:
            self.fault(f"{self.title} has a step with what this script does not know: {', '.join(set(step) - known)}")
        env = {key: substituted(value, self.context, self.functions) for key, value in (step.get("env") or {}).items()}
        self.context["env"] = self.env | env
        what = step.get("name") or uses.split("@")[0] or run.strip().splitlines()[0]
        for file in re.findall(r"hashFiles\('(.*?)'\)", str(step.get("if", ""))):
            if file in GIVEN and not os.path.exists(f"{self.workspace}/{file}"):
                say(f"   given, as it is not in the repository: {file}")
                with open(f"{self.workspace}/{file}", "w") as written:
                    written.write(GIVEN[file])
        if not holds(step.get("if"), self.context, self.functions):
            say(f"   skipped: {what}")
            return
        began = time.monotonic()
        given = {key: substituted(value, self.context, self.functions) for key, value in (step.get("with") or {}).items()}
        if run is not None:
            code = self.line(step, substituted(run, self.context, self.functions), self.env | env, number)
            if code is None:
                return
            note = f"exit code {code}"
        else:
            action = {"actions/checkout": self.checkout, "actions/cache": self.cache,
                      "actions/upload-artifact": self.upload, "actions/download-artifact": self.download}
            name = uses.split("@")[0]
            if name not in action:
                self.fault(f"{self.title} uses {name}, which this script has no replacement for")
                return
            code, note = action[name](given)
        say(f"   {time.monotonic() - began:6.1f} s  {what}: {note}")
        outcome = "failure" if code else "success"
        if "id" in step:
            self.context["steps"].setdefault(step["id"], {})["outcome"] = outcome
        if code and step.get("continue-on-error") is not True:
            self.context["job"]["status"] = "failure"
        if code >= 64:
            self.fault(f"{self.title}: {what}: {note}")

    def line(self, step, text, env, number):
        """Runs the text after `run:`."""
        if text.strip() in NOT_RUN:
            say(f"   not run here: {text.strip()}, {NOT_RUN[text.strip()]}")
            self.kept_out.append(text.strip())
            return None
        self.made_once(text, env)
        temporary = f"{self.disk}/_temp"
        files = {name: f"{temporary}/{name.lower()}"
                 for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            open(file, "w").close()
            os.chown(file, RUNNER, RUNNER)
        script = f"{temporary}/line.sh"
        open(script, "w").write(text)
        os.chmod(script, 0o644)
        shell = step.get("shell") or self.shell
        inside = self.env["RUNNER_TEMP"]
        shells = {None: f"{'bash' if self.user else 'sh'} -e {{0}}", "sh": "sh -e {0}",
                  "bash": "bash --noprofile --norc -eo pipefail {0}"}
        words = shells.get(shell, shell).replace("{0}", f"{inside}/line.sh").split()
        env = env | {name: f"{inside}/{os.path.basename(file)}" for name, file in files.items()}
        where = os.path.normpath(os.path.join(self.inner_workspace, step.get("working-directory", ".")))
        path = f"{self.logs}/{self.ran + 1:02}-{re.sub('[^A-Za-z0-9]+', '-', self.title)}-{number}.log"
        with open(path, "wb") as log:
            code = self.inside(words, env, where, log, self.user)
        self.ran += 1
        if code:
            for printed in open(path, errors="replace").read().splitlines()[-25:]:
                say(f"      | {printed}")
        if os.path.getsize(files["GITHUB_STEP_SUMMARY"]) > LONGEST_SUMMARY:
            self.fault(f"{self.title}: the summary of the step is longer than the megabyte that GitHub takes")
        self.env |= self.assigned(files["GITHUB_ENV"])
        if "id" in step:
            self.context["steps"].setdefault(step["id"], {})["outputs"] = self.assigned(files["GITHUB_OUTPUT"])
        for line in open(files["GITHUB_PATH"]).read().splitlines():
            self.env["PATH"] = f"{line}:{self.env['PATH']}"
        return code

    def assigned(self, path):
        """Parses NAME=VALUE, or NAME<<END up to a line END."""
        values, lines = {}, iter(open(path).read().splitlines())
        for line in lines:
            name, mark, rest = re.match(r"([^=<]*)(<<|=)(.*)", line).groups()
            if mark == "<<":
                rest = "\n".join(iter(lambda: next(lines), rest))
            values[name] = rest
        return values

    def made_once(self, text, env):
        """Creates the file that the first lines of the workflow say to create once, if this line needs it."""
        told = re.search(r"(?:Make|commit) (?:a )?(\S+)(?: once, and commit it| made by): (.*)", self.facts["text"])
        if told and told[1] in text and told[2] != text and not os.path.exists(f"{self.workspace}/{told[1]}"):
            code = self.line({}, told[2], env, 0)
            say(f"   made once, as the file tells: {told[2]}: exit code {code}")
            if code:
                self.fault(f"{self.title}: what the file tells to make once fails: {told[2]}")

    def need_gh(self):
        """Installs the gh of this Debian, and its substitute."""
        if not os.path.exists(f"{self.root}/usr/bin/gh"):
            install = "apt-get update -qq && apt-get install -y -qq --no-install-recommends gh"
            env = {"PATH": PATH, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
            if self.inside(["sh", "-c", install], env, "/"):
                raise Stop(69, f"gh cannot be installed in {self.chroot}; run it there by hand to see why: {install}")
        tools = f"{self.work}/tools"
        os.makedirs(tools, exist_ok=True)
        open(f"{tools}/gh", "w").write(GH)
        os.chmod(f"{tools}/gh", 0o755)
        os.chmod(tools, 0o777)
        os.makedirs(f"{self.root}/__tools")
        self.mount("--bind", tools, f"{self.root}/__tools")
        self.env["PATH"] = f"/__tools:{PATH}"

    # Replacements of actions. Each returns an exit code and a message.

    def hash_files(self, *patterns):
        files = sorted({file for pattern in patterns for file in glob.glob(f"{self.workspace}/{pattern}", recursive=True)
                        if os.path.isfile(file)})
        hashes = b"".join(hashlib.sha256(open(file, "rb").read()).digest() for file in files)
        return hashlib.sha256(hashes).hexdigest() if files else ""

    def unknown(self, action, given, known):
        for name in set(given) - set(known.split()):
            self.fault(f"{self.title} gives {action} {name}, which it does not have, or this script does not know")

    def checked_out(self, step):
        """Returns the source and the target of a checkout."""
        given = {key: substituted(value, self.context, {}) for key, value in (step.get("with") or {}).items()}
        return self.inner_workspace + "/" + given.get("path", ""), given.get("ref") or self.context["github"]["sha"]

    def checkout(self, given):
        self.unknown("actions/checkout", given, "path ref fetch-depth")
        key = self.checked_out({"with": given})
        where, revision = key
        depth = given.get("fetch-depth", "1")
        short = [] if depth == "0" else [f"--depth={depth}"]
        target = os.path.normpath(f"{self.workspace}/{given.get('path', '')}")
        url = f"file:///__origin/{self.facts['project']}.git"
        # The action sets safe.directory in a separate home, so that later lines do not have it.
        config = f"{self.disk}/_temp/git"
        os.makedirs(config)
        open(f"{config}/.gitconfig", "w").write("[safe]\n\tdirectory = *\n")
        env = {"PATH": PATH, "HOME": f"{self.env['RUNNER_TEMP']}/git"}
        branch = [] if short else ["+refs/heads/*:refs/remotes/origin/*"]
        exact = re.fullmatch("[0-9a-f]{40}", revision)
        wanted = revision if exact else f"refs/heads/{revision}"
        log = f"{self.work}/checkout.log"
        with open(log, "wb") as file:
            for command in (["git", "init", "-q", where], ["git", "-C", where, "remote", "add", "origin", url],
                            ["git", "-C", where, "fetch", "-q", *([] if branch else ["--no-tags"]), *short, "origin", *branch,
                             f"+{wanted}:refs/remotes/pull/1/merge"],
                            ["git", "-C", where, "checkout", "-q", "--detach", "refs/remotes/pull/1/merge"]):
                code = self.inside(command, env, self.inner_workspace, file, self.user)
                if code:
                    return code, f"`{' '.join(command)}` failed: {open(log).read().strip()}"
        note = revision[:7]
        if key in self.builds and not self.fresh:
            built = self.builds.pop(key)[0]
            fresh = f"{self.work}/fresh.git"
            os.rename(f"{target}/.git", fresh)
            shutil.rmtree(target)
            shutil.rmtree(f"{built}/.git", ignore_errors=True)
            os.rename(built, target)
            os.rename(fresh, f"{target}/.git")
            for command in ("update-index -q --really-refresh", "reset -q --hard", "clean -q -ffdx -e /.build"):
                self.inside(["git", "-C", where, *command.split()], env, self.inner_workspace, user=self.user)
            note += ", with what was built here before"
        shutil.rmtree(config)
        return 0, note

    def keep(self, checkouts, layers):
        """Keeps the checkouts of a job, with the system as it is now."""
        self.layer += 1
        built = [key for key in checkouts if os.path.isdir(self.disk + key[0][len("/__w"):] + "/.build")]
        if self.fresh or not built:
            return
        if not layers:
            os.rename(f"{self.work}/upper", f"{self.work}/layer-{self.layer}")
            layers = [f"{self.work}/layer-{self.layer}"]
        # The deepest come first, because one can be inside another.
        for number, key in enumerate(sorted(built, reverse=True)):
            kept = f"{self.work}/build-{self.layer}-{number}"
            os.rename(os.path.normpath(self.disk + key[0][len("/__w"):]), kept)
            self.builds[key] = (kept, layers)

    def cache(self, given):
        self.unknown("actions/cache", given, "path key restore-keys")
        key, path = given["key"], os.path.normpath(f"{self.workspace}/{given['path']}")
        prefixes = [key, *given.get("restore-keys", "").split()]
        found = key if key in self.caches else next(
            (name for prefix in prefixes for name in reversed(self.caches) if name.startswith(prefix)), None)
        if found and not os.path.exists(path):
            copied(self.caches[found], path)
        if found != key:
            def save():
                if os.path.exists(path):
                    self.caches[key] = f"{self.work}/caches/{len(self.caches)}"
                    copied(path, self.caches[key])
                    self.cached_now = True
                else:
                    self.fault(f"{self.title} caches {given['path']}, which does not exist")
            self.saves.append(save)
        return 0, f"restored {found}" if found else "nothing cached yet"

    def upload(self, given):
        self.unknown("actions/upload-artifact", given, "name path if-no-files-found include-hidden-files retention-days")
        name = given.get("name", "artifact")
        patterns = [pattern.strip() for pattern in given["path"].split("\n") if pattern.strip()]
        files, root = uploaded(self.workspace, patterns, given.get("include-hidden-files") == "true")
        if not files:
            wish = given.get("if-no-files-found", "warn")
            note = f"no files were found with the provided path: {' '.join(given['path'].split())}"
            if wish == "warn" and self.context["job"]["status"] == "success":
                self.fault(f"{self.title} uploads {name} without files")
            return (1 if wish == "error" else 0), note
        target = f"{self.work}/artifacts/{self.store}/{name}"
        if os.path.exists(target):
            return 1, f"an artifact with the name {name} exists already"
        for file in files:
            copied(file, f"{target}/{os.path.relpath(file, root)}")
        self.uploads[name] = len(files)
        return 0, f"{name}, {len(files)} files"

    def download(self, given):
        self.unknown("actions/download-artifact", given, "name path pattern merge-multiple")
        stored = sorted(glob.glob(f"{self.work}/artifacts/{self.store}/*"))
        target = os.path.normpath(os.path.join(self.workspace, given.get("path", "")))
        if "name" in given:
            stored = [path for path in stored if os.path.basename(path) == given["name"]]
            if not stored:
                return 1, f"artifact not found for name: {given['name']}"
        else:
            matching = glob.fnmatch.filter([os.path.basename(path) for path in stored], given.get("pattern", "*"))
            stored = [path for path in stored if os.path.basename(path) in matching]
        flat = "name" in given or given.get("merge-multiple") == "true"
        for path in stored:
            folder = target if flat else f"{target}/{os.path.basename(path)}"
            os.makedirs(folder, exist_ok=True)
            subprocess.run(["cp", "-r", f"{path}/.", folder], check=True)
            if self.user:
                subprocess.run(["chown", "-R", f"{self.user}:{self.user}", folder], check=True)
        return 0, " ".join(os.path.basename(path) for path in stored) or "no artifact"

    def plain(self, path):
        """Runs docs/ci/plain.sh as a workflow, according to its first lines, in a complete clone."""
        shown = os.path.relpath(path, self.repository)
        lines = ["check", "rules || test $? -eq 3", f"paired {self.base}", "shard 1/2", "shard 2/2", "merge reports/shard-1 reports/shard-2"]
        text = yaml.safe_dump({"on": "push", "name": "plain", "jobs": {"plain": {
            "container": "plain", "steps": [{"uses": "actions/checkout@plain", "with": {"fetch-depth": 0}}] + [
                {"run": f"{shown} {line}"} for line in lines]}}})
        self.workflow(path, text)


def inside(work, chroot, repository, base, logs, again, files):
    # The end of a job kills every process in its namespace.
    if os.getpid() != 1:
        raise Stop(64, "--inside is for this script itself; use --run")
    runner = Runner(work, chroot, repository, base, logs, again)
    texts = "\n".join(open(file).read() for file in files)
    runner.works(sorted(set(re.findall(r"(?:container|image): *(swift:[\d.]+-\w+)", texts))))
    began, done = time.monotonic(), {}
    for file in files:
        shown, text = os.path.relpath(file, repository), open(file).read()
        if text in done:
            say(f"{shown}: the same as {done[text]}, which was run")
            continue
        done[text] = shown
        runner.plain(file) if file.endswith(".sh") else runner.workflow(file, text)
    faults = len(runner.faults)
    if faults:
        say("not all is well:")
        for sentence in runner.faults:
            say(f"  {sentence}")
    say(f"{runner.ran} lines run in {time.monotonic() - began:.0f} s, {faults} faults" +
        (f"; not run here: {', '.join(runner.kept_out)}" if runner.kept_out else ""))
    return 1 if faults else 0


def outside(repository, arguments):
    """Checks the arguments, and runs `inside` in separate namespaces."""
    base, logs, again, files = "HEAD~1", None, False, []
    arguments = list(arguments)
    while arguments:
        word = arguments.pop(0)
        if word in ("-h", "--help"):
            print(HELP, end="")
            return 0
        if word in ("--base", "--logs"):
            if not arguments:
                raise Stop(64, f"{word} needs a value; see --run --help")
            value = arguments.pop(0)
            base, logs = (value, logs) if word == "--base" else (base, os.path.abspath(value))
        elif word == "--again":
            again = True
        elif word.startswith("-"):
            raise Stop(64, f"there is no option {word}; see --run --help")
        else:
            files.append(os.path.abspath(word))
    chroot = os.environ.get("CHROOT")
    if not chroot:
        raise Stop(69, f"CHROOT names no Debian root to run the lines in; make one, {HOW}, and set CHROOT=DIR")
    chroot = os.path.realpath(chroot)
    if not os.path.exists(f"{chroot}/bin/sh") or chroot == "/":
        raise Stop(69, f"{chroot} is no Debian root (it has no /bin/sh, or is this system); make one, {HOW}")
    if os.geteuid():
        raise Stop(69, "only root can mount and change the root directory; run this as root")
    for tool in ("unshare", "setpriv", "chroot", "mount", "git"):
        if not shutil.which(tool):
            raise Stop(69, f"{tool} is missing; install it: apt-get install util-linux coreutils mount git")
    if not files:
        patterns = (".github/workflows/*.yml", "docs/ci/*.yml", "Examples/*/ci.yml", "docs/ci/plain.sh")
        files = [file for pattern in patterns for file in sorted(glob.glob(f"{repository}/{pattern}"))]
    for file in files:
        if not os.path.isfile(file):
            raise Stop(64, f"there is no file {file}; name a workflow")
    found = subprocess.run(["git", "-C", repository, "rev-parse", "-q", "--verify", f"{base}^{{commit}}"],
                           text=True, capture_output=True)
    if found.returncode:
        raise Stop(64, f"{base} is no revision; give one with --base")

    def interrupted(number, _):
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, interrupted)
    work = tempfile.mkdtemp(prefix="try-workflows-")
    child = None
    try:
        os.chmod(work, 0o755)
        if not logs:
            logs = f"{work}/logs"
        os.makedirs(logs, exist_ok=True)
        facts = json.dumps([work, chroot, repository, found.stdout.strip(), logs, again, files])
        # The namespaces end with this process, and with them mounts and processes.
        child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--mount-proc",
                                  "--kill-child=KILL", sys.executable, __file__, "--inside", facts], start_new_session=True)
        code = child.wait()
        return code if code >= 0 else 1
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if child and child.poll() is None:
            # The first process of the namespace. The kernel ends all others before it.
            firsts = open(f"/proc/{child.pid}/task/{child.pid}/children").read().split()
            firsts = [os.pidfd_open(int(first)) for first in firsts]
            child.kill()
            for first in firsts:
                signal.pidfd_send_signal(first, signal.SIGKILL)
                select.select([first], [], [])
            child.wait()
        shutil.rmtree(work)


def main():
    try:
        if sys.argv[1] == "--inside":
            return inside(*json.loads(sys.argv[2]))
        return outside(os.path.realpath(sys.argv[1]), sys.argv[2:])
    except Stop as stop:
        print(f"scripts/lab try-workflows: {stop}", file=sys.stderr)
        return stop.code
    except subprocess.CalledProcessError as error:
        print(f"scripts/lab try-workflows: `{' '.join(error.cmd)}` failed (see above); put that right", file=sys.stderr)
        return 74
    except OSError as error:
        print(f"scripts/lab try-workflows: {error}; free some space, or set TMPDIR to another directory", file=sys.stderr)
        return 74


sys.exit(main())
