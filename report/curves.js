// ---- Any other curves: phase curves, diagrams of studies, maps. Drag zooms both axes. Curves whose points are records of the main table
// show the span of the linked charts, and the record under the pointer.

const isOfRecords = (curve, values) => linked.axis !== null && values.x.length === linked.axis.length;

// value -> pixel of the canvas; quick where the axis is linear.
function placer(u, key) {
  const { min, max, distr } = u.scales[key];
  if (distr === 3) return (v) => u.valToPos(v, key, true);
  const a = u.valToPos(min, key, true), slope = (u.valToPos(max, key, true) - a) / (max - min);
  return (v) => a + (v - min) * slope;
}

function clip(u, draw) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, placer(u, "x"), placer(u, "y"), devicePixelRatio);
  ctx.restore();
}

// A line from record `first` to `last`; steps of less than half a pixel are left out.
function strokeLine(ctx, px, py, x, y, first, last) {
  let lifted = true, lx = 0, ly = 0;
  ctx.beginPath();
  for (let i = first; i <= last; i++) {
    const a = px(x[i]), b = py(y[i]);
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      lifted = true;
      continue;
    }
    if (lifted) ctx.moveTo(a, b);
    else if (Math.abs(a - lx) + Math.abs(b - ly) < 0.5 && i < last) continue;
    else ctx.lineTo(a, b);
    [lx, ly, lifted] = [a, b, false];
  }
  ctx.stroke();
}

function drawCurve(u, curve, values, colour) {
  clip(u, (ctx, px, py, scale) => {
    const { x, y } = values, n = x.length;
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1.5 * scale;
    ctx.lineJoin = "round";
    if (curve.style === "cells") {
      const w = Math.abs(px(x[0] + curve.cell[0]) - px(x[0])), h = Math.abs(py(y[0] + curve.cell[1]) - py(y[0]));
      for (let i = 0; i < n; i++) ctx.fillRect(px(x[i]) - w / 2 - 0.3, py(y[i]) - h / 2 - 0.3, w + 0.6, h + 0.6);
    } else if (curve.style === "points" || curve.style === "dots") {
      const radius = curve.style === "points" ? 2.6 : n > 20000 ? 0.8 : 1.2;
      for (let i = 0; i < n; i++) {
        if (curve.style === "dots") {
          ctx.fillRect(px(x[i]) - radius * scale / 2, py(y[i]) - radius * scale / 2, radius * scale, radius * scale);
          continue;
        }
        ctx.beginPath();
        ctx.arc(px(x[i]), py(y[i]), radius * scale, 0, 7);
        ctx.fill();
      }
    } else {
      ctx.setLineDash((dashes[curve.style] ?? []).map((d) => d * scale));
      if (!isOfRecords(curve, values)) {
        strokeLine(ctx, px, py, x, y, 0, n - 1);
        return;
      }
      const [first, last] = linked.records();
      if (first > 0 || last < n - 1) {
        ctx.globalAlpha = 0.15;
        strokeLine(ctx, px, py, x, y, 0, n - 1);
        ctx.globalAlpha = 1;
      }
      strokeLine(ctx, px, py, x, y, first, last);
    }
  });
}

// Marks the record under the pointer on its curves: elements over the canvas, so that nothing is drawn again when the pointer moves.
function recordMarks(u, curves, values) {
  const marks = curves.map((curve, k) => {
    if (!isOfRecords(curve, values[k]) || dashes[curve.style] || curve.style !== "line") return null;
    const mark = make("div", { class: "mark", style: `background:${colourOf(curve, k)}` });
    u.over.append(mark);
    return mark;
  });
  return () => marks.forEach((mark, k) => {
    if (!mark) return;
    const x = u.valToPos(values[k].x[linked.record], "x"), y = u.valToPos(values[k].y[linked.record], "y");
    const inside = linked.record >= 0 && x >= 0 && y >= 0 && x <= u.over.clientWidth && y <= u.over.clientHeight;
    mark.style.display = inside ? "block" : "none";
    mark.style.transform = `translate(${x}px, ${y}px)`;
  });
}

