// The tests as one module, for any host that runs JavaScript: `runTests()` is all that it gives.
import { type File, type Suite, startTests, type Task, type VitestRunner } from "@vitest/runner";
import { files } from "msgpack-wasm-tests";
import { testsForNode, testsForSome } from "./needsNode.mjs";

export interface Results {
  readonly passed: number;
  readonly failed: number;
  /** For want of Node, or because a test itself says so. */
  readonly skipped: number;
  /** What failed, and why. */
  readonly failures: readonly string[];
  /** The slowest, in ms. */
  readonly slowest: readonly string[];
}

/** A machine may stand still for minutes. */
const TIMEOUT = 900_000;

/**
 * @param pattern of the names of files: others are left out
 * @param part which of `parts` that have about as many files each
 */
export async function runTests(pattern = "", part = 0, parts = 1): Promise<Results> {
  const wanted = Object.keys(files).filter((name, i) => new RegExp(pattern).test(name) && i % parts === part);
  const known = new Set<string>();
  const left = testsForSome.filter(({ isThere }) => !isThere()).flatMap(({ tests }) => tests);
  const lists = [...Object.keys(testsForNode), ...testsForSome.flatMap(({ tests }) => tests)];
  const runner: VitestRunner = {
    config: {
      root: "",
      setupFiles: [],
      name: undefined,
      passWithNoTests: false,
      testNamePattern: undefined,
      allowOnly: false,
      sequence: { seed: 0, hooks: "stack", setupFiles: "list" },
      chaiConfig: undefined,
      maxConcurrency: 1,
      testTimeout: TIMEOUT,
      hookTimeout: TIMEOUT,
      retry: 0,
      includeTaskLocation: false,
      tags: [],
      tagsFilter: undefined,
      strictTags: false,
    },
    importFile: (file) => files[file.replace(/^\//, "")](),
    onBeforeRunTask(task) {
      const name = fullName(task);
      const listed = lists.filter((key) => name.includes(key));
      for (const key of listed) known.add(key);
      const isLeft = listed.some((key) => testsForNode[key] !== undefined || left.includes(key));
      if (isLeft) task.mode = "skip";
    },
  };
  const done = await startTests(wanted, runner);
  const tests = done.flatMap(testsOf);
  const failures = done.flatMap(failuresOf);
  const unknown = lists.filter((name) => !known.has(name));
  if (pattern === "" && parts === 1 && unknown.length > 0)
    failures.push(`no test has the name ${unknown.join(", nor ")}`);
  const duration = (task: Task) => task.result?.duration ?? 0;
  const slowest = [...tests].sort((a, b) => duration(b) - duration(a)).slice(0, 20);
  return {
    passed: tests.filter(({ result }) => result?.state === "pass").length,
    failed: failures.length,
    skipped: tests.filter(({ mode }) => mode !== "run").length,
    failures,
    slowest: slowest.map((task) => `${Math.round(duration(task))} ${fullName(task)}`),
  };
}

function fullName(task: Task): string {
  const own =
    task.suite === undefined
      ? [task.file.name.replace(/^\//, ""), task.name]
      : [fullName(task.suite), task.name];
  return own.join(" > ");
}

function testsOf(suite: Suite | File): Task[] {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? testsOf(task) : [task]));
}

/** Suites fail, too: by their hooks, or when they are collected. */
function failuresOf(task: Task): string[] {
  const own = (task.result?.errors ?? []).map(
    (error) => `${fullName(task)}: ${error.message}\n${error.stack}`,
  );
  return task.type === "suite" ? [...own, ...task.tasks.flatMap(failuresOf)] : own;
}
