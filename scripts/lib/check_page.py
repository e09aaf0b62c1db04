"""What scripts/check-page does, which tells how it is called: check_page.py CHECKER PAGE PICTURES"""

import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

SIZES = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]

# What is measured in the page: every finding is a sentence.
LOOK = r"""
(() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    found.push(`the page is ${document.documentElement.scrollWidth} px wide on a screen of ${width}`);
  }
  const scrolls = element => {
    for (let e = element; e && e !== document.body; e = e.parentElement) {
      if (['auto', 'scroll'].includes(getComputedStyle(e).overflowX)) return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll('main *:not(svg *)')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 1 || box.left < -1) && !scrolls(element)) {
      found.push(`<${element.tagName.toLowerCase()}> leaves the screen: ${element.textContent.trim().slice(0, 60)}`);
    }
  }
  for (const svg of document.querySelectorAll('svg')) {
    const name = svg.querySelector('title').textContent;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(t => ({
      box: t.getBoundingClientRect(), words: t.firstChild ? t.firstChild.textContent : '',
      slanted: t.hasAttribute('transform'),
      size: parseFloat(getComputedStyle(t).fontSize) * frame.width / svg.viewBox.baseVal.width }));
    for (const t of texts) {
      if (t.size < 9) found.push(`'${name}': '${t.words}' is ${t.size.toFixed(1)} px high`);
      if (t.box.left < frame.left - 1 || t.box.right > frame.right + 1 || t.box.top < frame.top - 1
          || t.box.bottom > frame.bottom + 2) {
        found.push(`'${name}': '${t.words}' leaves the picture`);
      }
    }
    for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
      const [a, b] = [texts[i], texts[j]];
      // The boxes of slanted texts cross where the texts do not.
      if (a.slanted || b.slanted) continue;
      const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // A line's box is higher than its letters.
      if (x > 1 && y > Math.min(a.box.height, b.box.height) * 0.35) {
        found.push(`'${name}': '${a.words}' lies on '${b.words}'`);
      }
    }
  }
  for (const cell of document.querySelectorAll('td, tbody th')) {
    if (!cell.textContent.trim()) found.push('a field of a table is blank');
  }
  return JSON.stringify([...new Set(found)]);
})()
"""


class Browser:
    """Chromium, driven over its debugging pipe: no port, no library."""

    def __init__(self, executable, profile):
        to_child, self.out = os.pipe()
        self.into, from_child = os.pipe()

        def descriptors():
            # Chromium reads its orders from descriptor 3 and answers on 4; they may be in each other's way.
            orders, answers = os.dup(to_child), os.dup(from_child)
            os.dup2(orders, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}", "about:blank"],
            close_fds=False, preexec_fn=descriptors, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events = b"", 0, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def read(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.into, 1 << 20)
            if not chunk:
                sys.exit("scripts/check-page: Chromium ended by itself")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            order["sessionId"] = self.session
        os.write(self.out, json.dumps(order).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"scripts/check-page: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def until(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def close(self):
        self.process.terminate()
        self.process.wait()


# Pixels of the tallest picture.
TALLEST = 12_000


def look(browser, page, width, mode, pictures):
    """Opens a page at a width, and returns what is wrong with it."""
    browser.events.clear()
    for domain in ["Page", "Runtime", "Log", "Network"]:
        browser.send(f"{domain}.enable")
    browser.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
    browser.events.clear()
    browser.send("Page.navigate", url=page.as_uri())
    browser.until("Page.loadEventFired")
    found = []
    for unfolded in [False, True]:
        if unfolded:
            browser.send("Runtime.evaluate", expression="document.querySelectorAll('details').forEach(d => d.open = true)")
        text = browser.send("Runtime.evaluate", expression=LOOK)["result"]["value"]
        found += [sentence for sentence in json.loads(text) if sentence not in found]
        # Pages of large runs are longer than a picture can be.
        height = int(browser.send("Page.getLayoutMetrics")["cssContentSize"]["height"])
        for top in range(0, height, TALLEST):
            clip = {"x": 0, "y": top, "width": width, "height": min(TALLEST, height - top), "scale": 1}
            picture = browser.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
            part = f"-{top // TALLEST + 1}" if height > TALLEST else ""
            name = f"{page.stem}-{width}-{mode}{'-unfolded' if unfolded else ''}{part}.png"
            (pictures / name).write_bytes(base64.b64decode(picture))
    for event in browser.events:
        parameters = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if url != page.as_uri() and not url.startswith("data:"):
                found.append(f"requests {url}")
        elif event.get("method") == "Runtime.consoleAPICalled":
            found.append(f"says on the console: {parameters['args']}")
        elif event.get("method") == "Log.entryAdded":
            found.append(f"is warned of: {parameters['entry']['text']}")
        elif event.get("method") == "Runtime.exceptionThrown":
            found.append("throws an exception")
    return found


def validate(checker, files):
    """Runs the Nu HTML checker, and returns its errors and warnings."""
    arguments = ["--format", "json"] + (["--svg"] if files[0].suffix == ".svg" else [])
    done = subprocess.run(checker + arguments + [str(file) for file in files], capture_output=True, text=True)
    messages = json.loads(done.stderr or '{"messages": []}')["messages"]
    return [f"{pathlib.Path(m.get('url', '')).name}: {m['message']}" for m in messages]


def main():
    checker = ["java", "-Xss2m", "-jar", sys.argv[1]]
    page, pictures = pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    # So that the browser and its profile go, too.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    bad = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser("chromium", profile)
        try:
            for width, mode in SIZES:
                found = look(browser, page, width, mode, pictures)
                print(f"{width} px, {mode}: " + ("well" if not found else f"{len(found)} findings"))
                for sentence in found:
                    print(f"  {sentence}")
                bad += len(found)
        finally:
            browser.close()
    charts = sorted((page.parent / "charts").glob("*.svg"))
    for name, files in [("page", [page]), ("pictures", charts)]:
        if not files:
            continue
        found = validate(checker, files)
        print(f"{name}: " + (f"{len(files)} valid" if not found else f"{len(found)} messages"))
        for sentence in found:
            print(f"  {sentence}")
        bad += len(found)
    print(f"pictures to look at: {pictures}", flush=True)
    sys.exit(1 if bad else 0)


try:
    main()
except OSError as error:
    # What is still in the buffer of standard output cannot be written, either.
    print(f"scripts/check-page: {error}; free some space, or send the output elsewhere", file=sys.stderr, flush=True)
    os._exit(74)
