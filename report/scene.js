// ---- Bodies in motion and surfaces in space: triangles on a canvas by WebGL. Drag turns, Shift and drag moves, Ctrl and wheel zooms.

// The colours of the pictures (src/figure/render.c), from 0 to 1.
const heatStops = [[0.267, 0.005, 0.329], [0.254, 0.265, 0.53], [0.164, 0.471, 0.558], [0.135, 0.659, 0.518], [0.478, 0.821, 0.318], [0.993, 0.906, 0.144]];
function heat(part) {
  const at = 5 * Math.max(0, Math.min(1, part)), k = Math.min(4, Math.floor(at));
  return `rgb(${heatStops[k].map((v, c) => Math.round(255 * (v + (at - k) * (heatStops[k + 1][c] - v)))).join(" ")})`;
}

const vertexShader = `#version 300 es
in vec3 place; in float value; uniform mat4 view; out vec3 seen; out float part;
void main() { vec4 p = view * vec4(place, 1.0); seen = p.xyz; part = value; gl_Position = vec4(p.xy, p.z * 0.05, 1.0); }`;
const fragmentShader = `#version 300 es
precision highp float; in vec3 seen; in float part; uniform float light; out vec4 colour;
uniform vec3 stops[6];
vec3 heat(float t) { float at = 5.0 * clamp(t, 0.0, 1.0); int k = min(4, int(at)); return mix(stops[k], stops[k + 1], at - float(k)); }
void main() { vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
  float bright = mix(1.0, 0.6 + 0.4 * abs(dot(n, normalize(vec3(0.3, 0.5, 0.8)))), light); colour = vec4(heat(part) * bright, 1.0); }`;

function compile(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("the bodies cannot be drawn: " + gl.getProgramInfoLog(program));
  gl.useProgram(program);
  gl.uniform3fv(gl.getUniformLocation(program, "stops"), heatStops.flat());
  return program;
}

// Faces of four corners (the last twice: three) to triangles.
function trianglesOf(faces) {
  const list = [];
  for (let i = 0; i + 3 < faces.length; i += 4) {
    list.push(faces[i], faces[i + 1], faces[i + 2]);
    if (faces[i + 3] !== faces[i + 2]) list.push(faces[i], faces[i + 2], faces[i + 3]);
  }
  return new Uint32Array(list);
}

// A view of triangles; `show(places, parts)` draws them with new places (three numbers a node) and colours (0 to 1).
function viewer(host, triangles, box, flat, label) {
  const canvas = make("canvas", { class: "scene", tabindex: 0, role: "img", "aria-label": label });
  host.append(canvas);
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) {
    canvas.replaceWith(make("p", {}, "This browser has no WebGL, which draws the bodies."));
    return null;
  }
  const program = compile(gl), places = gl.createBuffer(), parts = gl.createBuffer();
  const bind = (buffer, name, width) => {
    const at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, gl.FLOAT, false, 0, 0);
  };
  bind(places, "place", 3);
  bind(parts, "value", 1);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
  gl.enable(gl.DEPTH_TEST);
  gl.clearColor(1, 1, 1, 1);
  const centre = [0, 1, 2].map((k) => (box.low[k] + box.high[k]) / 2), size = Math.hypot(...[0, 1, 2].map((k) => box.high[k] - box.low[k])) || 1;
  const camera = { turn: 0, tilt: flat ? 0 : -0.45, zoom: 1, x: 0, y: 0 };
  // Turned about the axis z of the model, then tilted.
  function rowsNow() {
    const [ct, st, ci, si] = [Math.cos(camera.turn), Math.sin(camera.turn), Math.cos(camera.tilt), Math.sin(camera.tilt)];
    return [[ct, -st, 0], [st * ci, ct * ci, -si], [st * si, ct * si, ci]];
  }
  // Half the width and height of the box as it is seen at first.
  let half = null;
  function measure() {
    const edges = [0, 1, 2].map((k) => (box.high[k] - box.low[k]) / 2);
    half = rowsNow().map((row) => row.reduce((sum, v, k) => sum + Math.abs(v) * edges[k], 0) || size);
  }
  // Scaled into the canvas.
  function matrix() {
    if (!half) measure();
    const wide = canvas.clientWidth / canvas.clientHeight || 1, rows = rowsNow();
    const s = 0.88 * Math.min(wide / half[0], 1 / half[1]) * camera.zoom;
    const shift = rows.map((row) => -(row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2]));
    const by = [s / wide, s, -s], at = [shift[0] * by[0] + camera.x / wide, shift[1] * by[1] + camera.y, shift[2] * by[2]];
    return new Float32Array([0, 1, 2].flatMap((c) => [rows[0][c] * by[0], rows[1][c] * by[1], rows[2][c] * by[2], 0]).concat(at, 1));
  }
  function draw() {
    const scale = devicePixelRatio;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.uniformMatrix4fv(gl.getUniformLocation(program, "view"), false, matrix());
    gl.uniform1f(gl.getUniformLocation(program, "light"), flat ? 0 : 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
  }
  const turn = (dx, dy, pan) => {
    if (pan || flat) {
      camera.x += (2 * dx) / canvas.clientHeight;
      camera.y -= (2 * dy) / canvas.clientHeight;
    } else {
      camera.turn += dx / 150;
      camera.tilt += dy / 150;
    }
    draw();
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const drag = (now) => turn(now.movementX, now.movementY, now.shiftKey);
    canvas.addEventListener("pointermove", drag);
    canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", drag), { once: true });
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    camera.zoom *= event.deltaY < 0 ? 1.25 : 0.8;
    draw();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }, zooms = { "+": 1.25, "=": 1.25, "-": 0.8 };
    if (keys[event.key]) turn(...keys[event.key], event.shiftKey);
    else if (zooms[event.key]) {
      camera.zoom *= zooms[event.key];
      draw();
    } else return;
    event.preventDefault();
  });
  new ResizeObserver(draw).observe(canvas);
  return {
    camera, draw,
    show(newPlaces, newParts) {
      gl.bindBuffer(gl.ARRAY_BUFFER, places);
      gl.bufferData(gl.ARRAY_BUFFER, newPlaces, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, parts);
      gl.bufferData(gl.ARRAY_BUFFER, newParts, gl.DYNAMIC_DRAW);
      draw();
    },
  };
}

