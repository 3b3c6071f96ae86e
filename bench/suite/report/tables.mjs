import { computeGoals } from "../goals.mjs";
import { KEPT } from "../names.mjs";
import { indexOf, rowsOf } from "../results.mjs";
import { margin, operationsPerSecond, ratio, short, size, verdict } from "./format.mjs";

/**
 * A table of any of the report's kinds: the terminal prints it, the page shows it.
 * @typedef {object} Table
 * @property {string} title
 * @property {string} [note] how to read it
 * @property {readonly string[]} columns
 * @property {readonly (readonly Cell[])[]} rows
 *
 * @typedef {object} Cell
 * @property {string} text
 * @property {string} [detail] what the page adds below
 * @property {"best" | "bad"} [mark]
 *
 * @typedef {import("../results.mjs").Results} Results
 * @typedef {import("../results.mjs").SectionInfo} Section
 * @typedef {import("../hosts.mjs").Host} Host
 */

/** @type {Cell} */
const NONE = { text: "–" };

/**
 * Of each workload of a section, every library's operations a second.
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string} operation
 * @returns {Table}
 */
export function speedTable(results, host, section, operation) {
  const timingOf = indexOf(results.timings);
  const libraries = measuredLibraries(results, host, section);
  return {
    title: `${host.name}: ${operation}, operations a second`,
    note: "± is half of the 95 % confidence interval, × how many times as fast as our kept instances, n the samples.",
    columns: ["workload", "bytes", ...libraries],
    rows: section.workloads.map(({ name, bytes }) => {
      const own = timingOf(host.id, name, operation, KEPT)?.mean;
      const times = libraries.map((library) => timingOf(host.id, name, operation, library));
      const least = Math.min(...times.flatMap((time) => time?.mean ?? []));
      const cells = times.map((time) => {
        if (time === undefined) return NONE;
        const relative = own === undefined ? "" : `${ratio(own / time.mean)}×, `;
        return {
          text: `${operationsPerSecond(time.mean)} ${margin(time.margin)}`,
          detail: `${relative}n ${time.samples}`,
          ...(time.mean === least ? { mark: /** @type {const} */ ("best") } : {}),
        };
      });
      return [{ text: name }, { text: size(bytes) }, ...cells];
    }),
  };
}

/**
 * The same as how many times as fast ours is: what fits a terminal.
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string} operation
 * @returns {Table}
 */
export function ratioTable(results, host, section, operation) {
  const timingOf = indexOf(results.timings);
  const libraries = measuredLibraries(results, host, section).filter((library) => library !== KEPT);
  return {
    title: `${host.name}: ${operation}`,
    note: `operations a second with ${KEPT}, kept instances; and how many times as fast that is as each of the others`,
    columns: ["workload", "bytes", "ops/s", "±", "n", ...libraries],
    rows: section.workloads.flatMap(({ name, bytes }) => {
      const own = timingOf(host.id, name, operation, KEPT);
      if (own === undefined) return [];
      const cells = libraries.map((library) => {
        const time = timingOf(host.id, name, operation, library);
        return time === undefined ? NONE : { text: ratio(time.mean / own.mean) };
      });
      return [
        [
          { text: name },
          { text: size(bytes) },
          { text: operationsPerSecond(own.mean) },
          { text: margin(own.margin) },
          { text: String(own.samples) },
          ...cells,
        ],
      ];
    }),
  };
}

/**
 * Everything about one workload.
 * @param {Results} results
 * @param {Host} host
 * @param {string} workload
 * @param {string} operation
 * @returns {Table}
 */
