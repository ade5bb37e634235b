// ---- The page: what is shown of a result, in which order.

const kinds = { run: "Run in time", orbit: "Periodic motion", gears: "Gears in motion", statics: "Static solutions", map: "Map of static solutions", cycle: "Mesh cycle", patch: "Contact areas", sweep: "Sweep",
  bifurcation: "Bifurcation diagram", branch: "Branch of periodic motions", modes: "Eigenmodes", basin: "Basins of attraction", path: "Paths of static solutions", lyapunov: "Lyapunov exponents", fit: "Parameters from measurements" };
const pageMain = document.getElementById("main");

function section(title, ...children) {
  const element = make("section", { id: slug(title), "aria-labelledby": slug(title) + "-title" }, make("h2", { id: slug(title) + "-title" }, title), ...children);
  pageMain.append(element);
  document.getElementById("contents").append(make("a", { href: "#" + slug(title) }, title));
  return element;
}

function head() {
  const title = result.title || kinds[result.kind] || result.kind;
  document.title = `${title} – Slipstick`;
  const facts = [kinds[result.kind] ?? result.kind, result.method && `method ${result.method}`, `${main.rows} record${main.rows === 1 ? "" : "s"}`, result.summary.events?.total !== undefined && `${result.summary.events.total} events`].filter(Boolean);
  document.getElementById("head").append(make("h1", {}, title), make("p", {}, facts.join(" · ")));
  if (result.summary.message) document.getElementById("head").append(make("p", { class: "error", role: "alert" }, `Ended early: ${result.summary.message}`));
  document.getElementById("foot").append(make("p", {}, `Made by slipstick ${result.version}. The page carries all its data and loads nothing.`));
}

function addPanel(parent, title, height, begin, heading) {
  const { figure, host, say } = frame(title, height, heading);
  parent.append(figure);
  whenNear(host, () => begin(host, say));
  return figure;
}

// Panels over the records, one below the other, and the bands of the contacts below them.
function timeSection() {
  const panels = figures.flatMap((figure) => figure.panels.filter(isLinked));
  const bands = linked.axis ? main.columns.filter((column) => column.words && column.name.includes(".")) : [];
  if (panels.length === 0 && bands.length === 0) return;
  const where = section(main.columns[0].name === "t" ? "Time histories" : `Over ${main.columns[0].name}`, spanControls());
  panels.forEach((panel, k) => addPanel(where, panel.y_label ?? "", 230, (host, say) => addLinkedPanel(host, panel, say, k + 1 === panels.length && bands.length === 0), panel.title));
  if (bands.length > 0) addPanel(where, "Modes of contacts", 90 + bandHeight(bands.length) * bands.length, (host, say) => addBands(host, bands, say));
}

// Curves of one record over another share a section, the figures of studies have one each.
function figureSections() {
  // of a curve that is cut at impacts the name of its series tells
  const isRecord = (curve) => curve.x.column !== undefined || curve.x.count === linked.axis.length || main.columns.some((column) => column.name === curve.x_name);
  const ofRecords = (panel) => linked.axis && !panel.surface && panel.curves.every(isRecord);
  const titleOf = (figure) => sentence(figure.title && figure.title !== result.title ? figure.title : figures.length === 1 ? kinds[result.kind] ?? figure.name : figure.name.replace(/-/g, " "));
  let shared = null;
  for (const figure of figures) {
    const panels = figure.panels.filter((panel) => !isLinked(panel));
    if (panels.length === 0) continue;
    const together = panels.every(ofRecords), many = together || panels.length > 1;
    let grid = together ? shared : null;
    if (!grid) {
      grid = make("div", { class: many ? "grid" : "" });
      section(together && ["run", "orbit", "gears"].includes(result.kind) ? "Phase curves" : titleOf(figure), grid);
      if (together) shared = grid;
    }
    for (const panel of panels) {
      const title = panel.title ?? (together ? `${panel.y_label} over ${panel.x_label}` : panel.y_label ?? "");
      if (panel.surface && !panel.map) addPanel(grid, title, 420, (host, say) => addSurface(host, panel, say), panel.title);
      else addPanel(grid, title, many ? 380 : 520, (host, say) => addCurves(host, panel, say, many ? 360 : 500), panel.title);
    }
  }
}