function drawNotes(u, notes) {
  clip(u, (ctx, px, py, scale) => {
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    for (const note of notes) {
      const a = px(note.x), b = py(note.y);
      ctx.fillStyle = "#000";
      ctx.beginPath();
      ctx.arc(a, b, 2.5 * scale, 0, 7);
      ctx.fill();
      ctx.strokeStyle = "#fff";
      ctx.lineWidth = 3 * scale;
      ctx.strokeText(note.text, a + 5 * scale, b - 5 * scale);
      ctx.fillText(note.text, a + 5 * scale, b - 5 * scale);
    }
  });
}

// A surface seen from above, z by colours.
function drawMap(u, surface, values, range) {
  clip(u, (ctx, px, py) => {
    const { rows, columns } = surface;
    for (let r = 0; r + 1 < rows; r++)
      for (let c = 0; c + 1 < columns; c++) {
        const corners = [r * columns + c, r * columns + c + 1, (r + 1) * columns + c + 1, (r + 1) * columns + c];
        const z = corners.reduce((sum, k) => sum + values.z[k], 0) / 4;
        if (!Number.isFinite(z)) continue;
        ctx.fillStyle = ctx.strokeStyle = heat((z - range[0]) / (range[1] - range[0] || 1));
        ctx.beginPath();
        corners.forEach((k, i) => (i ? ctx.lineTo(px(values.x[k]), py(values.y[k])) : ctx.moveTo(px(values.x[k]), py(values.y[k]))));
        ctx.fill();
        ctx.stroke();
      }
  });
}

// The nearest point of all curves to a place, in pixels of the page; at most 25 of them away.
function nearest(u, curves, values, left, top) {
  const px = placer(u, "x"), py = placer(u, "y"), scale = devicePixelRatio;
  const a = left * scale + u.bbox.left, b = top * scale + u.bbox.top;
  let best = { distance: (25 * scale) ** 2, curve: -1, index: -1 };
  values.forEach(({ x, y }, curve) => {
    for (let i = 0; i < x.length; i++) {
      const distance = (px(x[i]) - a) ** 2 + (py(y[i]) - b) ** 2;
      if (distance < best.distance) best = { distance, curve, index: i };
    }
  });
  return best.curve < 0 ? null : best;
}

// What differs by rounding only is one value.
const padded = (low, high) => (high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? [low - 0.04 * (high - low), high + 0.04 * (high - low)] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(low) || 1) / 2]);

// The range of the numbers of one axis over all curves, cells with their sizes.
function rangeOf(lists, log, margin) {
  let low = Infinity, high = -Infinity;
  for (const values of lists)
    for (let i = 0; i < values.length; i++)
      if (Number.isFinite(values[i]) && (!log || values[i] > 0)) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
  if (low > high) return log ? [0.1, 1] : [0, 1];
  return log ? [low / 1.2, high * 1.2] : margin ? [low - margin / 2, high + margin / 2] : padded(low, high);
}

