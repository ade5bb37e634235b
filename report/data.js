// ---- The result: what is in it (JSON), and its numbers, which are packed (src/io/pack.c) and unpacked when they are needed.

const result = JSON.parse(document.getElementById("result").textContent);
result.summary = JSON.parse(result.summary);
const figures = JSON.parse(document.getElementById("figures").textContent);
const animations = JSON.parse(document.getElementById("frames").textContent);
const main = result.tables[0];

function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old for the page: it needs DecompressionStream (Chrome 80, Firefox 113, Safari 16.4).");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// All bits: first the lowest bytes of all numbers, then the next ones.
function joinPlanes(bytes, count) {
  const own = new Uint8Array(8 * count);
  for (let byte = 0; byte < 8; byte++)
    for (let i = 0; i < count; i++) own[8 * i + byte] = bytes[byte * count + i];
  return new Float64Array(own.buffer);
}

// Differences of an order to numbers: what the polynomial through the last ones predicts is added. Code 0 is not a number.
function addDifferences(bytes, pack) {
  const weights = [[0, 0, 0], [1, 0, 0], [2, -1, 0], [3, -3, 1]][pack.order];
  const values = new Float64Array(pack.count), [p, q, r] = weights, low = pack.low, step = pack.step;
  let a = 0, b = 0, c = 0;
  for (let i = 0, at = 0; i < values.length; i++) {
    let byte = bytes[at++], code = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = bytes[at++];
      code += (byte & 127) * scale;
    }
    if (code === 0) {
      values[i] = NaN;
      continue;
    }
    const k = (code % 2 ? (code - 1) / 2 : -code / 2) + p * a + q * b + r * c;
    c = b;
    b = a;
    a = k;
    values[i] = low + step * k;
  }
  return values;
}

// The numbers of a pack, as a promise; unpacked once.
function unpack(pack) {
  pack.values ??= (async () => {
    const bytes = await inflate(bytesOf(document.getElementById("pack-" + pack.pack).textContent));
    return pack.order < 0 ? joinPlanes(bytes, pack.count) : addDifferences(bytes, pack);
  })();
  return pack.values;
}

// The numbers of one axis of a curve: a column of the main table, or its own.
function valuesOf(axis) {
  return unpack(axis.column === undefined ? axis : main.columns[axis.column]);
}