export function workloadTable(results, host, workload, operation) {
  const timingOf = indexOf(results.timings);
  const allocated = indexOf(results.allocations);
  const own = timingOf(host.id, workload, operation, KEPT)?.mean;
  return {
    title: `${host.name}: ${operation} ${workload}`,
    columns: ["library", "bytes", "ops/s", "±", "samples", "ours is", "allocated"],
    rows: results.libraries.flatMap(({ id: library }) => {
      const time = timingOf(host.id, workload, operation, library);
      if (time === undefined) return [];
      const bytes = allocated(host.id, workload, operation, library)?.bytes;
      return [
        [
          { text: library },
          { text: size(time.bytes) },
          { text: operationsPerSecond(time.mean) },
          { text: margin(time.margin) },
          { text: String(time.samples) },
          { text: own === undefined ? "" : `${ratio(time.mean / own)}×` },
          bytes === undefined ? NONE : { text: `${size(bytes)} B` },
        ],
      ];
    }),
  };
}

/**
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string} operation
 * @returns {Table}
 */
export function allocationTable(results, host, section, operation) {
  const allocated = indexOf(results.allocations);
  const libraries = measuredLibraries(results, host, section);
  return {
    title: `${host.name}: ${operation}, bytes allocated by an operation`,
    note: "On the heap, and outside it for array buffers and long strings, garbage included.",
    columns: ["workload", "bytes", ...libraries],
    rows: section.workloads.map(({ name, bytes }) => [
      { text: name },
      { text: size(bytes) },
      ...libraries.map((library) => {
        const found = allocated(host.id, name, operation, library);
        return found === undefined ? NONE : { text: short(Math.round(found.bytes)) };
      }),
    ]),
  };
}

/**
 * All about a protocol: what ours takes and allocates in each row, and what the others do.
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @returns {Table}
 */
export function protocolTable(results, host, section) {
  const timingOf = indexOf(results.timings);
  const allocated = indexOf(results.allocations);
  const others = measuredLibraries(results, host, section).filter((library) => library !== KEPT);
  return {
    title: `${host.name}: ${section.name}`,
    note: `nanoseconds and bytes allocated by an operation with ${KEPT}; how many times as fast that is as each of the others, and what they allocate`,
    columns: [
      ...["operation", "bytes", "ns", "±", "n", "allocated"],
      ...others.flatMap((library) => [library, "allocated"]),
    ],
    rows: rowsOf(section).flatMap(({ label, workload, operation, bytes }) => {
      const own = timingOf(host.id, workload, operation, KEPT);
      if (own === undefined) return [];
      const allocatedBy = (/** @type {string} */ library) => {
        const found = allocated(host.id, workload, operation, library);
        return found === undefined ? NONE : { text: size(found.bytes) };
      };
      const cells = others.flatMap((library) => {
        const time = timingOf(host.id, workload, operation, library);
        if (time === undefined) return [NONE, NONE];
        const relative = time.mean / own.mean;
        const cell = {
          text: ratio(relative),
          detail: `${size(time.mean)} ns ${margin(time.margin)}, n ${time.samples}`,
          ...(relative < 1 ? { mark: /** @type {const} */ ("bad") } : {}),
        };
        return [cell, allocatedBy(library)];
      });
      return [
        [
          { text: label },
          { text: size(bytes) },
          { text: size(own.mean) },
          { text: margin(own.margin) },
          { text: String(own.samples) },
          allocatedBy(KEPT),
          ...cells,
        ],
      ];
    }),
  };
}

/**
 * @param {Results} results
 * @param {boolean} [isBrief] leaves out what was not measured
 * @returns {Table}
 */
export function goalTable(results, isBrief = false) {
  const names = new Map(results.hosts.map(({ id, name }) => [id, name]));
  return {
    title: "Goals",
    note: "Ratios of speed are to what the line names, in the same run: above 1, ours is faster.",
    columns: ["where", "goal", "target", "is", "", "detail"],
    rows: computeGoals(results)
      .filter(({ isReached }) => !isBrief || isReached !== undefined)
      .map(({ host, name, target, value, isReached, detail }) => [
        { text: names.get(host) ?? host },
        { text: name },
        { text: target },
        { text: Number.isNaN(value) ? "–" : ratio(value) },
        { text: verdict(isReached), ...(isReached === false ? { mark: /** @type {const} */ ("bad") } : {}) },
        { text: detail },
      ]),
  };
}

