// What tests/page.sh does with a page, within it: acts as a user does, and writes what it finds into the page.
"use strict";
(async () => {
  const out = document.createElement("pre");
  out.id = "found";
  const say = (key, value) => (out.textContent += `${key} ${value}\n`);
  const wait = (until) => new Promise((done, failed) => {
    let turns = 0;
    const look = () => (until() ? done() : ++turns > 600 ? failed(new Error("waited in vain for " + until)) : setTimeout(look, 10));
    look();
  });
  const mouse = (target, kind, x, y, more) => target.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, movementX: 1, ...more }));
  const rest = () => new Promise((done) => setTimeout(done, 60));
  // Drags from one part of a chart to another.
  async function drag(chart, from, to, more) {
    const over = chart.querySelector(".u-over"), box = over.getBoundingClientRect();
    const at = ([x, y]) => [box.left + x * box.width, box.top + y * box.height];
    mouse(over, "mouseenter", ...at(from), more);
    mouse(over, "mousemove", ...at(from), more);
    mouse(over, "mousedown", ...at(from), { button: 0, ...more });
    for (const part of [0.3, 0.7, 1]) {
      mouse(over, "mousemove", ...at(from.map((v, k) => v + part * (to[k] - v))), { button: 0, ...more });
      await rest();
    }
    mouse(over, "mouseup", ...at(to), { button: 0, ...more });
    await rest();
  }
  const span = () => [...document.querySelectorAll("#time-histories .controls input")].map((input) => Number(input.value));
  try {
    await wait(() => document.documentElement.dataset.ready);
    say("title", document.querySelector("h1").textContent);
    say("headings", [...document.querySelectorAll("h2")].map((h) => h.textContent).join("|"));
    for (const host of [...waiting.keys()]) await wake(host);
    const described = () => [...document.querySelectorAll("figure")].every((f) => f.getAttribute("aria-label") !== null && f.querySelector("figcaption").textContent.length > 10);
    await wait(described).catch(() => {}); // those that came near by themselves may still be drawn
    say("charts", document.querySelectorAll(".uplot").length);
    say("scenes", document.querySelectorAll("canvas.scene").length);
    say("described", described());
    say("tables", [...document.querySelectorAll("main table:not(.u-legend)")].every((t) => t.caption && t.querySelector("th[scope]")));
    for (const details of document.querySelectorAll("details")) details.open = true;
    await new Promise((done) => setTimeout(done, 200));
    say("rows", document.querySelectorAll("details tbody tr").length);
    say("model", document.querySelector("#model code")?.textContent.split("\n")[0] ?? "none");
    // Every number of the main table, as a sum that notices each of them and their order.
    for (const column of main.columns) {
      const values = await unpack(column);
      let sum = 0;
      values.forEach((v, i) => (sum += Number.isFinite(v) ? v * (1 + (i % 7)) : 0));
      say("series", `${column.name} ${values.length} ${sum.toExponential(12)}`);
    }
    const chart = document.querySelector("#time-histories .uplot");
    if (chart) {
      say("span", span().join(" "));
      await drag(chart, [0.25, 0.5], [0.5, 0.5]);
      say("zoomed", span().join(" "));
      // Values under the pointer, in every linked chart.
      const over = chart.querySelector(".u-over"), box = over.getBoundingClientRect();
      mouse(over, "mousemove", box.left + box.width / 2, box.top + box.height / 2);
      await rest();
      say("record", linked.record);
      say("under", [...document.querySelectorAll("#time-histories .u-legend")].map((legend) => [...legend.querySelectorAll(".u-value")].map((v) => v.textContent).join(",")).join(" "));
      await drag(chart, [0.5, 0.5], [0.25, 0.5], { shiftKey: true });
      say("panned", span().join(" "));
      chart.dispatchEvent(new KeyboardEvent("keydown", { key: "-", bubbles: true }));
      await rest();
      say("wider", span().join(" "));
      mouse(over, "dblclick", box.left + 5, box.top + 5);
      await rest();
      say("all", span().join(" "));
    }
    say("errors", document.querySelectorAll(".error").length);
  } catch (error) {
    say("failed", error.stack);
  }
  document.body.append(out);
})();
