// ---- What all charts have in common: colours, numbers as text, elements, and the frame around a chart.

const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#7b3294", "#444444"];
const colourOf = (curve, place) => palette[((curve.color || place + 1) - 1) % palette.length];

// Seven digits, without an exponent where one can do without.
function format(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e7 || size < 1e-4 ? value.toExponential(6).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(value.toPrecision(7)));
  return text.replace(/-/g, "−");
}

// Numbers at an axis: as many digits as their distance needs.
function formatAxis(u, splits) {
  const largest = Math.max(...splits.map((s) => Math.abs(s ?? 0)));
  const distance = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0)) || 1;
  let digits = 0;
  while (digits < 12 && Math.abs(Math.round(distance * 10 ** digits) - distance * 10 ** digits) > 1e-6 * distance * 10 ** digits) digits++;
  const exponent = largest >= 1e6 || (largest > 0 && largest < 1e-3);
  return splits.map((s) => s === null ? "" : s === 0 ? "0"
    : (exponent ? Number(s.toPrecision(6)).toExponential().replace("e+", "e") : s.toFixed(digits)).replace(/-/g, "−"));
}

// make("p", {class: "x"}, "text", child, ...)
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A chart is made when it comes near the part of the page that is seen, and before the page is printed.
const waiting = new Map();
const nearby = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && wake(entry.target)), { rootMargin: "400px" });
function wake(host) {
  const begin = waiting.get(host);
  waiting.delete(host);
  nearby.unobserve(host);
  return begin ? begin().catch(fail) : Promise.resolve();
}
function whenNear(host, begin) {
  waiting.set(host, begin);
  nearby.observe(host);
}
window.addEventListener("beforeprint", () => [...waiting.keys()].forEach(wake));

// Errors are shown where everyone sees them.
function fail(error) {
  document.getElementById("head").after(make("p", { class: "error", role: "alert" }, "The page could not be shown: " + error.message));
  console.error(error);
}
window.addEventListener("error", (event) => fail(event.error ?? new Error(event.message)));

// The lowest and the highest of the numbers that are finite, and where.
function extremes(values) {
  let low = -1, high = -1;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    if (low < 0 || values[i] < values[low]) low = i;
    if (high < 0 || values[i] > values[high]) high = i;
  }
  return { low, high };
}

// A curve in words, for those who cannot see it.
function describe(name, values, axisName, axis) {
  const { low, high } = extremes(values);
  if (low < 0) return `${name}: no numbers.`;
  const at = axis ? (i) => ` at ${axisName} = ${format(axis[i])}` : () => "";
  return `${name}: ${values.length} values, lowest ${format(values[low])}${at(low)}, highest ${format(values[high])}${at(high)}.`;
}

// The frame of a chart: heading where there is one, place for the canvas, text for screen readers.
function frame(title, height, heading) {
  const host = make("div", { class: "chart", style: `min-height:${height}px` });
  const words = make("figcaption", { class: "aloud" });
  const figure = make("figure", { role: "group", "aria-label": title }, heading ? make("p", { class: "chart-title", "aria-hidden": true }, heading) : null, host, words);
  return { figure, host, say: (text) => (words.textContent = text) };
}

// A chart takes the width that it has.
function keepWidth(u, host) {
  new ResizeObserver(() => {
    const width = host.clientWidth;
    if (width > 0 && width !== u.width) u.setSize({ width, height: u.height });
  }).observe(host);
}

const axisStyle = { stroke: "#333", font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif", grid: { stroke: "#e6e6e6", width: 1 }, ticks: { stroke: "#bbb", width: 1, size: 5 }, values: formatAxis };

// The axis that goes up; its label is no longer than the chart is high.
const upAxis = (label, height) =>
  ({ ...axisStyle, label, labelFont: `${Math.min(13, (2 * (height - 30)) / (label ?? "").length)}px system-ui, sans-serif`, size: 78, labelSize: 22, labelGap: 2 });

// Zoom and pan beside what uPlot has (drag a span, double click for all): Ctrl and wheel zoom about the pointer, Shift and drag or the
// middle button pan, of a chart that has the focus also + - 0 and the arrow keys. `axes` are the scales that move; `all` shows all.
function moves(axes, all) {
  const spanOf = (u, key) => [u.scales[key].min, u.scales[key].max];
  const set = (u, key, min, max) => min < max && u.setScale(key, { min, max });
  const zoom = (u, factor, at) => u.batch(() => axes.forEach((key) => {
    const [min, max] = spanOf(u, key), centre = at?.[key] ?? (min + max) / 2;
    set(u, key, centre - (centre - min) * factor, centre + (max - centre) * factor);
  }));
  const shift = (u, parts) => u.batch(() => axes.forEach((key) => {
    const [min, max] = spanOf(u, key), by = (parts[key] ?? 0) * (max - min);
    if (by) set(u, key, min + by, max + by);
  }));
  function ready(u) {
    const over = u.over;
    const place = (event) => {
      const box = over.getBoundingClientRect();
      return { x: u.posToVal(event.clientX - box.left, "x"), y: u.posToVal(event.clientY - box.top, "y") };
    };
    over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(u, event.deltaY < 0 ? 0.75 : 1 / 0.75, place(event));
    }, { passive: false });
    over.addEventListener("mousedown", (event) => {
      if (!event.shiftKey && event.button !== 1) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      let last = [event.clientX, event.clientY];
      const drag = (now) => {
        shift(u, { x: (last[0] - now.clientX) / over.clientWidth, y: (now.clientY - last[1]) / over.clientHeight });
        last = [now.clientX, now.clientY];
      };
      const stop = () => {
        document.removeEventListener("mousemove", drag);
        document.removeEventListener("mouseup", stop);
      };
      document.addEventListener("mousemove", drag);
      document.addEventListener("mouseup", stop);
    }, true);
    u.root.tabIndex = 0;
    u.root.setAttribute("role", "img");
    u.root.addEventListener("keydown", (event) => {
      const keys = { "+": () => zoom(u, 0.75), "=": () => zoom(u, 0.75), "-": () => zoom(u, 1 / 0.75), 0: () => all(u),
        ArrowLeft: () => shift(u, { x: -0.1 }), ArrowRight: () => shift(u, { x: 0.1 }), ArrowUp: () => shift(u, { y: 0.1 }), ArrowDown: () => shift(u, { y: -0.1 }) };
      const act = keys[event.key];
      if (!act || (event.key.startsWith("ArrowU") || event.key.startsWith("ArrowD")) && !axes.includes("y")) return;
      event.preventDefault();
      act();
    });
  }
  return { hooks: { ready } };
}

// uPlot takes what is no number as a gap only where it is null.
function withGaps(values, positive) {
  const bad = (v) => !Number.isFinite(v) || (positive && v <= 0);
  return values.some(bad) ? Array.from(values, (v) => (bad(v) ? null : v)) : values;
}
