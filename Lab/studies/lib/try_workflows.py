"""Runs the checks of scripts/lab try-workflows. Prints a line for each fault; exit code 1 if there is any."""
import re
import subprocess
import sys

import yaml

faults, images = [], set()
for path in sys.argv[1:]:
    text = open(path).read()

    def fault(sentence):
        faults.append(f"{path}: {sentence}")

    try:
        workflow = yaml.safe_load(text)
    except yaml.YAMLError as error:
        fault(f"no YAML: {error}")
        continue
    for line in re.findall(r"uses: *(.*)", text):
        if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line):
            fault(f"not pinned as NAME@COMMIT # vTAG: {line}")
    if workflow.get("permissions") != {"contents": "read"}:
        fault("the permissions of the workflow are not `contents: read`")
    for name, job in workflow["jobs"].items():
        container = job.get("container")
        if container:
            image = container if isinstance(container, str) else container["image"]
            # A job for other toolchains names each of them.
            if "matrix." not in image:
                images.add(image)
        writes = "write" in (job.get("permissions") or {}).values()
        if job.get("needs") and "always()" not in str(job.get("if", "")):
            fault(f"{name} is not run when {job['needs']} failed; add if: always()")
        for step in job["steps"]:
            if "upload-artifact" in step.get("uses", "") and "always()" not in str(step.get("if", "")):
                fault(f"{name} uploads nothing after a failure; add if: always()")
            if writes and "checkout" in step.get("uses", ""):
                fault(f"{name} may write, and checks code out")
            run = step.get("run")
            if run is None:
                continue
            for expression in re.findall(r"\$\{\{(.*?)\}\}", run):
                if not expression.strip().startswith("matrix."):
                    fault(f"{name} has an expression in a shell line; pass it by env: {expression.strip()}")
            if "--create-if-none" in run:
                fault(f"{name} uses gh --create-if-none, which the gh of Debian 12 does not have")
            shell = "#!/bin/sh\nset -e\n" + re.sub(r"\$\{\{.*?\}\}", "1", run)
            checked = subprocess.run(["shellcheck", "-"], input=shell, text=True, capture_output=True)
            if checked.returncode:
                fault(f"{name}: {checked.stdout.strip()}")
if len(images) > 1:
    faults.append(f"the workflows use different images: {', '.join(sorted(images))}")
print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
