// What the timeline shows and says, without a page: rows, zoom, search, sentences. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";
const ID = 0, TYPE = 1, LABEL = 2, WORKER = 3, VERSION = 4, BEGIN = 5, END = 6, SUBMITTED = 7, BYTES = 8, OUTCOME = 9,
  REGRET = 10, EXPLORED = 11, CRITICAL = 12, WHY = 13, CANDIDATES = 14, AFTER = 15;

function formatTime(us) {
  const three = (value, unit) => Number(value.toPrecision(3)).toString() + " " + unit;
  if (us < 1) return three(us * 1e3, "ns");
  if (us < 1e3) return three(us, "us");
  if (us < 1e6) return three(us / 1e3, "ms");
  return three(us / 1e6, "s");
}

function formatBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at + 1 < units.length) { bytes /= 1024; ++at; }
  return Number(bytes.toPrecision(3)) + " " + units[at];
}

// Rows from top to bottom: each worker, below it its transfers: to its memory, then from it, if there are any. Items of a row
// are sorted by their begin: indices of tasks, or of transfers.
function makeRows(data) {
  const rows = data.workers.map(([name], worker) => ({ name, worker, kind: "task", items: [] }));
  data.tasks.forEach((t, i) => { if (t[OUTCOME] < 2 && rows[t[WORKER]]) rows[t[WORKER]].items.push(i); });
  const ways = new Map();
  data.transfers.forEach(([worker, home], i) => {
    const key = worker * 2 + home;
    if (!ways.has(key))
      ways.set(key, { name: (data.workers[worker] || ["?"])[0] + (home ? " data out" : " data in"), worker, kind: "transfer", items: [] });
    ways.get(key).items.push(i);
  });
  const all = [];
  rows.forEach((row, worker) => {
    row.items.sort((a, b) => data.tasks[a][BEGIN] - data.tasks[b][BEGIN]);
    all.push(row);
    for (const home of [0, 1]) {
      const way = ways.get(worker * 2 + home);
      if (way) {
        way.items.sort((a, b) => data.transfers[a][2] - data.transfers[b][2]);
        all.push(way);
      }
    }
  });
  return all;
}

const span = (data, row, item) =>
  row.kind === "task" ? [data.tasks[item][BEGIN], data.tasks[item][END]] : [data.transfers[item][2], data.transfers[item][3]];

// The first item of a row that begins at a time or later.
function firstFrom(data, row, time) {
  let low = 0, high = row.items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (span(data, row, row.items[middle])[0] < time) low = middle + 1; else high = middle;
  }
  return low;
}

// The item of a row at a time, give or take slack; -1: none.
function itemAt(data, row, time, slack) {
  let best = -1, distance = slack;
  for (let at = firstFrom(data, row, time + slack) - 1, tries = 0; at >= 0 && tries < 64; --at, ++tries) {
    const [begin, end] = span(data, row, row.items[at]);
    const away = time < begin ? begin - time : time > end ? time - end : 0;
    if (away <= distance) { best = row.items[at]; distance = away; if (away === 0) break; }
  }
  return best;
}

// Zooms a view {from, to} around a time; the view stays within 0 and end.
function zoomed(view, end, around, factor) {
  const width = Math.min(end, Math.max(end / 1e7, (view.to - view.from) * factor));
  return moved({ from: around - (around - view.from) / (view.to - view.from) * width, to: 0, width }, end, 0, width);
}
function moved(view, end, by, width = view.to - view.from) {
  const from = Math.max(0, Math.min(end - width, view.from + by));
  return { from, to: from + width };
}

const endOf = (data, c, run) => (data.workers[c[0]][1] ? Math.max(c[5], c[4]) : c[5] + c[4]) + run;
const place = (data, c) => data.workers[c[0]][0] + " as " + data.words[c[1]];

// What was moved for task t, and what of it was needless: a sentence, or none.
function whatTravelled(data, t) {
  if (!data.movedFor) {
    data.movedFor = new Map();
    data.transfers.forEach((x) => {
      if (!x[5]) return;
      const sum = data.movedFor.get(x[5]) || { bytes: 0, needless: 0, why: new Set() };
      sum.bytes += x[4];
      if (x[6]) { sum.needless += x[6]; sum.why.add(data.words[x[7]]); }
      data.movedFor.set(x[5], sum);
    });
  }
  const sum = data.movedFor.get(t[ID]);
  if (!sum) return [];
  return [`${formatBytes(sum.bytes)} were moved for it` +
    (sum.needless ? `, of which ${formatBytes(sum.needless)} need not have (${[...sum.why].join(", ")}).` : ".")];
}

// Why task t ran where it did: sentences.
function whyHere(data, t) {
  const word = data.words, name = `Task ${t[ID]} (${word[t[LABEL]]}, ${formatBytes(t[BYTES])})`;
  if (t[OUTCOME] === 2 || !word[t[VERSION]]) return [name + " did not run."];
  const out = [`${name} ${t[OUTCOME] === 1 ? "failed" : "ran"} as ${word[t[VERSION]]} on ${data.workers[t[WORKER]][0]}` +
    (word[t[WHY]] ? ": " + word[t[WHY]] + "." : " where it was submitted: there was no choice.")];
  const chosen = t[CANDIDATES].find((c) => c[0] === t[WORKER] && c[1] === t[VERSION]);
  out.push(`It took ${formatTime(t[END] - t[BEGIN])}` +
    (chosen && chosen[2] !== null ? `; ${formatTime(chosen[2])} had been predicted.` : "."));
  out.push(...whatTravelled(data, t));
  if (t[REGRET] > 0) {
    const back = t[CANDIDATES].filter((c) => c[6] !== null);
    const best = back.reduce((a, b) => (endOf(data, b, b[6]) < endOf(data, a, a[6]) ? b : a));
    out.push(`Looking back, ${place(data, best)} would have ended ${formatTime(t[REGRET])} sooner` +
      (t[EXPLORED] ? ": that is what measuring cost." : "."));
  } else if (chosen) {
    out.push("Looking back, no other choice would have ended sooner.");
  }
  return out;
}

// Transfer x: its way, size and time, the task that it was for, and what of it was needless. A sentence or two.
function whatMoved(data, x, task) {
  const device = (data.workers[x[0]] || ["?"])[0];
  return `Transfer ${x[1] ? "from" : "to"} ${device}: ${formatBytes(x[4])}, from ${formatTime(x[2])} on, took ${formatTime(x[3] - x[2])}` +
    (task ? `, for task ${task[ID]} (${data.words[task[LABEL]]}).` : ".") +
    (x[6] ? ` ${formatBytes(x[6])} need not have been moved (${data.words[x[7]]}).` : "");
}

// Which part of the run is shown.
const whatIsShown = (view, end) => (view.to - view.from >= end ? `All ${formatTime(end)} are shown.` :
  `From ${formatTime(view.from)} to ${formatTime(view.to)} of ${formatTime(end)} are shown.`);

// Colours that differ for neighbours: the hue goes around by the golden ratio.
const colourOf = (n) => `hsl(${Math.round((n * 137.508) % 360)} 62% ${46 + (n % 3) * 8}%)`;

if (typeof module !== "undefined")
  module.exports = { formatTime, formatBytes, makeRows, firstFrom, itemAt, zoomed, moved, whyHere, whatMoved, whatIsShown };
