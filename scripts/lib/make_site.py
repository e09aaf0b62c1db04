"""Makes the site of the project: make_site.py DIRECTORY [ADDRESS [REPOSITORY]]

The site has the README and docs/ as pages, the example run in example/, a preview image of its answer, and the runs of
results/gallery on a page where one chooses the machine. ADDRESS is the address where the site will be, which a preview needs. REPOSITORY is the address of the sources, for links to files that
are no pages. A link that leads nowhere is an error. Needs Python's markdown; rsvg-convert makes the preview.
"""

import csv
import html
import json
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
table { border-collapse: collapse; display: block; overflow-x: auto; }
section { width: min(92vw, 90em); position: relative; left: 50%; transform: translateX(-50%); } td, th { border: 1px solid #999; padding: 2px 8px; }
pre { background: #8881; padding: 8px; overflow-x: auto; } :root { color-scheme: light dark; }"""
faults = []


def slug(text, separator):
    """Returns the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


def shown(nanoseconds):
    """Returns a time as text with three digits, such as 86.1 µs."""
    unit, size = next((unit for unit in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)) if nanoseconds >= unit[1]), ("ns", 1))
    return f"{nanoseconds / size:.{2 - min(2, len(str(int(nanoseconds / size))) - 1)}f} {unit}"


def machine_section(directory):
    """Returns the name and the section of a machine of the gallery: its times by engine, and by workload and size."""
    environment = json.loads((directory / "environment.json").read_text())
    system, storage = environment["system"], environment["storage"]
    with open(directory / "summary.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok" and row["p50_ns"]]
    columns = list(dict.fromkeys((row["workload"], int(row["records"])) for row in rows))
    # A row of the table has one safety level. Reads have none, and stand in the row of the engine's usual settings.
    engines = {}
    for row in rows:
        engine = row["backend"] + (":" + row["options"] if row["options"] else "")
        half = (float(row["p50_high_ns"]) - float(row["p50_low_ns"])) / 2 if row["p50_high_ns"] else None
        share = f" ±{half / float(row['p50_ns']):.0%}" if half is not None else ""
        level, times = engines.setdefault((engine, row["durability"] or "shipped"), [row["level"], {}])
        engines[engine, row["durability"] or "shipped"][0] = level or row["level"]
        times[row["workload"], int(row["records"])] = shown(float(row["p50_ns"])) + share
    order = ["durable", "intact", "crash", "fragile", "volatile"]
    engines = sorted(engines.items(), key=lambda each: order.index(each[1][0]) if each[1][0] in order else len(order))
    name = ", ".join(filter(None, [system.get("cpu"), f"{system.get('cores')} cores", storage.get("filesystem")]))
    facts = {**{key: system.get(key) for key in ("memory", "os", "kernel", "virtual machine")},
             "journal": storage.get("journal"), "swift": environment["build"].get("swift"),
             "sync of 4 KiB": shown(environment["sync_ns"]) if environment.get("sync_ns") else None}
    body = "".join(
        f"<tr><th>{html.escape(engine)}{'' if durability == 'shipped' else ' --durability ' + durability}</th><td>{level}</td>"
        + "".join(f"<td>{times.get(column, '')}</td>" for column in columns) + "</tr>"
        for (engine, durability), (level, times) in engines)
    head = "".join(f"<th>{html.escape(workload)}, {records:,} records</th>" for workload, records in columns)
    warnings = "".join(f"<p>{html.escape(warning)}</p>" for warning in environment["warnings"])
    text = ", ".join(f"{key}: {value}" for key, value in facts.items() if value)
    return name, (
        f'<section id="{directory.name}"><h2>{html.escape(name)}</h2><p>{html.escape(text)}</p>{warnings}'
        f"<table><tr><th>engine</th><th>safety level</th>{head}</tr>{body}</table></section>")


def gallery():
    """Returns the page of all machines of results/gallery. Without script it shows all of them."""
    machines = {path.parent.name: machine_section(path.parent) for path in sorted((root / "results/gallery").glob("*/summary.csv"))}
    choices = "".join(f'<option value="{machine}">{html.escape(name)}</option>' for machine, (name, _) in machines.items())
    return (
        '<h1>The same workloads on other machines</h1><p>Median times of one operation, by engine and '
        '<a href="docs/explanation/safety.html#levels">safety level</a>. Compare engines of one level on one machine.</p>'
        f'<p><label>Machine: <select id="machine">{choices}</select></label></p>'
        + "".join(section for _, section in machines.values())
        + """<script>
const choice = document.getElementById("machine");
const show = () => { for (const each of document.querySelectorAll("section")) each.hidden = each.id !== choice.value; };
if (document.getElementById(location.hash.slice(1))) choice.value = location.hash.slice(1);
choice.onchange = () => { location.hash = choice.value; show(); };
show();
</script>""")


def write(page, title, body):
    """Writes a page of the site with the links that all pages have."""
    links = {"example/report.html": "The answer", "gallery.html": "Machines", "docs/index.html": "Documentation"}
    nav = " · ".join(f'<a href="{os.path.relpath(link, page.parent)}">{text}</a>' for link, text in links.items())
    (site / page).parent.mkdir(parents=True, exist_ok=True)
    (site / page).write_text(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{style}</style></head><body><nav>{nav}</nav>{body}</body></html>\n")


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
    write(page, title, body)
write(pathlib.Path("gallery.html"), "Machines", gallery())
shutil.copytree(root / "results/example", site / "example", dirs_exist_ok=True)
report = site / "example/report.html"
report.write_text(report.read_text().replace("<body>", '<body><p><a href="../gallery.html">Other machines</a></p>', 1))
if shutil.which("rsvg-convert"):
    subprocess.run(["rsvg-convert", "-o", site / "example/card.png", root / "results/example/charts/card.svg"], check=True)
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
