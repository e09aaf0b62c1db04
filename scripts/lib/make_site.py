"""Makes the site of the project: make_site.py DIRECTORY [ADDRESS [REPOSITORY]]

The site has the README and docs/ as pages, the example run in example/, and a preview image of its answer. ADDRESS is the
address where the site will be, which a preview needs. REPOSITORY is the address of the sources, for links to files that
are no pages. A link that leads nowhere is an error. Needs Python's markdown; rsvg-convert makes the preview.
"""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

root = pathlib.Path(__file__).resolve().parents[2]
site = pathlib.Path(sys.argv[1])
address = (sys.argv[2].rstrip("/") + "/") if len(sys.argv) > 2 else ""
repository = (sys.argv[3].rstrip("/") + "/blob/main/") if len(sys.argv) > 3 else ""
style = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid #999; padding: 2px 8px; }
pre { background: #8881; padding: 8px; overflow-x: auto; } :root { color-scheme: light dark; }"""
faults = []


def slug(text, separator):
    """Returns the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


def target(link, source):
    """Returns the address of a link on the site."""
    path, _, fragment = link.partition("#")
    if not path or re.match(r"[a-z]+:", link):
        return link
    file = pathlib.Path(os.path.normpath(root / source.parent / path))
    name = file.relative_to(root)
    end = f"#{fragment}" if fragment else ""
    if not file.exists():
        faults.append(f"{source}: {link} leads nowhere")
    elif name in pages:
        return os.path.relpath(pages[name], pages[source].parent) + end
    elif name.parts[:2] == ("results", "example"):
        return os.path.relpath(pathlib.Path("example", *name.parts[2:]), pages[source].parent) + end
    return repository + str(name) + end if repository else str(file) + end


pages = {pathlib.Path("README.md"): pathlib.Path("index.html")}
for path in sorted((root / "docs").rglob("*.md")):
    name = path.relative_to(root)
    pages[name] = name.with_name("index.html" if name.name == "README.md" else f"{name.stem}.html")
site.mkdir(parents=True, exist_ok=True)
for source, page in pages.items():
    text = (root / source).read_text()
    body = markdown.markdown(
        text, extensions=["tables", "fenced_code", "toc", "sane_lists"], extension_configs={"toc": {"slugify": slug}})
    body = re.sub(
        r'(href|src)="([^"]*)"', lambda found: f'{found[1]}="{html.escape(target(html.unescape(found[2]), source))}"', body)
    title = re.search(r"^# (.*)", text, re.M)[1]
    home = os.path.relpath("docs/index.html", page.parent)
    (site / page).parent.mkdir(parents=True, exist_ok=True)
    (site / page).write_text(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{style}</style></head><body>"
        f'<nav><a href="{os.path.relpath("example/report.html", page.parent)}">The answer</a> · '
        f'<a href="{home}">Documentation</a></nav>{body}</body></html>\n')
shutil.copytree(root / "results/example", site / "example", dirs_exist_ok=True)
if shutil.which("rsvg-convert"):
    picture = (root / "results/example/charts/card.svg").read_text()
    # librsvg knows no CSS variables; the first value of each is that of the light theme.
    colours = {name: value for name, value in reversed(re.findall(r"--(\w+): (#\w+);", picture))}
    picture = re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], picture)
    subprocess.run(
        ["rsvg-convert", "-w", "1200", "-o", site / "example/card.png"], input=picture, text=True, check=True)
    report = site / "example/report.html"
    image = f'<meta property="og:image" content="{html.escape(address)}example/card.png">'
    report.write_text(report.read_text().replace("</head>", f"{image}</head>", 1))
else:
    print("rsvg-convert is missing, so the example has no preview image; apt-get install librsvg2-bin", file=sys.stderr)
# Anchors: each must be on its page.
for page in pages.values():
    for link in re.findall(r'href="([^"]*#[^"]*)"', (site / page).read_text()):
        path, _, fragment = html.unescape(link).partition("#")
        other = site / (page.parent / path if path else page)
        if other.suffix == ".html" and not re.match(r"[a-z]+:", link) and f'id="{fragment}"' not in other.read_text():
            faults.append(f"{page}: there is no #{fragment} in {path or page}")
print("\n".join(faults), end="\n" if faults else "")
print(f"{len(pages)} pages, {len(faults)} links that lead nowhere")
sys.exit(1 if faults else 0)
