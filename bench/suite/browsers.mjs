import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { Failure } from "../../scripts/lib/command.mjs";
import { needHostPackages } from "../../scripts/lib/hostPackages.mjs";
import { CHROMIUM } from "../lib/chromium.mjs";
import { browserPeers } from "./peers.mjs";
import { interleave } from "./plan.mjs";
import { startProgress } from "./progress.mjs";
import { serve } from "./serve.mjs";

/**
 * How to open a page without a window. No driver is needed: the page runs by itself, and sends what it found.
 * @typedef {object} Browser
 * @property {"chromium" | "firefox-esr"} command
 * @property {(profile: string) => string[]} args
 * @property {string} [preferences] of a fresh profile
 */

/** @type {Record<string, Browser>} */
const browsers = {
  chromium: {
    command: "chromium",
    args: (profile) => ["--headless=new", `--user-data-dir=${profile}`, ...CHROMIUM.args],
  },
  firefox: {
    command: "firefox-esr",
    args: (profile) => ["--headless", "--no-remote", "--profile", profile],
    preferences: [
      ["datareporting.policy.dataSubmissionEnabled", false],
      ["app.normandy.enabled", false],
      ["app.update.auto", false],
      ["extensions.update.enabled", false],
      ["browser.safebrowsing.malware.enabled", false],
      ["network.captive-portal-service.enabled", false],
      ["browser.aboutwelcome.enabled", false],
      ["browser.shell.checkDefaultBrowser", false],
      ["dom.max_script_run_time", 0],
    ]
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`)
      .join("\n"),
  },
};

/** Without a sign of life for so long, something is wrong. */
const SILENCE_MILLISECONDS = 180_000;
/** A browser may hang as it starts; the second one seldom does. */
const ATTEMPTS = 2;

/**
 * Sees to it that browsers are there, before anything is measured.
 * @param {readonly string[]} names
 * @throws {Failure} where there is none of a name
 */
export async function needBrowsers(names) {
  for (const name of names) {
    if (!Object.hasOwn(browsers, name)) {
      throw new Failure(`--browser takes ${Object.keys(browsers).join(" and ")}: not ${name}`);
    }
  }
  await needHostPackages(names.map((name) => browsers[name].command));
}

/**
 * @param {string} name of a browser that is there
 * @param {readonly import("./sections.mjs").Entry[]} workloads of the codec
 * @param {import("./plan.mjs").Settings} settings
 * @returns {Promise<{ host: import("./hosts.mjs").Host } & import("./measureNode.mjs").Measured>} a browser that cannot
 *   be run is a failure among those of what was measured, as the rest is worth keeping
 */
export async function measureBrowser(name, workloads, { effort }) {
  const jobs = interleave({ workloads, peers: browserPeers }, 1);
  const plan = {
    effort,
    names: jobs.map(({ workload, peer }) => ({ workload: workload.name, peer: peer.id })),
  };
  let reason = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const progress = startProgress(`${name}, times`, jobs.length);
    try {
      const results = await openUntilDone(browsers[name], plan, (done) => {
        const { workload, peer } = jobs[done];
        progress.next(`${workload.name}, ${peer.id}`);
      });
      return { allocations: [], ...results };
    } catch (error) {
      reason = /** @type {Error} */ (error).message;
    } finally {
      progress.end();
    }
  }
  return {
    host: { id: name, kind: "browser", name, engine: "" },
    timings: [],
    allocations: [],
    failures: [{ host: name, workload: "all", library: "all", reason }],
  };
}

/**
 * @param {Browser} browser
 * @param {unknown} plan
 * @param {(done: number) => void} onProgress
 * @returns {Promise<any>} what the page sends
 */
async function openUntilDone({ command, args, preferences = "" }, plan, onProgress) {
  const profile = await mkdtemp(path.join(os.tmpdir(), "msgpack-wasm-bench-"));
  await writeFile(path.join(profile, "user.js"), preferences);
  /** @type {PromiseWithResolvers} */
  const done = withResolvers();
  const watch = setTimeout(
    () => done.reject(new Failure(`${command} has gone silent`)),
    SILENCE_MILLISECONDS,
  );
  const server = await serve({
    plan,
    onPost(pathname, body) {
      watch.refresh();
      if (pathname === "/progress") onProgress(Number(body));
      else done.resolve(JSON.parse(body));
    },
  });
  // In a process group of its own, which goes as a whole.
  const child = spawn(command, [...args(profile), `${server.url}?suite`], {
    stdio: "ignore",
    detached: true,
  });
  child.on("error", (error) => done.reject(new Failure(`${command}: ${error.message}`)));
  child.on("exit", (code) => done.reject(new Failure(`${command} ended by itself, with exit code ${code}`)));
  try {
    return await done.promise;
  } finally {
    clearTimeout(watch);
    server.close();
    if (child.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @typedef {{ promise: Promise<any>, resolve: (value: any) => void, reject: (error: Error) => void }} PromiseWithResolvers */

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers() {
  /** @type {any} */
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
}
