// ---- Words over the records, such as the modes of contacts: a band of colours for each.

const bandColours = { open: "#e3e3e3", stick: "#e69f00", "slip+": "#56b4e9", "slip-": "#009e73", slip: "#0072b2", closed: "#a0622d" };
const bandColour = (words, k) => bandColours[words[k]] ?? palette[k % palette.length];

// Spans of records with the same word: [first, last, word].
function spansOf(values) {
  const spans = [];
  for (let i = 0, from = 0; i < values.length; i++)
    if (i + 1 === values.length || values[i + 1] !== values[from]) {
      spans.push([from, i, values[from]]);
      from = i + 1;
    }
  return spans;
}

// Of many contacts the bands are thin and touch each other, and one in so many has its name.
const bandHeight = (n) => (n <= 10 ? 26 : Math.max(7, 300 / n));
const bandNames = (n) => Math.ceil(14 / bandHeight(n));

function drawBands(u, columns, spans) {
  const { ctx, bbox } = u, scale = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const [first, last] = linked.records(), gap = columns.length <= 10 ? 0.1 : 0.02, words = columns.length <= 20;
  spans.forEach((list, row) => {
    const top = u.valToPos(columns.length - row - gap, "y", true), high = u.valToPos(columns.length - row - 1 + gap, "y", true) - top;
    for (const [from, to, word] of list) {
      if (to < first || from > last) continue;
      const left = u.valToPos(linked.axis[from], "x", true);
      const right = u.valToPos(linked.axis[Math.min(to + 1, linked.axis.length - 1)], "x", true);
      ctx.fillStyle = bandColour(columns[row].words, word);
      ctx.fillRect(left, top, Math.max(right - left, 0.7), high);
      const text = columns[row].words[word], a = Math.max(left, bbox.left), b = Math.min(right, bbox.left + bbox.width);
      if (words && b - a > ctx.measureText(text).width + 8 * scale) {
        ctx.fillStyle = "#000";
        ctx.fillText(text, a + 4 * scale, top + high / 2);
      }
    }
  });
  ctx.restore();
}

async function addBands(host, columns, say) {
  const values = await Promise.all(columns.map(unpack));
  const spans = values.map(spansOf), n = columns.length;
  const short = columns.map((column) => column.name.replace(/\.mode$/, ""));
  const shown = columns.map((_, k) => k).filter((k) => k % bandNames(n) === 0);
  const u = linkedChart(host, 58 + bandHeight(n) * n, {
    label: " ", splits: () => shown.map((k) => n - k - 0.5), values: () => shown.map((k) => short[k]), grid: { show: false }, ticks: { show: false },
  },
    columns.map((column) => ({ label: column.name, stroke: "#555", paths: () => null, points: { show: false }, value: (_, v) => (v === null || v === undefined ? "–" : column.words[v] ?? "–") })),
    values, { last: true, legend: n <= 20, scale: { auto: false, range: [0, n] }, hooks: { draw: [(own) => drawBands(own, columns, spans)] } });
  const seen = [...new Set(columns.flatMap((column) => column.words.map((_, k) => [column, k])).filter(([column, k]) =>
    spans[columns.indexOf(column)].some((span) => span[2] === k)).map(([column, k]) => `${column.words[k]}\n${bandColour(column.words, k)}`))];
  host.after(make("ul", { class: "key", "aria-label": "Colours of the bands" }, ...seen.map((entry) => {
    const [word, colour] = entry.split("\n");
    return make("li", {}, make("span", { class: "swatch", style: `background:${colour}` }), word);
  })));
  say(columns.map((column, k) => `${column.name}: ${spans[k].length} spans, at first ${column.words[values[k][0]]}, at last ${column.words[values[k][values[k].length - 1]]}.`).join(" "));
  return u;
}
