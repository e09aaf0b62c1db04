"""Checks that the links of a static DocC site lead to its pages: check_site.py SITE"""

import json
import pathlib
import sys

site = pathlib.Path(sys.argv[1])
pages = sorted((site / "data" / "documentation").rglob("*.json"))
links, broken = 0, []
for page in pages:
    for reference in json.loads(page.read_text())["references"].values():
        url = reference.get("url", "")
        if not url.startswith("/"):
            continue
        links += 1
        path = url.split("#")[0].lower()
        # The page for a server that does not rewrite paths, and its data.
        if not ((site / path.lstrip("/") / "index.html").is_file() and (site / f"data{path}.json").is_file()):
            broken.append(f"{page.relative_to(site)}: {url}")
for line in sorted(set(broken)):
    print(line)
print(f"{len(pages)} pages, {links} links, {len(set(broken))} of them broken")
sys.exit(1 if broken or links < 1000 else 0)
