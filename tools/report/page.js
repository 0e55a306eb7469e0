// The page: draws the timeline, follows keys and mouse. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("chart"), pen = canvas.getContext("2d");
  const rows = makeRows(data), byId = new Map(data.tasks.map((t, i) => [t[ID], i]));
  const end = Math.max(data.end, 1e-3), rowHeight = rows.length > 40 ? 14 : 22, axis = 22;
  const margin = Math.min(220, 20 + 7 * Math.max(...rows.map((r) => r.name.length), 4));
  let view = { from: 0, to: end }, selected = -1, link = -1, current = 0, mode = "type", frameRequested = false;
  const height = rows.length * rowHeight + axis;
  canvas.style.height = height + "px";
  const mostRegret = data.tasks.reduce((m, t) => Math.max(m, t[REGRET]), 0);

  const width = () => canvas.clientWidth - margin;
  const xOf = (time) => margin + (time - view.from) / (view.to - view.from) * width();
  const timeAt = (x) => view.from + (x - margin) / width() * (view.to - view.from);

  function colour(row, item) {
    if (row.kind !== "task") return data.transfers[item][6] * 2 > data.transfers[item][4] ? "#c77700" : "#8a94a3";
    const t = data.tasks[item];
    if (mode === "version") return colourOf(t[VERSION]);
    if (mode === "regret") return t[REGRET] > 0 ? `hsl(8 80% ${75 - 40 * Math.sqrt(t[REGRET] / mostRegret)}%)` : "#9db4a0";
    if (mode === "path") return t[CRITICAL] ? "#d0342c" : "#b9c0ca";
    return colourOf(t[TYPE]);
  }

  function drawRow(row, index) {
    const y = axis + index * rowHeight, high = rowHeight - 3;
    let painted = -1;
    // What began before the view may reach into it; a row's items seldom overlap.
    for (let at = Math.max(0, firstFrom(data, row, view.from) - 32); at < row.items.length; ++at) {
      const item = row.items[at], [from, to] = span(data, row, item);
      if (from > view.to) break;
      if (to < view.from) continue;
      const x = Math.max(margin, xOf(from)), right = Math.min(margin + width(), Math.max(xOf(to), x + 1));
      if (right <= painted && item !== (row.kind === "task" ? selected : link)) continue; // nothing of it would be seen
      painted = Math.max(painted, Math.ceil(x + 0.001));
      pen.fillStyle = colour(row, item);
      pen.fillRect(x, y, right - x, high);
      if (right - x > 40 && row.kind === "task") {
        pen.fillStyle = "#fff";
        pen.save();
        pen.beginPath();
        pen.rect(x, y, right - x - 2, high);
        pen.clip();
        pen.fillText(data.words[data.tasks[item][LABEL]], x + 3, y + high / 2 + 1);
        pen.restore();
      }
    }
  }

  function draw() {
    frameRequested = false;
    const scale = window.devicePixelRatio || 1, style = getComputedStyle(document.body);
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, canvas.clientWidth, height);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const step = 10 ** Math.floor(Math.log10((view.to - view.from) / 4)), every = (view.to - view.from) / step > 12 ? step * 5 : step;
    let labelled = 0; // No label covers another one, and the last one ends within the page.
    for (let time = Math.ceil(view.from / every) * every; time <= view.to; time += every) {
      pen.fillStyle = style.color;
      pen.globalAlpha = 0.15;
      pen.fillRect(xOf(time), axis - 4, 1, height);
      pen.globalAlpha = 1;
      const label = formatTime(time), long = pen.measureText(label).width, x = Math.min(xOf(time) + 2, canvas.clientWidth - long - 1);
      if (x < labelled) continue;
      pen.fillText(label, x, 9);
      labelled = x + long + 4;
    }
    rows.forEach((row, index) => {
      drawRow(row, index);
      pen.fillStyle = style.color;
      pen.save();
      pen.beginPath();
      pen.rect(0, 0, margin - 6, height);
      pen.clip();
      pen.fillText((index === current ? "\u25b8 " : "") + row.name, 4, axis + index * rowHeight + rowHeight / 2 - 1);
      pen.restore();
    });
    if (selected >= 0 || link >= 0) {
      const [from, to] = picked();
      pen.strokeStyle = style.color;
      pen.lineWidth = 2;
      const x = Math.max(margin, xOf(from)), right = Math.min(margin + width(), Math.max(xOf(to), x + 2));
      if (right > margin) pen.strokeRect(x, axis + current * rowHeight, right - x, rowHeight - 3);
    }
  }
  // Begin and end of the selected task or transfer.
  const picked = () => (selected >= 0 ? [data.tasks[selected][BEGIN], data.tasks[selected][END]] : [data.transfers[link][2], data.transfers[link][3]]);
  const redraw = () => { if (!frameRequested) { frameRequested = true; requestAnimationFrame(draw); } };

  function show(reveal) {
    const [from, to] = picked();
    if (reveal && (to < view.from || from > view.to)) { view = moved(view, end, from - (view.from + view.to) / 2); announce(); }
    redraw();
  }

  function selectTransfer(item, reveal) {
    [selected, link] = [-1, item];
    current = Math.max(0, rows.findIndex((r) => r.kind === "transfer" && r.items.includes(item)));
    const p = document.createElement("p"), why = document.getElementById("why");
    p.textContent = whatMoved(data, data.transfers[item], data.tasks[byId.get(data.transfers[item][5])]);
    why.replaceChildren(p);
    show(reveal);
  }

  function select(item, reveal) {
    [selected, link] = [item, -1];
    const t = data.tasks[item], why = document.getElementById("why");
    current = Math.max(0, rows.findIndex((r) => r.kind === "task" && r.worker === t[WORKER]));
    why.replaceChildren();
    for (const sentence of [whyHere(data, t).join(" ")]) {
      const p = document.createElement("p");
      p.textContent = sentence;
      why.append(p);
    }
    if (t[CANDIDATES].length) why.append(candidates(t));
    document.getElementById("number").value = t[ID];
    show(reveal);
  }

  function candidates(t) {
    const table = document.createElement("table"), head = table.createTHead().insertRow();
    table.createCaption().textContent = "Candidates";
    for (const text of ["candidate", "wait", "transfers", "work", "runs", "ends", "looking back"]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = text;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const c of t[CANDIDATES]) {
      const known = (time) => (time === null ? "?" : formatTime(time)), row = body.insertRow();
      const chosen = c[0] === t[WORKER] && c[1] === t[VERSION] ? " (it ran here)" : "";
      for (const text of [place(data, c) + chosen, formatTime(c[5]), formatTime(c[4]), known(c[2]), c[3],
        known(c[2] === null ? null : endOf(data, c, c[2])), known(c[6] === null ? null : endOf(data, c, c[6]))])
        row.insertCell().textContent = text;
    }
    return table;
  }

  // Of the row that has the keys: the next or former task or transfer; the one nearest to the view where none is selected there.
  function step(by) {
    const row = rows[current];
    if (!row.items.length) return;
    let at = row.items.indexOf(row.kind === "task" ? selected : link);
    at = at < 0 ? Math.min(row.items.length - 1, firstFrom(data, row, view.from)) : Math.max(0, Math.min(row.items.length - 1, at + by));
    pick(row, row.items[at]);
  }
  const pick = (row, item) => (row.kind === "task" ? select(item, true) : selectTransfer(item, true));
  function goToRow(by) {
    const filled = rows.map((r, i) => i).filter((i) => rows[i].items.length);
    if (!filled.length) return;
    const at = filled.indexOf(current);
    const time = selected >= 0 || link >= 0 ? picked()[0] : view.from;
    current = filled[Math.max(0, Math.min(filled.length - 1, at + by))];
    const row = rows[current], next = Math.min(row.items.length - 1, firstFrom(data, row, time));
    pick(row, row.items[next]);
  }
  function goToOwner() {
    const owner = link >= 0 ? byId.get(data.transfers[link][5]) : undefined;
    if (owner !== undefined) select(owner, true);
  }

  // A screen reader says it when it changes.
  const announce = () => { document.getElementById("shown").textContent = whatIsShown(view, end); };
  const changeView = (now) => { view = now; announce(); redraw(); };
  const middle = () => (selected >= 0 || link >= 0 ? Math.max(view.from, Math.min(view.to, picked()[0])) : (view.from + view.to) / 2);
  const zoom = (factor, around = middle()) => changeView(zoomed(view, end, around, factor));
  const scroll = (part) => changeView(moved(view, end, part * (view.to - view.from)));
  const showAll = () => changeView({ from: 0, to: end });
  const keys = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => goToRow(1), ArrowUp: () => goToRow(-1), Enter: goToOwner,
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": showAll, a: () => scroll(-0.25), d: () => scroll(0.25) };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { act(); event.preventDefault(); }
  });
  canvas.addEventListener("wheel", (event) => {
    zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(Math.max(margin, event.offsetX)));
    event.preventDefault();
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { x: event.offsetX, view, far: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const by = event.offsetX - drag.x;
    drag.far = drag.far || Math.abs(by) > 4;
    if (drag.far) { view = moved(drag.view, end, -by / width() * (drag.view.to - drag.view.from)); redraw(); }
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = drag;
    drag = null;
    const row = rows[Math.floor((event.offsetY - axis) / rowHeight)];
    if (was && was.far) announce();
    if (!was || was.far || !row) return;
    const item = itemAt(data, row, timeAt(event.offsetX), 4 / width() * (view.to - view.from));
    if (item < 0) return;
    if (row.kind === "task") return select(item, false);
    const owner = byId.get(data.transfers[item][5]);
    if (owner !== undefined) select(owner, false);
    else selectTransfer(item, false);
  });
  document.getElementById("in").addEventListener("click", () => zoom(0.5));
  document.getElementById("out").addEventListener("click", () => zoom(2));
  document.getElementById("all").addEventListener("click", showAll);
  document.getElementById("colour").addEventListener("change", (event) => { mode = event.target.value; legend(); redraw(); });
  const showNumber = () => {
    const item = byId.get(Number(document.getElementById("number").value));
    if (item === undefined) document.getElementById("why").textContent = "There is no such task.";
    else select(item, true);
  };
  document.getElementById("show").addEventListener("click", showNumber);
  document.getElementById("number").addEventListener("keydown", (event) => { if (event.key === "Enter") showNumber(); });
  for (const button of document.querySelectorAll("button.task"))
    button.addEventListener("click", () => {
      const item = byId.get(Number(button.dataset.task));
      if (item === undefined) return;
      select(item, true);
      document.getElementById("timeline").scrollIntoView();
      canvas.focus({ preventScroll: true });
    });

  function legend() {
    const box = document.getElementById("legend");
    box.replaceChildren();
    const which = mode === "version" ? VERSION : TYPE;
    const entries = mode === "regret" ? [["#9db4a0", "none"], ["hsl(8 80% 35%)", formatTime(mostRegret) + " of regret"]]
      : mode === "path" ? [["#d0342c", "on the critical path"], ["#b9c0ca", "not on it"]]
      : [...new Set(data.tasks.map((t) => t[which]))].slice(0, 16).map((w) => [colourOf(w), data.words[w]]);
    if (data.transfers.length) entries.push(["#8a94a3", "transfer"]);
    if (data.transfers.some((x) => x[6] * 2 > x[4])) entries.push(["#c77700", "transfer, needless"]);
    for (const [paint, text] of entries) {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = paint;
      entry.append(swatch, text);
      box.append(entry);
    }
  }
  legend();
  announce();
  window.addEventListener("resize", redraw);
  draw();
  if (typeof performance !== "undefined") document.documentElement.dataset.milliseconds = String(Math.round(performance.now()));
  document.documentElement.dataset.ready = "1";
}
