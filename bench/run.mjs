// The benchmark suite: ours beside its peers.
//   npm run bench                       everything, on this Node
//   npm run bench -- FILE…              your own .json or .msgpack files
//
// suite/sections.mjs says what is compared with what: the codec (workloads.mjs, peers.mjs), and protocols (../protocols).
// plan.mjs says in which order and how long; measureNode.mjs runs child.mjs in a process for each library and workload,
// browsers.mjs page/ in workers. results.mjs is what comes out, goals.mjs judges it, report/ shows it.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, main, root } from "../scripts/lib/command.mjs";
import { measureBrowser, needBrowsers } from "./suite/browsers.mjs";
import { measureDownloads } from "./suite/download.mjs";
import { describeMachine, findNode } from "./suite/hosts.mjs";
import { measureGrowth, measureNode, measureStartups } from "./suite/measureNode.mjs";
import { NO_CODEGEN } from "./suite/names.mjs";
import { peers } from "./suite/peers.mjs";
import { fullSettings, quickSettings } from "./suite/plan.mjs";
import { renderHtml } from "./suite/report/html.mjs";
import { insertInReadme, renderSvg } from "./suite/report/readme.mjs";
import {
  allocationTable,
  goalTable,
  otherTables,
  printTable,
  protocolTable,
  ratioTable,
  workloadTable,
} from "./suite/report/tables.mjs";
import { codec, describeSection, isCodec } from "./suite/results.mjs";
import { fileSection, sections } from "./suite/sections.mjs";

const USAGE = `npm run bench -- [options] [FILE…]
  FILE…               your own .json or .msgpack files instead of the workloads
  --quick             a part of the workloads, few samples: rough numbers in under three minutes
  --filter WORD       only workloads whose name or group contains the word (may be repeated): twitter, documents, signalr,
                      redis, streaminghub
  --node 20,24,26     on these versions of Node, which are installed from npm where they are missing
  --browser NAMES     in these browsers, too: chromium,firefox
  --no-codegen        ours also without code generation from strings
  --readme            the run for the README: --no-codegen, Node 20 and 26, both browsers; writes its section
  --from FILE         measures nothing, reports the results in FILE`;

/** Below this many workloads, all about each of them fits a terminal. */
const FEW = 4;
const CHART = "bench/speed.svg";
const reports = path.join(root, "bench/results");

await main(async () => {
  const options = readOptions();
  const results = options.from ? JSON.parse(await readFile(options.from, "utf8")) : await measure(options);
  if (!options.from) await writeReport("latest.json", `${JSON.stringify(results, null, 1)}\n`);
  print(results);
  await writeReport("latest.html", await renderHtml(results));
  if (options.readme) await writeReadme(results);
  if (results.failures.length > 0)
    throw new Failure(`${results.failures.length} measurements went wrong: see above`);
});

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        filter: { type: "string", multiple: true, default: [] },
        node: { type: "string" },
        browser: { type: "string" },
        "no-codegen": { type: "boolean", default: false },
        readme: { type: "boolean", default: false },
        from: { type: "string" },
      },
    });
    const list = (/** @type {string | undefined} */ text) => text?.split(",").filter((item) => item !== "");
    return {
      ...values,
      files: positionals,
      node: list(values.node) ?? (values.readme ? ["20", "26"] : [process.versions.node]),
      browser: list(values.browser) ?? (values.readme ? ["chromium", "firefox"] : []),
      "no-codegen": values["no-codegen"] || values.readme,
    };
  } catch (error) {
    throw new Failure(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
  }
}

/**
 * @param {ReturnType<typeof readOptions>} options
 * @returns {Promise<import("./suite/results.mjs").Results>}
 */
async function measure(options) {
  const settings = options.quick ? quickSettings : fullSettings;
  const chosen = chooseSections(options);
  await needBrowsers(options.browser);
  const nodes = [];
  for (const version of options.node) nodes.push(await findNode(version));
  const libraries = peers.filter(({ id }) => id !== NO_CODEGEN || options["no-codegen"]);
  const contestants = new Map(chosen.flatMap((section) => section.peers.map((peer) => [peer.id, peer])));
  /** @type {import("./suite/results.mjs").Results} */
  const results = {
    date: new Date().toISOString(),
    isQuick: options.quick,
    machine: describeMachine(),
    libraries: await Promise.all([...contestants.values()].map(describeLibrary)),
    sections: [],
    hosts: [],
    timings: [],
    allocations: [],
    startups: [],
    growths: [],
    downloads: await measureDownloads(),
    absences: chosen.flatMap(absencesOf),
    failures: [],
  };
  const isWhole = options.filter.length === 0 && options.files.length === 0;
  for (const node of nodes) {
    const { executable, ...host } = node;
    results.hosts.push(host);
    add(results, await measureNode(node, chosen, settings));
    if (!isWhole) continue;
    results.startups.push(...(await measureStartups(node, libraries, settings)));
    results.growths.push(...(await measureGrowth(node, settings)));
  }
  const inBrowsers = chosen.find(({ name }) => name === codec.name)?.workloads ?? [];
  for (const name of inBrowsers.length === 0 ? [] : options.browser) {
    const { host, ...measured } = await measureBrowser(name, inBrowsers, settings);
    results.hosts.push(host);
    add(results, measured);
  }
  results.sections = chosen.map((section) => describeSection(section, results.timings));
  return results;
}