function boxOf(places) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; i++) {
    low[i % 3] = Math.min(low[i % 3], places[i]);
    high[i % 3] = Math.max(high[i % 3], places[i]);
  }
  return { low, high };
}

// The end of the scale of colours: a number above which one in a thousand is.
function topOf(values) {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length - 1 - Math.floor(sorted.length / 1000)] || 1;
}

function scaleOfColours(low, high, label) {
  const bar = make("div", { class: "scale", role: "img", "aria-label": `Colours: ${label} from ${format(low)} to ${format(high)}` },
    make("span", {}, format(low)), make("span", { class: "bar", style: `background:linear-gradient(to right, ${[0, 0.2, 0.4, 0.6, 0.8, 1].map(heat).join(", ")})` }), make("span", {}, format(high)), make("span", {}, label));
  return bar;
}

// An animation: nodes, faces, and for each frame places or displacements, and stresses. Numbers stand node by node, frames within.
async function addAnimation(host, animation, say) {
  const frames = animation.times.length, nodes = animation.nodes;
  const [faces, places, stress] = await Promise.all([animation.faces, animation.places, animation.stress].map(unpack));
  const moved = animation.still ? await unpack(animation.displacement) : null;
  const rest = animation.still ? 1 : frames;
  const base = Float32Array.from({ length: 3 * nodes }, (_, i) => places[i * rest]);
  const box = boxOf(animation.still ? base : places.length ? Float32Array.from({ length: 3 * nodes * Math.min(frames, 8) }, (_, i) => places[(i % (3 * nodes)) * frames + Math.floor((Math.floor(i / (3 * nodes)) * (frames - 1)) / Math.max(1, Math.min(frames, 8) - 1))]) : base);
  const flat = box.high[2] - box.low[2] < 1e-9 * (box.high[0] - box.low[0]);
  const size = Math.hypot(box.high[0] - box.low[0], box.high[1] - box.low[1]), largest = moved ? Math.max(...[extremes(moved)].flatMap(({ low, high }) => [Math.abs(moved[low] ?? 0), Math.abs(moved[high] ?? 0)])) : 0;
  const natural = largest > 0 ? 0.06 * size / largest : 1, power = 10 ** Math.floor(Math.log10(natural));
  let magnify = natural > 1 ? [1, 2, 5].map((k) => k * power).filter((k) => k <= natural).pop() : 1, frameNow = 0, timer = 0;
  const top = topOf(stress), name = frames > 1 ? `${animation.name}, ${frames} frames` : animation.name;
  const view = viewer(host, trianglesOf(faces), box, flat, `Bodies of ${name}, coloured by stress`);
  if (!view) return;
  const show = (frame) => {
    frameNow = frame;
    const now = new Float32Array(3 * nodes), parts = new Float32Array(nodes);
    for (let i = 0; i < 3 * nodes; i++) now[i] = moved ? base[i] + magnify * moved[i * frames + frame] : places[i * frames + frame];
    for (let i = 0; i < nodes; i++) parts[i] = stress[i * frames + frame] / top;
    view.show(now, parts);
    slider.value = frame;
    slider.setAttribute("aria-valuetext", time.textContent = frames > 1 ? `t = ${format(animation.times[frame])}` : "");
  };
  const slider = make("input", { type: "range", min: 0, max: frames - 1, value: 0, "aria-label": "Frame", oninput: () => show(Number(slider.value)) });
  const time = make("output", {});
  const play = make("button", { type: "button", onclick: () => {
    if (timer) clearInterval(timer);
    timer = timer ? 0 : setInterval(() => show((frameNow + 1) % frames), 80);
    play.textContent = timer ? "Pause" : "Play";
  } }, "Play");
  const factor = make("input", { type: "number", min: 0, step: "any", value: magnify, "aria-label": "Magnification of the displacements", onchange: () => {
    magnify = Number(factor.value);
    show(frameNow);
  } });
  host.after(make("div", { class: "controls", role: "group", "aria-label": "Animation" }, ...(frames > 1 ? [play, slider, time] : []), ...(moved ? [make("span", {}, " displacements × "), factor] : []),
    make("span", { class: "hint" }, flat ? "Drag: move. Ctrl and wheel: zoom." : "Drag: turn. Shift and drag: move. Ctrl and wheel: zoom.")), scaleOfColours(0, top, "von Mises stress"));
  show(Math.max(0, extremes(stress).high) % frames); // the instant of the largest stress
  say(`${nodes} nodes, ${faces.length / 4} faces, ${frames} frames from t = ${format(animation.times[0])} to ${format(animation.times[frames - 1])}. Stresses up to ${format(stress[extremes(stress).high])}.`);
  if (linked.axis && frames > 1)
    linked.point.add((record) => {
      const t = linked.axis[record];
      let best = 0;
      animation.times.forEach((other, k) => (best = Math.abs(other - t) < Math.abs(animation.times[best] - t) ? k : best));
      if (!timer) show(best);
    });
}

