// The benchmark as a page: at the press of a button, or by itself for the suite, which gets the results.
import { browserPeers, findPeer, peers } from "../peers.mjs";
import { fullSettings, interleave, quickSettings, timeAll } from "../plan.mjs";
import { printTable, ratioTable } from "../report/tables.mjs";
import { codec, describeSection, directions } from "../results.mjs";
import { findWorkload, workloads } from "../workloads.mjs";

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {import("../plan.mjs").Job} job
 * @param {import("../timing.mjs").Effort} effort
 * @returns {Promise<any>}
 */
function ask({ workload, peer }, effort) {
  const worker = new Worker("worker.js", { type: "module" });
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data: { answer, failure } }) => {
      if (failure === undefined) resolve(answer);
      else reject(new Error(failure));
    });
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
    worker.postMessage({ workload: workload.name, peer: peer.id, effort });
  }).finally(() => worker.terminate());
}

/** @returns {import("../hosts.mjs").Host} */
function describeHost() {
  const [, name, version] = /(Firefox|Chrome)\/(\d+)/.exec(navigator.userAgent) ?? ["", "Browser", ""];
  return { id: name.toLowerCase(), kind: "browser", name: `${name} ${version}`.trim(), engine: "" };
}

/**
 * @param {import("../plan.mjs").Job[]} jobs
 * @param {import("../timing.mjs").Effort} effort
 * @param {(done: number, job: import("../plan.mjs").Job) => void} onProgress
 */
async function run(jobs, effort, onProgress) {
  const host = describeHost();
  let done = 0;
  const measured = await timeAll(host.id, jobs, (job) => {
    onProgress(done++, job);
    return ask(job, effort);
  });
  return { host, ...measured };
}

/** @param {import("../plan.mjs").Settings} settings */
async function runForReader({ rounds, effort }, isQuick = false) {
  const chosen = workloads.filter((workload) => !isQuick || workload.isQuick);
  const jobs = interleave({ workloads: chosen, peers: browserPeers }, rounds);
  const { host, timings, failures } = await run(jobs, effort, (done, { workload, peer }) => {
    element("progress").textContent = `${done + 1}/${jobs.length}: ${workload.name}, ${peer.id}`;
  });
  element("progress").textContent = "Done.";
  const libraries = peers.map(({ id, library, isOurs, isMessagePack }) => ({
    id,
    library,
    isOurs,
    isMessagePack,
    version: "",
  }));
  const results = /** @type {any} */ ({
    libraries,
    hosts: [host],
    timings,
    failures,
  });
  const section = describeSection({ ...codec, workloads: chosen }, timings);
  element("tables").textContent = [
    ...directions.map((direction) => printTable(ratioTable(results, host, section, direction))),
    ...failures.map(({ workload, library, reason }) => `${library}, ${workload}: ${reason}`),
  ].join("\n");
}

async function runForSuite() {
  const { names, effort } = await (await fetch("plan.json")).json();
  const jobs = names.map((/** @type {{ workload: string, peer: string }} */ { workload, peer }) => ({
    workload: findWorkload(workload),
    peer: findPeer(peer),
  }));
  const results = await run(jobs, effort, (done) => {
    navigator.sendBeacon("progress", String(done));
  });
  await fetch("results", { method: "POST", body: JSON.stringify(results) });
}

element("quick").addEventListener("click", () => runForReader(quickSettings, true));
element("full").addEventListener("click", () => runForReader(fullSettings));
if (new URLSearchParams(location.search).has("suite")) await runForSuite();
