import { BarChart } from "echarts/charts";
import { AriaComponent, GridComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { computeGoals } from "../goals.mjs";
import { JSON_BYTES, JSON_STRING, KEPT, POOLED, REFERENCE_KEPT } from "../names.mjs";
import { codec, codecWorkloads, directions, indexOf, isCodec } from "../results.mjs";
import { meansChart } from "./charts.mjs";
import { margin, operationsPerSecond, ratio, size } from "./format.mjs";
import { protocolTable } from "./tables.mjs";

const BEGIN = "<!-- bench:begin (written by `npm run bench -- --readme`) -->";
const END = "<!-- bench:end -->";
const CHART_WIDTH = 860;

use([AriaComponent, BarChart, GridComponent, SVGRenderer, TitleComponent, TooltipComponent]);

/**
 * Draws the README's picture.
 * @param {import("../results.mjs").Results} results
 * @returns {string} SVG
 */
export function renderSvg(results) {
  const section = { ...codec, workloads: codecWorkloads(results) };
  const { height, option } = meansChart(results, mainHost(results), section);
  const chart = init(null, undefined, { renderer: "svg", ssr: true, width: CHART_WIDTH, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/**
 * Puts the table of a run between the README's two markers.
 * @param {string} readme
 * @param {import("../results.mjs").Results} results
 * @param {string} chart path of the picture, from the README
 * @returns {string}
 * @throws {Error} if the markers are not there
 */
export function insertInReadme(readme, results, chart) {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`The README lacks the lines ${BEGIN} and ${END}`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${renderMarkdown(results, chart)}\n\n${readme.slice(end)}`;
}

/**
 * @param {import("../results.mjs").Results} results
 * @param {string} chart
 */
function renderMarkdown(results, chart) {
  const host = mainHost(results);
  const { machine } = results;
  const goals = computeGoals(results).filter(({ isReached }) => isReached !== undefined);
  const reached = goals.filter(({ isReached }) => isReached).length;
  const versions = new Map(
    results.libraries.map(({ library, version }) => [library, `${library} ${version}`.trim()]),
  );
  return [
    `![Bars: how many times as fast as @msgpack/msgpack each library is, ${host.name}](${chart})`,
    "",
    `${host.name} (${host.engine}) on ${machine.processor}, ${results.date.slice(0, 10)}; ${[...versions.values()].join(", ")}.`,
    "Each cell is how many times as fast `msgpack-wasm` (kept instances) is: **below 1, the other one is faster**. `msgpackr`",
    "is the fastest of its modes, with its native addon; JSON is the faster of its ways, and for `encode` that to bytes. Results",
    "of msgpackr and of cbor-x are parts of larger buffers: `pooled` is how many times as fast ours is with that option.",
    "",
    ...directions.flatMap((direction) => [...markdownTable(results, host, direction), ""]),
    "The protocols: nanoseconds and bytes allocated by an operation; how many times as fast that is as with each of the others,",
    "and what they allocate.",
    "",
    ...protocolLines(results),
    ...hostLines(results),
    "",
    `Of ${goals.length} goals set for speed, memory and growth, ${reached} are reached; the report that \`npm run bench\` writes lists them all.`,
  ].join("\n");
}

/** @param {import("../results.mjs").Results} results */
function mainHost({ hosts }) {
  return hosts.filter(({ kind }) => kind === "node").at(-1) ?? hosts[0];
}

/**
 * The peers that a reader chooses between; the rest stands in the last column.
 * @param {import("../results.mjs").Results} results
 * @param {import("../results.mjs").Direction} direction
 */
function columnsOf({ libraries }, direction) {
  const idsOf = (/** @type {string} */ library) =>
    libraries.filter((candidate) => candidate.library === library).map(({ id }) => id);
  const named = ["@msgpack/msgpack", "msgpackr", "JSON"];
  const others = libraries.filter(({ library, isOurs }) => !isOurs && !named.includes(library));
  return {
    "@msgpack/msgpack": [REFERENCE_KEPT],
    msgpackr: idsOf("msgpackr"),
    JSON: direction === "encode" ? [JSON_BYTES] : [JSON_BYTES, JSON_STRING],
    "fastest other": others.map(({ id }) => id),
  };
}

/**
 * @param {import("../results.mjs").Results} results
 * @param {import("../hosts.mjs").Host} host
 * @param {import("../results.mjs").Direction} direction
 */
function markdownTable(results, host, direction) {
  const timingOf = indexOf(results.timings);
  const columns = Object.entries(columnsOf(results, direction));
  const rows = codecWorkloads(results).flatMap(({ name, bytes }) => {
    const own = timingOf(host.id, name, direction, KEPT);
    if (own === undefined) return [];
    const cells = columns.map(([, libraries]) => {
      const times = libraries.flatMap((library) => timingOf(host.id, name, direction, library)?.mean ?? []);
      if (times.length === 0) return "–";
      const value = Math.min(...times) / own.mean;
      return value < 1 ? `**${ratio(value)}**` : ratio(value);
    });
    const pooled = timingOf(host.id, name, direction, POOLED)?.mean;
    const gain = pooled === undefined ? "–" : ratio(own.mean / pooled);
    const speed = `${operationsPerSecond(own.mean)} ${margin(own.margin)}`;
    return [[name, size(bytes), speed, ...(direction === "encode" ? [gain] : []), ...cells]];
  });
  const options = direction === "encode" ? ["`pooled`"] : [];
  return markdownLines([direction, "bytes", "ops/s", ...options, ...columns.map(([name]) => name)], rows);
}

/**
 * @param {readonly string[]} columns
 * @param {readonly (readonly string[])[]} rows
 */
function markdownLines(columns, rows) {
  return [columns, ["---", ...columns.slice(1).map(() => "---:")], ...rows].map(
    (row) => `| ${row.join(" | ")} |`,
  );
}

/** @param {import("../results.mjs").Results} results */
function protocolLines(results) {
  const host = mainHost(results);
  return results.sections
    .filter((section) => !isCodec(section))
    .flatMap((section) => {
      const { columns, rows } = protocolTable(results, host, section);
      const cells = rows.map((row) => row.map(({ text, mark }) => (mark === "bad" ? `**${text}**` : text)));
      return [...markdownLines([section.name, ...columns.slice(1)], cells), ""];
    });
}

/**
 * What other hosts say, in a line each.
 * @param {import("../results.mjs").Results} results
 */
function hostLines(results) {
  const goals = computeGoals(results);
  return results.hosts.map(({ id, name }) => {
    const means = goals.filter(
      ({ host, name: goal, value }) =>
        host === id && goal.endsWith("geometric mean") && !goal.includes("without") && !Number.isNaN(value),
    );
    return `- ${name}: ${means.map(({ name: goal, value }) => `${goal.replace(", geometric mean", "")} ${ratio(value)}×`).join("; ")}`;
  });
}