async function addCurves(host, panel, say, height = 380) {
  const curves = panel.curves;
  const values = await Promise.all(curves.map(async (curve) => ({ x: await valuesOf(curve.x), y: await valuesOf(curve.y) })));
  const surface = panel.surface && { x: await unpack(panel.surface.x), y: await unpack(panel.surface.y), z: await unpack(panel.surface.z) };
  const all = surface ? [...values, surface] : values;
  const margin = (k) => curves.find((curve) => curve.cell)?.cell[k];
  const whole = { x: rangeOf(all.map((v) => v.x), panel.log_x, margin(0)), y: panel.y_high > panel.y_low ? [panel.y_low, panel.y_high] : rangeOf(all.map((v) => v.y), panel.log_y, margin(1)) };
  const label = (curve) => curve.label ?? curve.y_name ?? panel.y_label ?? "";
  const scale = (key, log) => ({ time: false, auto: false, range: (_, min, max) => (min < max ? [min, max] : whole[key]), distr: log ? 3 : 1 });
  const showAll = (u) => u.batch(() => ["x", "y"].forEach((key) => u.setScale(key, { min: whole[key][0], max: whole[key][1] })));
  const ticks = (words) => (words ? { values: (_, splits) => splits.map((v) => words[v] ?? "") } : {});
  const zRange = surface && rangeOf([surface.z]);
  const readout = make("p", { class: "readout", "aria-live": "off" }, " ");
  const hidden = new Set();
  const u = new uPlot({
    mode: 2, width: Math.max(280, host.clientWidth), height,
    scales: { x: scale("x", panel.log_x), y: scale("y", panel.log_y) },
    axes: [{ ...axisStyle, label: panel.x_label, size: 36, labelSize: 20, labelGap: 0, ...ticks(panel.x_words) }, { ...upAxis(panel.y_label, height), ...ticks(panel.y_words) }],
    series: [null, ...curves.map((curve, k) => ({ label: label(curve), stroke: colourOf(curve, k), facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }], paths: () => null }))],
    cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false }, bind: { dblclick: (own) => () => showAll(own) } },
    legend: { show: false },
    hooks: {
      draw: [(own) => {
        if (surface && panel.map) drawMap(own, panel.surface, surface, zRange);
        curves.forEach((curve, k) => hidden.has(k) || drawCurve(own, curve, values[k], colourOf(curve, k)));
        drawNotes(own, panel.notes);
      }],
      setCursor: [(own) => {
        const found = own.cursor.left < 0 ? null : nearest(own, curves, values, own.cursor.left, own.cursor.top);
        const at = own.cursor.left < 0 ? null : [own.posToVal(own.cursor.left, "x"), own.posToVal(own.cursor.top, "y")];
        if (found) {
          const { x, y } = values[found.curve], i = found.index;
          const time = isOfRecords(curves[found.curve], values[found.curve]);
          readout.textContent = `${label(curves[found.curve])}: ${panel.x_label ?? "x"} = ${format(x[i])}, ${panel.y_label ?? "y"} = ${format(y[i])}${time ? `, ${main.columns[0].name} = ${format(linked.axis[i])}` : ""}`;
          if (time) linked.show(i);
        } else readout.textContent = at ? `${format(Number(at[0].toPrecision(4)))}, ${format(Number(at[1].toPrecision(4)))}` : " ";
      }],
    },
    plugins: [moves(["x", "y"], showAll)],
  }, [null, ...values.map(({ x, y }) => [x, y])], host);
  showAll(u);
  keepWidth(u, host);
  host.after(readout);
  // A curve without a label belongs to the one before it that looks the same: pieces of a branch.
  const alike = (a, b) => colourOf(curves[a], a) === colourOf(curves[b], b) && curves[a].style === curves[b].style;
  const named = curves.map((_, k) => k).filter((k) => curves[k].label);
  if (named.length > 0 && curves.length > 1)
    host.after(make("div", { class: "key", role: "group", "aria-label": "Curves to show" }, ...named.map((k) => {
      const pieces = curves.map((_, other) => other).filter((other) => other === k || (!curves[other].label && alike(other, k)));
      const box = make("input", { type: "checkbox", checked: true, onchange: () => {
        pieces.forEach((piece) => (box.checked ? hidden.delete(piece) : hidden.add(piece)));
        u.redraw(false);
      } });
      return make("label", {}, box, make("span", { class: "swatch", style: `background:${colourOf(curves[k], k)}` }), label(curves[k]));
    })));
  if (values.some((v, k) => isOfRecords(curves[k], v))) {
    const place = recordMarks(u, curves, values);
    u.hooks.draw.push(place);
    linked.span.add(() => u.redraw(false));
    linked.point.add(place);
  }
  const text = curves.map((curve, k) => describe(`${label(curve)} over ${panel.x_label ?? "x"}`, values[k].y, panel.x_label ?? "x", values[k].x)).join(" ") +
    panel.notes.map((note) => ` ${note.text} at ${format(note.x)}, ${format(note.y)}.`).join("");
  say(text);
  u.root.setAttribute("aria-label", `Chart of ${panel.y_label ?? "y"} over ${panel.x_label ?? "x"}. ${text}`);
  return u;
}