/**
 * @param {Results} results
 * @returns {Table[]} those that have rows
 */
export function otherTables(results) {
  const names = new Map(results.hosts.map(({ id, name }) => [id, name]));
  /** @type {Table[]} */
  const tables = [
    {
      title: "Start-up",
      note: "Import, first encode and first decode in a fresh process: the median, and the range.",
      columns: ["where", "library", "ms", "range", "samples"],
      rows: results.startups.map(({ host, library, milliseconds, least, most, samples }) => [
        { text: names.get(host) ?? host },
        { text: library },
        { text: milliseconds.toFixed(1) },
        { text: `${least.toFixed(1)} – ${most.toFixed(1)}` },
        { text: String(samples) },
      ]),
    },
    {
      title: "Download",
      note: "What a web app loads: bundled and minified by esbuild; compressed by gzip.",
      columns: ["library", "minified", "gzip"],
      rows: results.downloads.map(({ library, minified, gzipped }) => [
        { text: library },
        { text: size(minified) },
        { text: size(gzipped) },
      ]),
    },
    {
      title: "Growth",
      note: "Nanoseconds a byte in messages of records of growing size; JSON is to and from a string.",
      columns: ["where", "library", "", "MB", "ns/byte"],
      rows: results.growths.map(({ host, library, direction, megabytes, nanosecondsPerByte }) => [
        { text: names.get(host) ?? host },
        { text: library },
        { text: direction },
        { text: String(megabytes) },
        { text: nanosecondsPerByte.toFixed(2) },
      ]),
    },
    {
      title: "Went wrong",
      columns: ["where", "workload", "library", "reason"],
      rows: results.failures.map(({ host, workload, library, reason }) => [
        { text: names.get(host) ?? host },
        { text: workload },
        { text: library },
        { text: reason, mark: "bad" },
      ]),
    },
    {
      title: "Not compared",
      columns: ["library", "workload", "reason"],
      rows: results.absences.map(({ library, workload, reason }) => [
        { text: library },
        { text: workload },
        { text: reason },
      ]),
    },
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

/**
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @returns {string[]}
 */
export function measuredLibraries({ libraries, timings }, host, { workloads }) {
  const names = new Set(workloads.map(({ name }) => name));
  const measured = new Set(
    timings
      .filter((timing) => timing.host === host.id && names.has(timing.workload))
      .map(({ library }) => library),
  );
  return libraries.map(({ id }) => id).filter((id) => measured.has(id));
}

/**
 * @param {Table["rows"]} rows
 * @returns {boolean[]} for each column, whether it holds numbers: these stand to the right
 */
export function numberColumns(rows) {
  return (rows[0] ?? []).map(
    (_, column) => column > 0 && rows.every((row) => /^(?!\d+ of )[\d–±≥≤]|^$/.test(row[column].text)),
  );
}

/**
 * For a terminal: text to the left, numbers to the right. Long headings take several lines.
 * @param {Table} table
 * @returns {string}
 */
export function printTable({ title, note, columns, rows }) {
  const headings = columns.map((column) => column.split(/(?<=,) /));
  const height = Math.max(...headings.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, line) =>
    headings.map((heading) => heading[line - height + heading.length] ?? ""),
  );
  const body = rows.map((row) => row.map(({ text }) => text));
  const widths = columns.map((_, column) =>
    Math.max(...[...lines, ...body].map((row) => row[column].length)),
  );
  const isNumber = numberColumns(rows);
  const print = (/** @type {string[]} */ row) =>
    row
      .map((text, column) => (isNumber[column] ? text.padStart(widths[column]) : text.padEnd(widths[column])))
      .join("  ")
      .trimEnd();
  return [`\n${title}`, ...(note ? [note] : []), ...lines.map(print), ...body.map(print)].join("\n");
}
