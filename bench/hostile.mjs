// Gives this library and its peers what a stranger might send, each message in a process of its own, and writes the tables
// of SECURITY.md (Linux only, some 4 minutes):
//   npm run bench:hostile [-- WORD]   only the cases with WORD in their names, which are printed instead
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { hostileCases, SIZE } from "./hostile/cases.mjs";
import { hostileValues } from "./hostile/encodeCases.mjs";
import { measure, measureEncoding, NO_FUNCTION, PLAIN } from "./hostile/measure.mjs";

const OURS = "msgpack-wasm";
const PEERS = ["@msgpack/msgpack", "msgpackr"];
const MEGABYTE = 2 ** 20;
const MOST_SECONDS = 10;
/** Of which the one counts that took least; for the peers, the first. */
const PROCESSES = 3;
const word = process.argv[2];
const document = new URL("../SECURITY.md", import.meta.url);

/** @template {{ name: string }} T @param {T[]} all */
const chosen = (all) => all.filter(({ name }) => word === undefined || name.includes(word));

const messages = await table(
  ["message", "outcome", "peak", "plain JS", "beyond", "ns/B", ...PEERS],
  chosen(hostileCases),
  messageRow,
);
const values = await table(["value", "outcome", "peak", ...PEERS], chosen(hostileValues), valueRow);
if (word === undefined) {
  const text = readFileSync(document, "utf8");
  writeFileSync(document, replaced(replaced(text, "messages", messages), "values", values));
}

/**
 * @template T
 * @param {string[]} columns
 * @param {T[]} cases
 * @param {(one: T) => Promise<string[]>} row
 */
async function table(columns, cases, row) {
  const lines = [columns, columns.map((_, i) => (i < 2 ? "---" : "---:"))].map(line);
  for (const text of lines) console.log(text);
  for (const one of cases) {
    lines.push(line(await row(one)));
    console.log(lines[lines.length - 1]);
  }
  return lines.join("\n");
}

/** @param {string[]} cells */
function line(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** @param {import("./hostile/cases.mjs").HostileCase} one */
async function messageRow({ name, isFixed = false, build }) {
  const take = async (/** @type {string} */ library) =>
    (await measure(library, [name], SIZE, MOST_SECONDS))[0];
  const least = async (/** @type {string} */ library) => {
    const all = [];
    // How much garbage V8 has let lie at the peak is chance.
    for (let i = 0; i < PROCESSES; i++) all.push(await take(library));
    return all.reduce((a, b) => ((b.peakBytes ?? Infinity) < (a.peakBytes ?? Infinity) ? b : a));
  };
  const ours = await least(OURS);
  const { messageBytes = Number.NaN, peakBytes = Number.NaN } = ours;
  const peak = (/** @type {number} */ bytes) =>
    isFixed ? megabytes(bytes) : `${Math.max(0, bytes / messageBytes).toFixed(1)} ×`;
  const plain = build === undefined ? 0 : ((await least(PLAIN)).peakBytes ?? Number.NaN);
  const cells = [
    name,
    ours.outcome,
    peak(peakBytes),
    peak(plain),
    megabytes(peakBytes - plain),
    isFixed ? "" : perByte(ours),
  ];
  for (const peer of PEERS) {
    const theirs = await take(peer);
    if (theirs.outcome === NO_FUNCTION) {
      cells.push("");
      continue;
    }
    /** @type {string[]} */
    const figures = [];
    if (theirs.outcome !== ours.outcome) figures.push(theirs.outcome);
    if (theirs.peakBytes !== undefined) figures.push(peak(theirs.peakBytes));
    if (theirs.peakBytes !== undefined && !isFixed) figures.push(`${perByte(theirs)} ns`);
    cells.push(figures.join(", "));
  }
  return cells;
}

/** @param {import("./hostile/encodeCases.mjs").HostileValue} one */
async function valueRow({ name }) {
  const ours = await measureEncoding(OURS, name, MOST_SECONDS);
  const cells = [name, ours.outcome, megabytes(ours.peakBytes ?? Number.NaN)];
  for (const peer of PEERS) {
    const { outcome, peakBytes } = await measureEncoding(peer, name, MOST_SECONDS);
    if (outcome === NO_FUNCTION) cells.push("");
    else cells.push(peakBytes === undefined ? outcome : `${outcome}, ${megabytes(peakBytes)}`);
  }
  return cells;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.max(0, bytes / MEGABYTE).toFixed(1)} MB`;
}

/** One digit: more than that depends on the machine. @param {{ nanoseconds?: number, messageBytes?: number }} measured */
function perByte({ nanoseconds = Number.NaN, messageBytes = Number.NaN }) {
  return `${Number((nanoseconds / messageBytes).toPrecision(1))}`;
}

/** @param {string} text @param {string} name of the table @param {string} lines */
function replaced(text, name, lines) {
  const [begin, end] = [`<!-- table of ${name}: npm run bench:hostile -->`, `<!-- end of ${name} -->`];
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`SECURITY.md has no place for the ${name}`);
  return `${text.slice(0, from)}\n\n${lines}\n\n${text.slice(to)}`;
}
