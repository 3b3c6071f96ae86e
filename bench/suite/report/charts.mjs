// The options of the report's charts, for ECharts: the page draws them, and the README's picture is one of them.
import { KEPT, REFERENCE_KEPT } from "../names.mjs";
import { directions, indexOf, LARGE_BYTES, rowsOf } from "../results.mjs";
import { geometricMean } from "../statistics.mjs";
import { margin, operationsPerSecond, ratio, size } from "./format.mjs";
import { measuredLibraries } from "./tables.mjs";

/**
 * @typedef {import("../results.mjs").Results} Results
 * @typedef {import("../hosts.mjs").Host} Host
 * @typedef {import("../results.mjs").Direction} Direction
 * @typedef {import("../results.mjs").SectionInfo} Section
 */

const OURS_COLOR = "#c2410c";
const COLORS =
  "#2563eb #60a5fa #15803d #4ade80 #86efac #7c3aed #a16207 #db2777 #0891b2 #475569 #94a3b8".split(" ");
const ROW_HEIGHT = 22;
const CHART_MARGINS = 130;

/** What all charts have in common. */
const COMMON = { animation: false, aria: { enabled: true }, tooltip: { trigger: "item" } };

/** @param {{ left: number, right: number, top: number, bottom: number }} margins beyond which no label reaches */
function gridOf(margins) {
  return { ...margins, outerBoundsMode: "same", outerBoundsContain: "axisLabel" };
}

/**
 * @param {"log" | "value"} type
 * @param {string} name
 */
function axisOf(type, name) {
  return { type, name, nameLocation: "middle", nameGap: 25 };
}

/** @param {readonly string[]} data from the top down */
function categories(data) {
  return { type: "category", data, inverse: true, axisTick: { show: false }, axisLabel: { interval: 0 } };
}

/**
 * @param {Results} results
 * @returns {(library: string) => string}
 */
function colorOf({ libraries }) {
  const others = libraries.filter(({ isOurs }) => !isOurs).map(({ id }) => id);
  return (library) =>
    libraries.find(({ id }) => id === library)?.isOurs
      ? library === KEPT
        ? OURS_COLOR
        : "#fdba74"
      : COLORS[others.indexOf(library) % COLORS.length];
}

/** @typedef {ReturnType<typeof rowsOf>[number]} Row */

/**
 * One row a workload, one dot a library, on a logarithmic scale.
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string | undefined} operation all of the section, if it is not given
 * @param {(row: Row, library: string) => { value: number, label: string } | undefined} point
 * @param {string} axis
 */
function dots(results, host, section, operation, point, axis) {
  const color = colorOf(results);
  const rows = rowsOf(section, operation === undefined ? undefined : [operation]);
  const nameOf = (/** @type {Row} */ row) => (operation === undefined ? row.label : row.workload);
  const series = measuredLibraries(results, host, section).map((library) => ({
    name: library,
    type: "scatter",
    symbol: library === KEPT ? "diamond" : "circle",
    symbolSize: library === KEPT ? 15 : 9,
    z: library === KEPT ? 3 : 2,
    itemStyle: { color: color(library), opacity: 0.9 },
    data: rows.flatMap((row) => {
      const found = point(row, library);
      if (found === undefined) return [];
      return [{ name: `${row.workload}: ${found.label}`, value: [found.value, nameOf(row)] }];
    }),
  }));
  return {
    height: rows.length * ROW_HEIGHT + CHART_MARGINS,
    option: {
      ...COMMON,
      legend: { type: "plain", top: 0, left: 0, right: 0 },
      grid: gridOf({ left: 10, right: 30, top: 80, bottom: 40 }),
      tooltip: { trigger: "item", formatter: "{a}<br>{b}" },
      xAxis: axisOf("log", axis),
      yAxis: { ...categories(rows.map(nameOf)), splitLine: { show: true } },
      series,
    },
  };
}

/**
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string} [operation] default: all
 */
export function speedChart(results, host, section, operation) {
  const timingOf = indexOf(results.timings);
  return dots(
    results,
    host,
    section,
    operation,
    ({ workload, operation }, library) => {
      const time = timingOf(host.id, workload, operation, library);
      const reference = timingOf(host.id, workload, operation, section.reference);
      if (time === undefined || reference === undefined) return undefined;
      const value = reference.mean / time.mean;
      const speed = `${operationsPerSecond(time.mean)} ops/s ${margin(time.margin)}, ${time.samples} samples`;
      return { value, label: `${ratio(value)}× ${section.reference}<br>${speed}` };
    },
    `times as fast as ${section.reference}; further right is faster`,
  );
}

/**
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 * @param {string} [operation] default: all
 */