// A surface in space over a grid; rows that are not numbers part it.
async function addSurface(host, panel, say) {
  const { rows, columns } = panel.surface;
  const [x, y, z] = await Promise.all([panel.surface.x, panel.surface.y, panel.surface.z].map(unpack));
  const finite = (k) => Number.isFinite(x[k]) && Number.isFinite(y[k]) && Number.isFinite(z[k]), faces = [];
  for (let r = 0; r + 1 < rows; r++)
    for (let c = 0; c + 1 < columns; c++) {
      const corners = [r * columns + c, r * columns + c + 1, (r + 1) * columns + c + 1, (r + 1) * columns + c];
      if (corners.every(finite)) faces.push(...corners);
    }
  const places = Float32Array.from({ length: 3 * x.length }, (_, i) => { const v = [x, y, z][i % 3][Math.floor(i / 3)]; return Number.isFinite(v) ? v : 0; });
  const box = boxOf(places.filter((_, i) => finite(Math.floor(i / 3))));
  const view = viewer(host, trianglesOf(faces), box, false, `Surface of ${panel.z_label ?? "z"} over ${panel.x_label ?? "x"} and ${panel.y_label ?? "y"}`);
  if (!view) return;
  view.camera.tilt = -1.0;
  view.camera.turn = 0.6;
  view.show(places, Float32Array.from(z, (v) => (v - box.low[2]) / (box.high[2] - box.low[2] || 1)));
  host.after(scaleOfColours(box.low[2], box.high[2], panel.z_label ?? ""), make("p", { class: "hint" }, `Axes: ${panel.x_label}, ${panel.y_label}, ${panel.z_label}. Drag: turn. Shift and drag: move. Ctrl and wheel: zoom.`));
  say(`${rows} by ${columns} points; ${panel.z_label ?? "z"} from ${format(box.low[2])} to ${format(box.high[2])}.`);
}
