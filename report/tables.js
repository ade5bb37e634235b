// ---- Tables: numbers of the summary, the energy balance, tables of the result and its records.

const isPlain = (value) => value === null || typeof value !== "object";
const show = (value) => (typeof value === "number" ? format(value) : value === null ? "–" : String(value));

function tableOf(caption, heads, rows) {
  return make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row[0]), ...row.slice(1).map((cell) => make("td", {}, cell))))));
}

// An object of the summary as tables: of plain entries one with two columns, of objects with the same keys one with a row each.
function summaryTables(caption, object) {
  const plain = Object.entries(object).filter(([, value]) => isPlain(value));
  const lists = Object.entries(object).filter(([, value]) => Array.isArray(value) && value.every(isPlain));
  const objects = Object.entries(object).filter(([, value]) => value && typeof value === "object" && !Array.isArray(value));
  const rowsOf = Object.entries(object).filter(([, value]) => Array.isArray(value) && value.length > 0 && !value.every(isPlain));
  const made = [];
  const rows = [...plain.map(([key, value]) => [key, show(value)]), ...lists.map(([key, value]) => [key, value.map(show).join(", ")])];
  if (rows.length > 0) made.push(tableOf(caption, ["number", "value"], rows));
  const keys = objects.length > 0 ? Object.keys(objects[0][1]) : [];
  const alike = objects.length > 1 && keys.length > 0 && objects.every(([, value]) => Object.values(value).every(isPlain) && Object.keys(value).some((key) => keys.includes(key)));
  if (alike) {
    const all = [...new Set(objects.flatMap(([, value]) => Object.keys(value)))];
    made.push(tableOf(caption, ["", ...all], objects.map(([name, value]) => [name, ...all.map((key) => (key in value ? show(value[key]) : ""))])));
  } else objects.forEach(([key, value]) => made.push(...summaryTables(caption ? `${caption}: ${key}` : key, value)));
  for (const [key, value] of rowsOf)
    value.slice(0, 50).forEach((entry, k) => made.push(...summaryTables(`${caption ? caption + ": " : ""}${key} ${k + 1}`, entry && typeof entry === "object" && !Array.isArray(entry) ? entry : { value: JSON.stringify(entry) })));
  return made;
}

// energy: start + loads + work of the contacts - damping - impacts = end, but for the balance.
function energyTable(summary) {
  const e = summary.energy, part = (name) => e[name] ?? 0;
  const contacts = Object.entries(summary.contacts ?? {}).filter(([, c]) => typeof c.work === "number");
  const start = part("kinetic_start") + part("potential_start"), end = part("kinetic_end") + part("potential_end");
  const rows = [["energy at the start", start], ["+ work of the loads", part("loads")], ...contacts.map(([name, c]) => [`+ work of ${name} on the coordinates`, c.work]),
    ["− taken by damping", -part("damping")], ["− lost in impacts", -part("impacts")]];
  const sum = rows.reduce((total, row) => total + row[1], 0);
  return tableOf("Energy balance of the recorded span", ["", "energy"], [...rows.map(([name, value]) => [name, format(value)]), ["= sum", format(sum)], ["energy at the end", format(end)],
    ["not explained, as a part of the largest energy", e.balance === null || e.balance === undefined ? "–" : e.balance.toExponential(2)]]);
}

// The rows of a table of the result, some at a time. A time is a button that shows it in the charts.
function resultTable(table, caption, name) {
  const step = 100, columns = table.columns, count = columns.length > 0 ? columns[0].count : 0;
  const body = make("tbody", {}), more = make("button", { type: "button", onclick: () => add() }, "");
  const said = count < table.rows ? ` (${count} of ${table.rows} records: those with the smallest and largest values of each piece)` : "";
  const element = make("table", {}, make("caption", {}, `${caption}, ${count} rows${said}`), make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, nameOf(column))))), body);
  let values = null, shown = 0;
  const isTime = (column) => linked.axis && main.columns[0].name === "t" && name === "events" && column.name.endsWith("time");
  const goTo = (t) => {
    const half = Math.min(linked.max - linked.min, (linked.axis[linked.axis.length - 1] - linked.axis[0]) / 20) / 2;
    linked.set(t - half, t + half);
    linked.show(linked.find(t));
    document.getElementById("time-histories")?.scrollIntoView();
  };
  const cell = (column, value) => column.words ? column.words[value] ?? "–" : isTime(column) ? make("button", { type: "button", class: "link", title: "Show it in the charts", onclick: () => goTo(value) }, format(value)) : format(value);
  async function add() {
    values ??= await Promise.all(columns.map(unpack));
    for (const end = Math.min(count, shown + step); shown < end; shown++)
      body.append(make("tr", {}, ...columns.map((column, k) => make("td", {}, cell(column, values[k][shown])))));
    more.textContent = `${Math.min(step, count - shown)} more of ${count - shown}`;
    more.hidden = shown >= count;
  }
  const details = make("details", { ontoggle: () => details.open && shown === 0 && add().catch(fail) }, make("summary", {}, `${caption}: ${count} rows`), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, element), more);
  return details;
}

// All series of a table as a file.
function saveButton(table, file) {
  return make("button", { type: "button", onclick: async () => {
    const values = await Promise.all(table.columns.map(unpack));
    const lines = [table.columns.map((column) => column.name).join(",")];
    for (let i = 0; i < (values[0]?.length ?? 0); i++) lines.push(values.map((v, k) => (table.columns[k].words ? table.columns[k].words[v[i]] : v[i])).join(","));
    const link = make("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: file });
    link.click();
    URL.revokeObjectURL(link.href);
  } }, "Save as CSV");
}
