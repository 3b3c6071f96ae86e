import * as values from "./values.mjs";

/**
 * How a workload uses a library.
 * - `value`: one value, as it is.
 * - `copied`: a typed array by an extension that copies its bytes.
 * - `aligned`: a typed array by an extension that pads, so that decoding gives a view of the input.
 * - `stream`: an array of messages, encoded one by one; decoded from chunks, as they come from a socket.
 * @typedef {"value" | "copied" | "aligned" | "stream"} Kind
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} group heading in tables
 * @property {Kind} kind
 * @property {boolean} isJson Whether JSON can hold the value without loss.
 * @property {boolean} [isQuick] Whether `--quick` measures it.
 * @property {boolean} [isLong] Whether one process for each library is enough, as it takes seconds.
 * @property {number} [messages] how many an operation is about, if not one
 * @property {(readDocument: ReadDocument) => unknown | Promise<unknown>} make
 *
 * @typedef {(name: string) => unknown} ReadDocument the parsed JSON, or a promise of it
 */

export const DOCUMENTS = "documents";
export const FLOATS_AS_BINARY = "Float32Array as binary";
export const LARGEST = "10 MB of records";
const STREAM_MESSAGES = 10_000;
export const SMALL = "small messages";
const SAMPLES = "samples of the position callback's pull request";
const TEXT = "text and maps";
const NUMBERS = "arrays of numbers";
const BULK = "bulk";

/** The nine real documents, of the npm package `simdjson`. */
export const documentNames = [
  "twitter",
  "citm_catalog",
  "canada",
  "github_events",
  "instruments",
  "apache_builds",
  "update-center",
  "mesh",
  "numbers",
];

/** Those that show at a glance what the others show in full. */
const quickDocuments = new Set(["twitter", "github_events", "numbers"]);

/**
 * @param {string} group
 * @param {string} name
 * @param {() => unknown} make
 * @param {Partial<Workload>} [rest]
 * @returns {Workload}
 */
function workload(group, name, make, rest) {
  return { name, group, kind: "value", isJson: true, make, ...rest };
}

const positions = () => [{ position: values.float32(1000) }];

/** @type {readonly Workload[]} */
export const workloads = [
  workload(SAMPLES, "people", () => values.people(8), { isQuick: true }),
  workload(SAMPLES, "1,000 numbers", () => [{ position: [...values.float32(1000)] }]),
  workload(SAMPLES, FLOATS_AS_BINARY, positions, { isJson: false }),
  workload(SAMPLES, "Float32Array, copied", positions, { isJson: false, kind: "copied" }),
  workload(SAMPLES, "Float32Array, aligned", positions, { isJson: false, kind: "aligned", isQuick: true }),
  ...documentNames.map((name) =>
    workload(DOCUMENTS, name, () => undefined, {
      make: (readDocument) => readDocument(name),
      isQuick: quickDocuments.has(name),
    }),
  ),
  ...Object.entries(values.invocationArguments).map(([name, make]) =>
    workload(SMALL, `invocation, ${name}`, () => values.invocation(make()), {
      isJson: name === "no arguments" || name === "few arguments",
      isQuick: name === "few arguments",
    }),
  ),
  ...[5, 20, 100, 10_000].map((length) =>
    workload(SMALL, `string of ${length.toLocaleString("en")}`, () => values.text(length), {
      isQuick: length === 20,
    }),
  ),
  workload(TEXT, "Japanese", values.japanesePosts, { isQuick: true }),
  workload(TEXT, "emoji", values.emojiChat),
  workload(TEXT, "dictionary of 10,000 keys", () => values.dictionary(10_000)),
  workload(TEXT, "deep nesting", () => values.deep(90)),
  workload(NUMBERS, "1,000 ints", () => values.integers(1000)),
  workload(NUMBERS, "1,000 floats", () => values.floats(1000), { isQuick: true }),
  workload(NUMBERS, "1,000 mixed", () => values.mixed(1000)),
  workload(BULK, "200 records", () => values.records(200), { isQuick: true }),
  workload(BULK, LARGEST, () => values.records(71_000), { isLong: true }),
  workload(BULK, "stream of 10,000 messages", () => values.events(STREAM_MESSAGES), {
    kind: "stream",
    messages: STREAM_MESSAGES,
  }),
];

/** @param {string} name */
export function findWorkload(name) {
  const found = workloads.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`There is no workload ${name}`);
  return found;
}
