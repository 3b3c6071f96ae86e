import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { isCodec } from "../results.mjs";
import {
  allocationTable,
  goalTable,
  numberColumns,
  otherTables,
  protocolTable,
  speedTable,
} from "./tables.mjs";

/**
 * Writes the report as a page that needs nothing but itself: styles, charting library and data are in it.
 * @param {import("../results.mjs").Results} results
 * @returns {Promise<string>}
 */
export async function renderHtml(results) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.mjs", import.meta.url))],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  const title = `msgpack-wasm: benchmarks of ${results.date.slice(0, 10)}`;
  const [others, absent] = [
    otherTables(results).filter(({ title: name }) => name !== "Not compared"),
    otherTables(results).filter(({ title: name }) => name === "Not compared"),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${facts(results)}
${renderTable(goalTable(results))}
<p class="choice"><label>Charts and tables of <select id="host">${results.hosts
    .map(
      ({ id, name, engine }) =>
        `<option value="${escapeHtml(id)}">${escapeHtml(`${name} ${engine}`)}</option>`,
    )
    .join("")}</select></label></p>
${results.sections.map((section) => (isCodec(section) ? codecSection : protocolSection)(section, results)).join("\n")}
${chart("Start-up", "startup", results.startups)}
${chart("Download", "download", results.downloads)}
${chart("Growth", "growth", results.growths)}
<h2>More numbers</h2>
${others.map(renderTable).join("\n")}
${absent.map((table) => `<details><summary>What is not compared</summary>${renderTable(table)}</details>`).join("")}
<h2>How it was measured</h2>
${METHOD}
<script type="application/json" id="results">${inScript(JSON.stringify(results))}</script>
<script>${inScript(outputFiles[0].text)}</script>
</body>
</html>
`;
}

/**
 * @typedef {import("../results.mjs").Results} Results
 * @typedef {import("../results.mjs").SectionInfo} Section
 */

/**
 * @param {Section} section
 * @param {Results} results
 */
function codecSection(section, results) {
  const parts = section.operations.map(
    (operation) => `<h2>${escapeHtml(section.name)}: ${operation}</h2>
${place("speed", section, operation)}
${numbers(results, (host) => speedTable(results, host, section, operation))}
<h3>Memory</h3>
${place("allocation", section, operation)}
${numbers(results, (host) => allocationTable(results, host, section, operation))}`,
  );
  return ["<h2>At a glance</h2>", place("means", section), ...parts].join("\n");
}

/**
 * @param {Section} section
 * @param {Results} results
 */
function protocolSection(section, results) {
  return `<h2>${escapeHtml(section.name)}</h2>
${place("speed", section)}
<h3>Memory</h3>
${place("allocation", section)}
${numbers(results, (host) => protocolTable(results, host, section))}`;
}

/**
 * Where the page draws a chart.
 * @param {string} chart
 * @param {Section} section
 * @param {string} [operation]
 */
function place(chart, { name }, operation) {
  const part = operation === undefined ? "" : ` data-operation="${escapeHtml(operation)}"`;
  return `<div data-chart="${chart}" data-section="${escapeHtml(name)}"${part}></div>`;
}

/**
 * A table, to unfold, for the host that is chosen.
 * @param {Results} results
 * @param {(host: import("../hosts.mjs").Host) => import("./tables.mjs").Table} tableOf
 */
function numbers({ hosts }, tableOf) {
  const tables = hosts.map(
    (host) => `<div data-host="${escapeHtml(host.id)}">${renderTable(tableOf(host))}</div>`,
  );
  return `<details><summary>In numbers</summary>${tables.join("\n")}</details>`;
}

/**
 * @param {string} title
 * @param {string} id
 * @param {readonly unknown[]} rows without which there is nothing to draw
 */
function chart(title, id, rows) {
  return rows.length === 0 ? "" : `<h2>${title}</h2>\n<div data-chart="${id}"></div>`;
}

/** @param {import("../results.mjs").Results} results */
function facts({ date, isQuick, machine, hosts, libraries }) {
  const versions = new Map(
    libraries.map(({ library, version, addon }) => [
      library,
      `${library} ${version}${addon === undefined ? "" : addon ? " (native addon)" : " (without its addon)"}`.trim(),
    ]),
  );
  const lines = [
    ["measured", `${date}${isQuick ? ", quickly: numbers are rough" : ""}`],
    [
      "machine",
      `${machine.processor}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GB, ${machine.system}`,
    ],
    ["where", hosts.map(({ name, engine }) => (engine ? `${name} (${engine})` : name)).join("; ")],
    ["libraries", [...versions.values()].join(", ")],
  ];
  return `<dl>${lines.map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join("")}</dl>`;
}

/** @param {import("./tables.mjs").Table} table */
function renderTable({ title, note, columns, rows }) {
  const isNumber = numberColumns(rows);
  const classOf = (/** @type {number} */ column, /** @type {string} */ mark = "") =>
    ` class="${isNumber[column] ? "number" : "text"} ${mark}"`;
  const cell = (
    /** @type {import("./tables.mjs").Cell} */ { text, detail, mark },
    /** @type {number} */ column,
  ) =>
    `<td${classOf(column, mark)}>${escapeHtml(text)}${detail ? `<small>${escapeHtml(detail)}</small>` : ""}</td>`;
  return `<div class="table"><table><caption>${escapeHtml(title)}${note ? `<small>${escapeHtml(note)}</small>` : ""}</caption>
<thead><tr>${columns.map((column, index) => `<th${classOf(index)}>${escapeHtml(column)}</th>`).join("")}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}</tbody></table></div>`;
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A script ends at the first `</script`, wherever it stands, and a comment in it may hide that end.
 * @param {string} code JavaScript or JSON, in which `<` may be written so within strings, where alone these occur
 */
function inScript(code) {
  return code.replace(/<(?=\/script|!--)/gi, "\\u003c");
}

const METHOD = `<p>Benchmark.js takes the samples. Each library and workload has processes of its own (in a browser: workers), one
after the other with those of the other libraries, and in another order each round; the samples of all of them count, save
those far above the rest, as a machine has many ways to be late and none to be early. Before it is timed, each library must
have given back what went in. Each decodes what it encodes itself.</p>
<p>Bytes allocated are measured in a process whose young generation is so large that nothing is collected meanwhile: what the
heap, and what it knows of outside, has grown by after many operations, for each of them.</p>`;

const STYLE = `
:root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 1200px; margin: 0 auto; padding: 1rem; color: #1e293b; background: #fff; }
h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #cbd5e1; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dt { font-weight: 600; } dd { margin: 0; }
.choice { position: sticky; top: 0; padding: .5rem 0; background: #fff; z-index: 1; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid #e2e8f0; text-align: left; vertical-align: top; }
th { background: #f1f5f9; vertical-align: bottom; }
.number { text-align: right; }
td:first-child { position: sticky; left: 0; background: #fff; white-space: nowrap; }
small { display: block; font-weight: 400; color: #64748b; }
.best { background: #ffedd5; } .bad { color: #b91c1c; font-weight: 600; }
summary { cursor: pointer; }
`;
