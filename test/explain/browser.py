#!/usr/bin/env python3
"""A report in a real browser: headless Chromium opens it, keys and clicks work, what a screen reader is told, screenshots.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: browser.py --report PROGRAM --images FOLDER [--tasks N] [--large] [--update] [--keep FOLDER]
  --report  hsched-report
  --images  the reference images
  --tasks   tasks of the large page, which is opened and timed (default: 100000; 0: none)
  --large   only the large page
  --update  write the reference images anew
  --keep    write the screenshots there

The record is made up here, so that no change of a policy changes a picture. Images are compared in the browser, reduced to a quarter:
fonts may differ, rectangles may not. Exit code 77: there is no Chromium.
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1000, 900
# Elements of the reduced picture: how much one may differ (of 255), and how many may differ more.
TOLERANCE, FEW = 40, 0.012


# The large page is to be ready within so many seconds. CPU time of the page's thread and of its process, which load does not change.
MOST_SECONDS = 3.0


class Failure(Exception):
    pass


def expect(truth, what):
    if not truth:
        raise Failure(what)


def made_up(tasks):
    """A record: two cores and a device whose memory holds a part of the data."""
    workers = [{"id": i, "name": n, "type": t, "model": m, "memory": i == 2}
               for i, (n, t, m) in enumerate([("CPU 0", "cpu", "cpu"), ("CPU 1", "cpu", "cpu"), ("GPU #0", "gpu", "GPU")])]
    size, blocks = 1 << 20, 8
    data, transfers, evictions, free, all_tasks, last, there = [size] * blocks, [], [], [0.0, 0.0, 0.0], [], {}, []
    for i in range(1, tasks + 1):
        worker, of = (2 if i % 3 else i // 3 % 2), i * 5 % blocks
        kind = ("blur", "sobel", "thin")[i % 3]
        submitted = (i - 1) * 2.0
        begin = max(free[worker], submitted, all_tasks[last[of] - 1]["ran"]["end_us"] if of in last else 0)
        if worker == 2 and of not in there:
            if len(there) == 5:
                evictions.append({"worker": "GPU #0", "id": 2, "at_us": begin, "bytes": size,
                                  "dropped": [{"of": there[0], "from": 0, "bytes": size}]})
                there.pop(0)
            transfers.append({"kind": "to device", "worker": "GPU #0", "id": 2, "for": i, "bytes": size, "begin_us": begin,
                              "end_us": begin + 40, "moved": [{"of": of, "from": 0, "bytes": size}]})
            there.append(of)
            begin += 40
        run = (60.0 if worker == 2 else 150.0) + i * 7 % 40
        candidates = [{"worker": workers[w]["name"], "id": w, "version": kind + ("_cl" if w == 2 else ""), "run_us": r, "runs": 3,
                       "transfer_us": 0, "wait_us": 10.0 * w} for w, r in ((worker, run), (2 if worker < 2 else 0, 90.0))]
        all_tasks.append({"id": i, "task": kind, "label": f"{kind} {i}", "bytes": size, "submitted_us": submitted,
                          "after": [last[of]] if of in last else [],
                          "sections": [{"of": of, "mode": "in" if i % 4 else "inout", "from": 0, "bytes": size}],
                          "choices": [{"at_us": submitted, "worker": workers[worker]["name"], "id": worker,
                                       "version": candidates[0]["version"], "why": "it is predicted to end first there",
                                       "candidates": candidates}],
                          "ran": {"worker": workers[worker]["name"], "id": worker, "version": candidates[0]["version"],
                                  "begin_us": begin, "end_us": begin + run, "outcome": "done"}})
        free[worker] = begin + run
        if i % 4 == 0:
            last[of] = i
            there = [t for t in there if t != of or worker == 2]
    return {"format": "hsched-record", "version": 1, "policy": "made-up", "workers": workers, "data": data, "tasks": all_tasks,
            "transfers": transfers, "evictions": evictions, "waits": []}


class Browser:
    """Chromium, spoken to over its debugging pipe: JSON, ended by zero bytes."""

    def __init__(self, program, folder):
        to, self.to = os.pipe()
        self.back, back = os.pipe()
        # The pipe is file 3 and 4 of the browser.
        command = ('exec 3<&{0} 4>&{1}; exec "$0" "$@"').format(to, back)
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--force-renderer-accessibility", "--hide-scrollbars", "--force-color-profile=srgb", "--disable-extensions",
             "--disable-background-networking", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(to, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})
        os.close(to)
        os.close(back)
        self.buffer, self.count, self.session, self.events = b"", 0, None, []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self("Page.enable")
        self("Runtime.enable")
        self("Log.enable")
        self("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def __call__(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                more = os.read(self.back, 1 << 20)
                if not more:
                    raise Failure(f"Chromium ended at {method}")
                self.buffer += more
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def value(self, expression):
        done = self("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise Failure(f"{expression[:80]}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def open(self, path):
        """How long it took until the page was ready, in milliseconds of the page's own clock."""
        self.events.clear()
        self("Page.navigate", url=path.as_uri())
        while not self.value(f"document.URL === {json.dumps(path.as_uri())} && document.readyState === 'complete' && document.documentElement.dataset.ready === '1'"):
            if self.process.poll() is not None:
                raise Failure("Chromium ended")
        for event in self.events:
            expect(event.get("method") not in ("Runtime.exceptionThrown", "Log.entryAdded"), f"the page says {event}")
        return int(self.value("document.documentElement.dataset.milliseconds"))

    def cpu(self):
        """CPU time in seconds: of the page's main thread since Performance.enable, and of its process since it began."""
        found = {m["name"]: m["value"] for m in self("Performance.getMetrics")["metrics"]}
        return found["TaskDuration"], found["ProcessTime"]

    def key(self, name, code=None):
        text = {"text": name} if len(name) == 1 else {}
        self("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code or 0, **text)
        self("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code or 0)

    def frame(self):
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def picture(self, selector, scale=1):
        """The element as PNG, in base 64."""
        self.frame()
        box = self.value(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                         f" return {{ x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, scale: {scale} }}; }})()")
        return self("Page.captureScreenshot", format="png", clip=box, captureBeyondViewport=True)["data"]

    def close(self):
        try:
            self("Browser.close")
        except (Failure, OSError):
            pass
        for end in (self.to, self.back):
            os.close(end)
        self.process.wait(timeout=30)


COMPARE = """(async () => {
  const load = async (data) => { const i = new Image(); i.src = "data:image/png;base64," + data; await i.decode(); return i; };
  const [a, b] = [await load(%s), await load(%s)];
  if (a.width !== b.width || a.height !== b.height) return { size: [a.width, a.height, b.width, b.height] };
  const small = (i) => {
    const c = document.createElement("canvas");
    [c.width, c.height] = [Math.ceil(i.width / 4), Math.ceil(i.height / 4)];
    const pen = c.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(i, 0, 0, c.width, c.height);
    return pen.getImageData(0, 0, c.width, c.height).data;
  };
  const x = small(a), y = small(b);
  let off = 0, most = 0;
  for (let i = 0; i < x.length; i += 4) {
    const d = Math.max(...[0, 1, 2].map((k) => Math.abs(x[i + k] - y[i + k])));
    most = Math.max(most, d);
    off += d > %d;
  }
  return { off: off / (x.length / 4), most };
})()"""


FONT = """(() => {
  const pen = document.createElement("canvas").getContext("2d");
  const width = (font) => { pen.font = "20px " + font; return pen.measureText("The run took 3.14 ms, WQgil.").width; };
  return width("sans-serif") === width("'DejaVu Sans', monospace") && width("sans-serif") === width(getComputedStyle(document.body).fontFamily);
})()"""


class Pictures:
    def __init__(self, browser, options):
        self.browser, self.options, self.taken = browser, options, {}

    def differ(self, one, other):
        found = self.browser.value(COMPARE % (json.dumps(one), json.dumps(other), TOLERANCE))
        return found, "size" in found or found["off"] > FEW

    def take(self, name, selector="#chart", scale=1):
        got = self.taken[name] = self.browser.picture(selector, scale)
        reference = self.options.images / f"{name}.png"
        if self.options.keep:
            self.options.keep.mkdir(parents=True, exist_ok=True)
            (self.options.keep / f"{name}.png").write_bytes(base64.b64decode(got))
        if self.options.update:
            reference.write_bytes(base64.b64decode(got))
        found, wrong = self.differ(got, base64.b64encode(reference.read_bytes()).decode())
        expect(not wrong, f"{name} is not as {reference}: {found}")
        print(f"{name}: {found}")


def small_page(browser, page, options):
    browser.open(page)
    pictures = Pictures(browser, options)
    pictures.take("all")
    # The whole page. Its height depends on the font: DejaVu, which Debian's Chromium brings along.
    if browser.value(FONT):
        pictures.take("page", "body", 0.5)
    else:
        print("page: not compared, since the font is not DejaVu Sans")
    # By keys alone: the link to the timeline, its buttons, the timeline.
    browser("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    expect(browser.value("document.activeElement.className") == "skip", "the first Tab goes to the link to the timeline")
    reached = []
    for _ in range(40):
        browser("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.value("document.activeElement.id || document.activeElement.tagName"))
        if reached[-1] == "chart":
            break
    for name in ("in", "out", "all", "colour", "number", "show", "chart"):
        expect(name in reached, f"Tab does not reach {name}: {reached}")
    said = lambda: browser.value("document.getElementById('why').textContent")
    browser.key("ArrowRight", 39)
    first = said()
    expect(first.startswith("Task ") and "ran as" in first and "Candidates" in first, f"right selects a task: {first}")
    browser.key("ArrowRight", 39)
    expect(said() != first, "right goes to the next one")
    browser.key("ArrowDown", 40)
    browser.key("ArrowDown", 40)
    expect("GPU #0" in said() and "were moved for it" in said(), f"down goes to the device: {said()}")
    # The row of transfers below it, and back by Enter to the task of one.
    task = said()
    browser.key("ArrowDown", 40)
    expect(said().startswith("Transfer to GPU #0: 1 MiB"), f"down goes to the transfers: {said()}")
    first = said()
    browser.key("ArrowRight", 39)
    expect(said().startswith("Transfer to GPU #0") and said() != first, f"right goes to the next transfer: {said()}")
    number = said().split("for task ")[1].split(" ")[0]
    browser.key("Enter", 13)
    expect(said().startswith(f"Task {number} "), f"Enter goes to task {number}: {said()}")
    browser.value(f"(() => {{ document.getElementById('number').value = {task.split(' ')[1]}; document.getElementById('show').click(); }})()")
    shown = lambda: browser.value("document.getElementById('shown').textContent")
    expect(shown().startswith("All "), f"all is shown: {shown()}")
    for _ in range(2):
        browser.key("+")
    expect(shown().startswith("From "), f"a part is shown: {shown()}")
    pictures.take("zoomed")
    browser.key("0")
    for mode in ("regret", "path"):
        browser.value(f"(() => {{ const s = document.getElementById('colour'); s.value = '{mode}';"
                      " s.dispatchEvent(new Event('change')); })()")
        pictures.take(mode)
    browser("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.value("window.dispatchEvent(new Event('resize'))")
    pictures.take("dark")
    browser("Emulation.setEmulatedMedia", features=[])
    # The comparison finds what it is to find.
    for one, other in (("all", "zoomed"), ("all", "path"), ("path", "dark")):
        expect(pictures.differ(pictures.taken[one], pictures.taken[other])[1], f"{one} and {other} count as alike")
    # A link of a table shows its task, and gives the timeline the keys.
    number = browser.value("(() => { const b = document.querySelector('button.task'); b.click(); return b.dataset.task; })()")
    expect(said().startswith(f"Task {number} "), "a table's task is shown")
    expect(browser.value("document.activeElement.id") == "chart", "the timeline has the keys")


def screen_reader(browser):
    """Everything that takes keys has a name and a role; tables have headings; what is selected is announced."""
    nodes = browser("Accessibility.getFullAXTree")["nodes"]
    of = lambda node, what: node.get(what, {}).get("value", "")
    for node in nodes:
        if node.get("ignored"):
            continue
        focusable = any(p["name"] == "focusable" and p["value"].get("value") for p in node.get("properties", []))
        if focusable and of(node, "role") not in ("RootWebArea", "option", "MenuListOption"):
            expect(of(node, "name"), f"no name: {of(node, 'role')} {node.get('properties')}")
    roles = [of(n, "role") for n in nodes if not n.get("ignored")]
    for role, least in (("heading", 8), ("table", 8), ("columnheader", 40), ("rowheader", 20), ("application", 1), ("status", 2),
                        ("main", 1), ("link", 1)):
        expect(roles.count(role) >= least, f"{roles.count(role)} of role {role}")
    headings = browser.value("[...document.querySelectorAll('h1,h2,h3')].map((h) => Number(h.tagName[1]))")
    expect(headings[0] == 1 and all(b - a <= 1 for a, b in zip(headings, headings[1:])), f"levels of headings {headings}")
    # Text against its background, as WCAG 2 asks: 4.5 to 1, in both schemes.
    for scheme in ("light", "dark"):
        browser("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        least = browser.value("""(() => {
          const parse = (c) => c.match(/[\\d.]+/g).map(Number);
          const light = (c) => { const [r, g, b] = parse(c).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const back = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (parse(c)[3] !== 0) return c; } return "rgb(255,255,255)"; };
          let least = 21;
          for (const e of document.querySelectorAll("h1,h2,p,li,td,th,button,select,input,label")) {
            const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x);
            least = Math.min(least, (a + 0.05) / (b + 0.05));
          }
          return least; })()""")
        expect(least >= 4.5, f"{scheme}: contrast {least:.2f}")
        print(f"{scheme}: contrast {least:.1f}")
    browser("Emulation.setEmulatedMedia", features=[])


def report(options, folder, tasks, *more):
    name = folder / f"run{tasks}.json"
    name.write_text(json.dumps(made_up(tasks)))
    begin = time.monotonic()
    done = subprocess.run([str(options.report), str(name), *more], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stderr)
    return name.with_suffix(".html"), (time.monotonic() - begin) * 1e3


def large_page(browser, options, folder):
    """Ready in time, drawn whole, and its last task can be selected."""
    page, wrote = report(options, folder, options.tasks)
    browser("Performance.enable", timeDomain="threadTicks")
    before = browser.cpu()
    ready = browser.open(page)
    browser.frame()
    thread, process = (now - then for now, then in zip(browser.cpu(), before))
    browser("Performance.disable")
    print(f"{options.tasks} tasks: written in {wrote:.0f} ms, {page.stat().st_size / 1e6:.1f} MB, ready {ready} ms after its load began; "
          f"CPU time of its thread {thread:.2f} s, of its process {process:.2f} s")
    expect(browser.value("JSON.parse(document.getElementById('data').textContent).tasks.length") == options.tasks, "all tasks are there")
    browser.value(f"(() => {{ document.getElementById('number').value = {options.tasks}; document.getElementById('show').click(); }})()")
    expect(browser.value("document.getElementById('why').textContent").startswith(f"Task {options.tasks} "), "the last task is shown")
    expect(0 < thread < MOST_SECONDS, f"{options.tasks} tasks took {thread:.2f} s of CPU time, {MOST_SECONDS} s are allowed")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--report", type=pathlib.Path, required=True)
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--tasks", type=int, default=100000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    program = next((found for found in map(shutil.which, PROGRAMS) if found), None)
    if not program:
        print(f"skipped: none of {', '.join(PROGRAMS)} was found")
        return 77
    with tempfile.TemporaryDirectory(prefix="hsched-browser-", ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        browser = Browser(program, folder / "profile")
        try:
            if not options.large:
                page, _ = report(options, folder, 60)
                small_page(browser, page, options)
                screen_reader(browser)
            if options.tasks:
                large_page(browser, options, folder)
        except Failure as failed:
            print(f"browser.py: {failed}", file=sys.stderr)
            return 1
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
