// The scripts of a report, run in a page that is made up: what is drawn, what keys and clicks do, what is said.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: node page_test.js REPORT.html
"use strict";
const assert = require("assert"), fs = require("fs"), vm = require("vm");
const html = fs.readFileSync(process.argv[2], "utf8");
const json = html.match(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/)[1];
const script = html.match(/<script>\n([\s\S]*?)<\/script>/)[1];
const data = JSON.parse(json);

// An element that remembers what it was given.
function element(tag) {
  const made = { tag, children: [], listeners: {}, style: {}, dataset: {}, value: "type", textContent: "", clientWidth: 1000,
    append(...all) { this.children.push(...all); }, replaceChildren(...all) { this.children = all; this.textContent = ""; },
    addEventListener(name, fn) { this.listeners[name] = fn; }, createTHead: () => element("thead"), createTBody() { const b = element("tbody"); this.children.push(b); return b; },
    createCaption() { return element("caption"); }, insertRow() { const r = element("tr"); this.children.push(r); return r; },
    insertCell() { const c = element("td"); this.children.push(c); return c; }, setPointerCapture() {}, focus() {}, scrollIntoView() {} };
  return made;
}
const elements = new Map(), frames = [], buttons = [element("button")];
const byId = (id) => { if (!elements.has(id)) elements.set(id, element(id)); return elements.get(id); };
byId("data").textContent = json;
const drawn = [], labels = [];
byId("chart").getContext = () => new Proxy({ fillRect: (...r) => drawn.push(r), strokeRect: (...r) => drawn.push(r),
  measureText: (text) => ({ width: 7 * text.length }), fillText: (text, x, y) => { if (y === 9) labels.push([text, x, x + 7 * text.length]); } },
  { get: (o, k) => (k in o ? o[k] : () => {}), set: () => true });
buttons[0].dataset.task = String(data.tasks[1][0]);
const page = { JSON, Map, Math, Set, Number, String, Object,
  document: { getElementById: byId, createElement: element, body: {}, documentElement: element("html"), querySelectorAll: () => buttons },
  getComputedStyle: () => ({ color: "#000" }), requestAnimationFrame: (fn) => frames.push(fn), module: { exports: {} } };
page.window = { devicePixelRatio: 1, addEventListener() {} };
vm.createContext(page);
vm.runInContext(script, page);
const frame = () => { while (frames.length) frames.shift()(); };
const chart = byId("chart"), why = byId("why");
const said = () => why.children.filter((c) => c.tag === "p").map((c) => c.textContent).join(" ");
const key = (name) => { let stopped = false; chart.listeners.keydown({ key: name, preventDefault: () => { stopped = true; } }); frame(); return stopped; };

// Labels of the time axis: several, within the page, none over another one. At each zoom.
for (let times = 0; times < 8; ++times) {
  labels.length = 0;
  key(times ? "+" : "0");
  assert(labels.length >= 2, `labels of the axis: ${JSON.stringify(labels)} after ${times} steps`);
  labels.forEach(([text, from, to], i) => assert(from >= (i ? labels[i - 1][2] : 0) && to <= 1000, `label ${text} from ${from} to ${to}`));
}
key("0");

// Pure parts.
const { formatTime, formatBytes, makeRows, firstFrom, itemAt, zoomed, moved, whyHere, whatMoved, whatIsShown } = page.module.exports;
assert.deepStrictEqual([0.5, 12.3456, 1234.5, 2.5e6].map(formatTime), ["500 ns", "12.3 us", "1.23 ms", "2.5 s"]);
assert.strictEqual(formatBytes(3 * 1024 * 1024), "3 MiB");
const small = { words: ["", "f", "f_cl", "it ends first there", "evicted before"], workers: [["CPU 0", 0], ["GPU #0", 1]],
  tasks: [[1, 1, 1, 0, 1, 10, 20, 0, 8, 0, 4, 1, 1, 3, [[0, 1, null, 0, 0, 0, 10], [1, 2, 3, 3, 2, 1, 4]], []],
    [2, 1, 1, 0, 1, 30, 40, 0, 8, 0, 0, 0, 0, 0, [], [1]], [3, 1, 1, 1, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, [], []]],
  transfers: [[1, 0, 5, 9, 64, 1, 32, 4]], end: 40 };