function bodySection() {
  if (animations.length === 0) return;
  const where = section(animations.some((animation) => animation.times.length > 1) ? "Bodies in motion" : "Bodies");
  for (const animation of animations) addPanel(where, animations.length > 1 ? animation.name : "", 420, (host, say) => addAnimation(host, animation, say));
}

// Any series over any other; at first the first two that vary.
function exploreSection() {
  if (main.columns.length < 2 || main.rows < 2) return;
  const choice = (label) => {
    const select = make("select", { id: slug(label), onchange: draw }, ...main.columns.map((column, k) => make("option", { value: k }, nameOf(column))));
    return [make("label", { for: slug(label) }, label + " "), select];
  };
  const [yLabel, y] = choice("Vertical axis"), [xLabel, x] = choice("horizontal axis"), place = make("div", { class: "explore" });
  async function choose() {
    const varies = (values) => { const { low, high } = extremes(values); return low >= 0 && values[low] < values[high]; };
    const found = [];
    for (let k = 0; k < main.columns.length && found.length < 2; k++) if (!main.columns[k].words && varies(await unpack(main.columns[k]))) found.push(k);
    [x.value, y.value] = [found[0] ?? 0, found[1] ?? 1];
    await draw();
  }
  async function draw() {
    const across = main.columns[x.value], up = main.columns[y.value];
    const panel = { x_label: nameOf(across), y_label: nameOf(up), x_words: across.words, y_words: up.words, notes: [],
      curves: [{ x: { column: Number(x.value) }, y: { column: Number(y.value) }, style: linked.axis ? "line" : main.rows > 5000 ? "dots" : "points", color: 1 }] };
    const { figure, host, say } = frame(`${panel.y_label} over ${panel.x_label}`, 420);
    place.replaceChildren(figure);
    await (isLinked(panel) && !up.words ? addLinkedPanel(host, panel, say) : addCurves(host, panel, say, 400));
  }
  section("Every series", make("div", { class: "controls" }, yLabel, y, xLabel, x), place);
  whenNear(place, choose);
}

function numberSections() {
  const { energy, ...others } = result.summary;
  const balances = energy && "kinetic_start" in energy;
  if (balances) section("Energy balance", energyTable(result.summary));
  section("Numbers", make("div", { class: "tables" }, ...summaryTables("Summary", balances ? others : result.summary)));
}

function tableSections() {
  const own = result.tables.slice(1).filter((table) => table.rows > 0);
  const where = section("Tables");
  for (const table of own) where.append(resultTable(table, sentence(table.name), table.name));
  where.append(resultTable(main, "Records", "records"), saveButton(main, "records.csv"));
}

// Curves over the axis of the records in another unit (time in ms) go with the others.
async function findLinked() {
  for (const curve of figures.flatMap((figure) => figure.panels).flatMap((panel) => panel.curves)) {
    if (curve.x.column !== undefined || curve.x.count !== linked.axis.length) continue;
    const x = await unpack(curve.x), n = x.length - 1, factor = (x[n] - x[0]) / (linked.axis[n] - linked.axis[0]);
    if (factor > 0 && x.every((v, i) => Math.abs(v - factor * linked.axis[i]) <= 1e-5 * Math.abs(x[n] - x[0]))) curve.x = { column: 0 };
  }
}

async function begin() {
  if (main.columns.length > 0 && main.rows > 1 && !main.columns[0].words) {
    const axis = await unpack(main.columns[0]);
    if (isRising(axis)) {
      linked.axis = axis;
      linked.min = axis[0];
      linked.max = axis[axis.length - 1];
      await findLinked();
    }
  }
  head();
  timeSection();
  figureSections();
  bodySection();
  exploreSection();
  numberSections();
  tableSections();
  if (result.model) section("Model", make("pre", { tabindex: 0 }, make("code", {}, result.model)));
  document.documentElement.dataset.ready = "yes";
}
begin().catch(fail);