/**
 * @param {import("./suite/results.mjs").Results} results
 * @param {import("./suite/measureNode.mjs").Measured} measured
 */
function add(results, { timings, allocations, failures }) {
  results.timings.push(...timings);
  results.allocations.push(...allocations);
  results.failures.push(...failures);
}

/**
 * @param {ReturnType<typeof readOptions>} options
 * @returns {import("./suite/sections.mjs").Section[]} with what is to be measured
 */
function chooseSections({ quick, filter, files, "no-codegen": noCodegen }) {
  const matches = (/** @type {string} */ text) =>
    filter.some((word) => text.toLowerCase().includes(word.toLowerCase()));
  const isChosen = (/** @type {import("./suite/sections.mjs").Entry} */ { name, group, isQuick }) =>
    filter.length > 0 ? matches(name) || matches(group) : !quick || isQuick;
  const all = files.length > 0 ? [fileSection(files)] : sections;
  const chosen = all.map((section) => ({
    ...section,
    workloads: section.workloads.filter((workload) => files.length > 0 || isChosen(workload)),
    peers: section.peers.filter(({ id }) => id !== NO_CODEGEN || noCodegen),
  }));
  if (chosen.every(({ workloads }) => workloads.length === 0)) {
    const names = sections.flatMap(({ workloads }) => workloads.map(({ name }) => name));
    throw new Failure(`No workload is like ${filter.join(" or ")}. There are: ${names.join("; ")}`);
  }
  return chosen.filter(({ workloads }) => workloads.length > 0);
}

/** @param {import("./suite/sections.mjs").Section} section */
function absencesOf({ workloads, peers: contestants }) {
  return contestants.flatMap((peer) =>
    workloads.flatMap((workload) => {
      const reason = peer.cannot(workload);
      const inBrowsers = peer.cannotInBrowsers?.(workload);
      const names = { library: peer.id, workload: workload.name };
      if (reason !== undefined) return [{ ...names, reason }];
      return inBrowsers === undefined ? [] : [{ ...names, reason: `in browsers, ${inBrowsers}` }];
    }),
  );
}

/** @param {import("./suite/peers.mjs").Contestant} peer */
async function describeLibrary({ id, library, isOurs, isMessagePack, hasAddon }) {
  const addon = await hasAddon?.();
  return {
    id,
    library,
    version: await versionOf(library),
    isOurs,
    isMessagePack,
    ...(addon === undefined ? {} : { addon }),
  };
}

/** @param {string} library */
async function versionOf(library) {
  if (library === "JSON") return "";
  const folder = library === "msgpack-wasm" ? root : path.join(root, "node_modules", library);
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")).version;
}

/** @param {import("./suite/results.mjs").Results} results */
function print(results) {
  for (const host of results.hosts) {
    for (const section of results.sections) {
      for (const table of tablesOf(results, host, section)) {
        if (table.rows.length > 0) console.log(printTable(table));
      }
    }
  }
  for (const table of otherTables(results)) {
    if (table.title !== "Not compared") console.log(printTable(table));
  }
  console.log(printTable(goalTable(results, true)));
}

/**
 * @param {import("./suite/results.mjs").Results} results
 * @param {import("./suite/hosts.mjs").Host} host
 * @param {import("./suite/results.mjs").SectionInfo} section
 */
function tablesOf(results, host, section) {
  const { operations, workloads } = section;
  if (!isCodec(section)) return [protocolTable(results, host, section)];
  if (workloads.length <= FEW) {
    return workloads.flatMap(({ name }) =>
      operations.map((operation) => workloadTable(results, host, name, operation)),
    );
  }
  return operations.flatMap((operation) => [
    ratioTable(results, host, section, operation),
    ...(host.kind === "node" ? [allocationTable(results, host, section, operation)] : []),
  ]);
}

/**
 * @param {string} name
 * @param {string} text
 */
async function writeReport(name, text) {
  await mkdir(reports, { recursive: true });
  await writeFile(path.join(reports, name), text);
  console.log(`\n→ bench/results/${name}`);
}

/** @param {import("./suite/results.mjs").Results} results */
async function writeReadme(results) {
  const file = path.join(root, "README.md");
  await writeFile(path.join(root, CHART), renderSvg(results));
  await writeFile(file, insertInReadme(await readFile(file, "utf8"), results, CHART));
  console.log(`\n→ README.md and ${CHART}`);
}