const rows = makeRows(small);
assert.deepStrictEqual(Array.from(rows, (r) => r.name), ["CPU 0", "GPU #0", "GPU #0 data in"]);
assert.deepStrictEqual([0, 10, 11, 31].map((t) => firstFrom(small, rows[0], t)), [0, 0, 1, 2]);
assert.deepStrictEqual([5, 9.5, 15, 25, 40].map((t) => itemAt(small, rows[0], t, 1)), [-1, 0, 0, -1, 1]);
assert.deepStrictEqual({ ...zoomed({ from: 0, to: 40 }, 40, 10, 0.5) }, { from: 5, to: 25 });
assert.deepStrictEqual({ ...zoomed({ from: 5, to: 25 }, 40, 10, 4) }, { from: 0, to: 40 });
assert.deepStrictEqual({ ...moved({ from: 5, to: 25 }, 40, 99) }, { from: 20, to: 40 });
assert.strictEqual(whyHere(small, small.tasks[0]).join(" "), "Task 1 (f, 8 B) ran as f on CPU 0: it ends first there. It took 10 us. 64 B were moved for it, of which 32 B need not have (evicted before). " +
  "Looking back, GPU #0 as f_cl would have ended 4 us sooner: that is what measuring cost.");
assert.strictEqual(whyHere(small, small.tasks[2]).join(" "), "Task 3 (f, 8 B) did not run.");
assert.strictEqual(whatMoved(small, small.transfers[0], small.tasks[0]), "Transfer to GPU #0: 64 B, from 5 us on, took 4 us, for task 1 (f). 32 B need not have been moved (evicted before).");
assert.strictEqual(whatMoved(small, [1, 1, 5, 9, 64, 0, 0, 0], undefined), "Transfer from GPU #0: 64 B, from 5 us on, took 4 us.");
assert.strictEqual(whatIsShown({ from: 0, to: 40 }, 40), "All 40 us are shown.");
assert.strictEqual(whatIsShown({ from: 10, to: 20 }, 40), "From 10 us to 20 us of 40 us are shown.");

// The page.
assert.strictEqual(page.document.documentElement.dataset.ready, "1");
assert(drawn.length >= Math.min(20, data.tasks.length), `${drawn.length} rectangles`);
assert(drawn.every((r) => r.every(Number.isFinite)), "numbers");
assert(key("ArrowRight") && said().startsWith("Task "), said());
const first = said();
assert(key("ArrowRight") && said() !== first && key("ArrowLeft") && said() === first, "to and fro");
for (const name of ["+", "+", "d", "a", "-", "0", "ArrowDown", "ArrowUp"]) assert(key(name), name);
assert(!key("Tab") && !key("x"), "other keys are left to the browser");
// Zoom and scroll are announced.
const shown = () => byId("shown").textContent;
key("0");
assert(shown().startsWith("All "), shown());
key("+");
const near = shown();
assert(near.startsWith("From ") && key("d") && shown() !== near && key("0") && shown().startsWith("All "), shown());
// Down reaches each row that has items, those of transfers too; Enter goes from a transfer to its task.
const filled = makeRows(data).filter((r) => r.items.length), heard = new Set();
for (let i = 0; i < filled.length; ++i) key("ArrowUp");
for (let i = 0; i < filled.length; ++i) { heard.add(said().split(/[ :]/)[0]); key("ArrowDown"); }
assert(heard.has("Task") && (heard.has("Transfer") || !data.transfers.length), [...heard]);
if (data.transfers.length) {
  for (let i = 0; i < filled.length && !said().startsWith("Transfer "); ++i) key("ArrowUp");
  const here = said();
  assert(here.startsWith("Transfer ") && key("ArrowRight") && said().startsWith("Transfer ") && said() !== here && key("ArrowLeft") && said() === here, said());
  const of = here.match(/for task (\d+) /);
  if (of) assert(key("Enter") && said().startsWith(`Task ${of[1]} `), said());
}
byId("number").value = String(data.tasks.at(-1)[0]);
byId("show").listeners.click();
assert(said().startsWith(`Task ${data.tasks.at(-1)[0]} `), said());
byId("number").value = "123456789";
byId("show").listeners.click();
assert.strictEqual(why.textContent, "There is no such task.");
buttons[0].listeners.click();
assert(said().startsWith(`Task ${data.tasks[1][0]} `), said());
for (const mode of ["version", "regret", "path", "type"]) {
  byId("colour").listeners.change({ target: { value: mode } });
  frame();
  assert(byId("legend").children.length > 0, mode);
}
// A click on the first task that is drawn.
key("0");
const t = data.tasks.find((x) => x[9] === 0), row = makeRows(data).findIndex((r) => r.kind === "task" && r.worker === t[3]);
const margin = Math.min(220, 20 + 7 * Math.max(...makeRows(data).map((r) => r.name.length), 4));
const at = { offsetX: margin + (t[5] + t[6]) / 2 / data.end * (1000 - margin), offsetY: 22 + row * (makeRows(data).length > 40 ? 14 : 22) + 3, pointerId: 1 };
chart.listeners.pointerdown(at);
chart.listeners.pointerup(at);
assert(said().startsWith("Task "), said());
chart.listeners.wheel({ deltaY: -1, offsetX: 500, preventDefault() {} });
frame();
console.log(`${drawn.length} rectangles`);
