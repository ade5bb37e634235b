// ---- Charts over the records of the main table (over time, of a run): they share the span that is seen and the record under the
// pointer, also with phase curves and bodies in motion.

const linked = {
  axis: null, // the numbers of the first column
  min: 0, max: 1,
  record: -1, // under the pointer
  span: new Set(), // called with (min, max) when the span changes
  point: new Set(), // called with the record
  busy: false,

  set(min, max) {
    if (this.busy || !(min < max) || (min === this.min && max === this.max)) return;
    this.busy = true;
    [this.min, this.max] = [min, max];
    this.span.forEach((tell) => tell(min, max));
    this.busy = false;
  },
  all() {
    const n = this.axis.length;
    this.set(this.axis[0], this.axis[n - 1]);
  },
  show(record) {
    if (record === this.record) return;
    this.record = record;
    this.point.forEach((tell) => tell(record));
  },
  // The records within the span, the one before and the one behind included.
  records() {
    return [Math.max(0, this.find(this.min) - 1), Math.min(this.axis.length - 1, this.find(this.max) + 1)];
  },
  // The first record at or behind a value.
  find(value) {
    let low = 0, high = this.axis.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.axis[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  },
};

const nameOf = (column) => column.name + (column.unit ? ` ${column.unit}` : "");
const isRising = (values) => {
  for (let i = 1; i < values.length; i++) if (!(values[i] >= values[i - 1])) return false;
  return values.length > 1 && values[0] < values[values.length - 1];
};
const isLinked = (panel) => linked.axis && !panel.surface && panel.curves.length > 0 &&
  panel.curves.every((curve) => curve.x.column === 0 && !["cells", "points", "dots"].includes(curve.style));

// What all of them have; `series` and `data` without the axis.
function linkedChart(host, height, yAxis, series, data, more) {
  const axis = main.columns[0];
  const u = new uPlot({
    width: Math.max(300, host.clientWidth), height,
    scales: { x: { time: false, auto: false, range: (_, min, max) => [min, max] }, y: more?.scale ?? {} },
    axes: [{ ...axisStyle, label: more?.last ? nameOf(axis) : undefined, size: 30, labelSize: 20, labelGap: 0 }, { ...upAxis(yAxis.label, height), ...yAxis }],
    series: [{ label: axis.name, value: (_, v) => format(v) }, ...series],
    cursor: { sync: { key: "records", setSeries: false }, drag: { x: true, y: false }, points: { size: 6 }, bind: { dblclick: () => () => linked.all() } },
    legend: { show: more?.legend ?? true, live: true },
    hooks: {
      setScale: [(own, key) => key === "x" && linked.set(own.scales.x.min, own.scales.x.max)],
      setCursor: [(own) => own.cursor.idx !== null && own.cursor.event && linked.show(own.cursor.idx)],
      ...more?.hooks,
    },
    plugins: [moves(["x"], () => linked.all())],
  }, [linked.axis, ...data], host);
  u.setScale("x", { min: linked.min, max: linked.max });
  linked.span.add((min, max) => (u.scales.x.min !== min || u.scales.x.max !== max) && u.setScale("x", { min, max }));
  keepWidth(u, host);
  return u;
}

const dashes = { dashed: [8, 5], dashdot: [10, 4, 2, 4] };

// A panel of curves over the records.
async function addLinkedPanel(host, panel, say, last = true) {
  const values = await Promise.all(panel.curves.map((curve) => valuesOf(curve.y)));
  const label = (curve) => curve.label ?? curve.y_name ?? panel.y_label ?? "";
  const u = linkedChart(host, last ? 220 : 200, { label: panel.y_label },
    panel.curves.map((curve, k) => ({
      label: label(curve), stroke: colourOf(curve, k), width: 1.6, dash: dashes[curve.style], points: { show: false }, value: (_, v) => format(v),
    })),
    values.map((v) => withGaps(v, panel.log_y)),
    { last, scale: panel.log_y ? { distr: 3 } : panel.y_high > panel.y_low ? { range: [panel.y_low, panel.y_high] } : {} });
  const text = panel.curves.map((curve, k) => describe(label(curve), values[k], main.columns[0].name, linked.axis)).join(" ");
  say(text);
  u.root.setAttribute("aria-label", `Chart of ${panel.y_label ?? ""} over ${main.columns[0].name}. ${text}`);
  return u;
}

// The span in numbers, and buttons for those without a mouse.
function spanControls() {
  const name = main.columns[0].name;
  const box = (label) => make("input", { type: "number", step: "any", "aria-label": `${label} of the span of ${name}`, onchange: take });
  const from = box("start"), to = box("end");
  function take() {
    linked.set(Number(from.value), Number(to.value));
  }
  function tell(min, max) {
    from.value = Number(min.toPrecision(9));
    to.value = Number(max.toPrecision(9));
  }
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const zoom = (factor) => {
    const middle = (linked.min + linked.max) / 2, half = ((linked.max - linked.min) / 2) * factor;
    linked.set(middle - half, middle + half);
  };
  const shift = (part) => linked.set(linked.min + part * (linked.max - linked.min), linked.max + part * (linked.max - linked.min));
  linked.span.add(tell);
  tell(linked.min, linked.max);
  return make("div", { class: "controls", role: "group", "aria-label": `Span of ${name} that all charts show` },
    make("span", {}, `${name} from `), from, make("span", {}, " to "), to,
    button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)),
    button("◀", "Back", () => shift(-0.5)), button("▶", "Forward", () => shift(0.5)), button("All", "Show all records", () => linked.all()),
    make("span", { class: "hint" }, "Drag: zoom. Shift and drag: pan. Ctrl and wheel: zoom. Double click: all."));
}