export function allocationChart(results, host, section, operation) {
  const allocated = indexOf(results.allocations);
  return dots(
    results,
    host,
    section,
    operation,
    ({ workload, operation, bytes }, library) => {
      const found = allocated(host.id, workload, operation, library);
      if (found === undefined || found.bytes < 1) return undefined;
      const value = found.bytes / bytes;
      return { value, label: `${size(found.bytes)} bytes, ${ratio(value)} for each byte of the message` };
    },
    "bytes allocated for each byte of the message; further left is less",
  );
}

/**
 * Geometric means over the workloads of 1 KB and more that a library and the reference can do.
 * @param {Results} results
 * @param {Host} host
 * @param {Section} section
 */
export function meansChart(results, host, section) {
  const timingOf = indexOf(results.timings);
  const names = section.workloads.filter(({ bytes }) => bytes >= LARGE_BYTES).map(({ name }) => name);
  const libraries = measuredLibraries(results, host, section);
  const means = (/** @type {Direction} */ direction) =>
    libraries.map((library) => {
      const ratios = names.flatMap((workload) => {
        const time = timingOf(host.id, workload, direction, library);
        const reference = timingOf(host.id, workload, direction, REFERENCE_KEPT);
        return time === undefined || reference === undefined ? [] : [reference.mean / time.mean];
      });
      return ratios.length === 0 ? null : Number(geometricMean(ratios).toFixed(2));
    });
  const shades = { decode: [OURS_COLOR, "#2563eb"], encode: ["#fb923c", "#93c5fd"] };
  const isOurs = new Set(results.libraries.filter((library) => library.isOurs).map(({ id }) => id));
  return {
    height: libraries.length * 38 + CHART_MARGINS,
    option: {
      ...COMMON,
      backgroundColor: "#ffffff",
      title: {
        text: `Times as fast as @msgpack/msgpack, ${host.name}`,
        subtext: `geometric means over workloads of 1 KB and more (${names.length}); the lighter bar is encode`,
        left: "center",
        textStyle: { fontSize: 15 },
      },
      grid: gridOf({ left: 25, right: 50, top: 60, bottom: 20 }),
      xAxis: { type: "value" },
      yAxis: categories(libraries),
      series: directions.map((direction) => ({
        name: direction,
        type: "bar",
        label: { show: true, position: "right", fontSize: 11 },
        data: means(direction).map((value, index) => ({
          value,
          itemStyle: { color: shades[direction][isOurs.has(libraries[index]) ? 0 : 1] },
        })),
      })),
    },
  };
}

/**
 * @param {Results} results
 * @param {Host} host
 */
export function startupChart(results, host) {
  const rows = results.startups.filter((row) => row.host === host.id);
  return bars(
    results,
    rows.map(({ library, milliseconds }) => ({ name: library, value: Number(milliseconds.toFixed(1)) })),
    "ms to import, encode and decode once, in a fresh process",
  );
}

/** @param {Results} results */
export function downloadChart(results) {
  return bars(
    results,
    results.downloads.map(({ library, gzipped }) => ({ name: library, value: gzipped })),
    "bytes, minified and gzipped",
  );
}

/**
 * @param {Results} results
 * @param {{ name: string, value: number }[]} rows
 * @param {string} axis
 */
function bars({ libraries }, rows, axis) {
  const isOurs = (/** @type {string} */ name) =>
    libraries.some(({ id, library, isOurs: ours }) => ours && (id === name || library === name));
  return {
    height: rows.length * ROW_HEIGHT + CHART_MARGINS,
    option: {
      ...COMMON,
      grid: gridOf({ left: 10, right: 60, top: 20, bottom: 40 }),
      xAxis: axisOf("value", axis),
      yAxis: categories(rows.map(({ name }) => name)),
      series: [
        {
          type: "bar",
          label: { show: true, position: "right" },
          data: rows.map(({ name, value }) => ({
            name,
            value,
            itemStyle: { color: isOurs(name) ? OURS_COLOR : COLORS[0] },
          })),
        },
      ],
    },
  };
}

/**
 * @param {Results} results
 * @param {Host} host
 */
export function growthChart(results, host) {
  const rows = results.growths.filter((row) => row.host === host.id);
  const lines = ["msgpack-wasm", "JSON"].flatMap((library) =>
    directions.map((direction) => ({
      name: `${library}, ${direction}`,
      type: "line",
      lineStyle: { type: direction === "encode" ? "dashed" : "solid" },
      color: library === "JSON" ? COLORS[0] : OURS_COLOR,
      data: rows
        .filter((row) => row.library === library && row.direction === direction)
        .map(({ megabytes, nanosecondsPerByte }) => [megabytes, Number(nanosecondsPerByte.toFixed(2))]),
    })),
  );
  return {
    height: 360,
    option: {
      ...COMMON,
      legend: { top: 0 },
      grid: { left: 50, right: 30, top: 40, bottom: 50 },
      xAxis: axisOf("log", "MB"),
      yAxis: { type: "value", name: "ns/byte", min: 0 },
      series: lines,
    },
  };
}
