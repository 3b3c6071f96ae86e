import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestHub } from "./signalr/lib/TestHub.ts";
import { BackplaneServer } from "./signalr/redis/lib/BackplaneServer.ts";
import { RedisServer } from "./signalr/redis/lib/RedisServer.ts";
import { HubServer, ReturnStatus } from "./streaminghub/lib/HubServer.ts";

// Users copy what is written there.

const root = path.join(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "msgpack-wasm-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

for (const scope of ["@msgpack", "@microsoft", "@grpc"]) {
  mkdirSync(path.join(folder, "node_modules", scope), { recursive: true });
}
symlinkSync(root, path.join(folder, "node_modules/msgpack-wasm"));
for (const name of ["@msgpack/msgpack", "@microsoft/signalr", "@grpc/grpc-js", "ioredis"]) {
  symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
}

/** What the examples speak to, by the addresses that they have there. */
let hub: TestHub;
let redis: RedisServer;
let backplane: BackplaneServer;
let chat: HubServer;

beforeAll(async () => {
  hub = await TestHub.start({
    say: (caller, user, text) => caller.call("message", user, text),
    echo: (_, value) => value,
  });
  redis = await RedisServer.start();
  backplane = await BackplaneServer.start(redis.port, "MyApp.ChatHub");
  await backplane.connect({ id: "connection-1", protocol: "json", user: "ada", answer: () => 42 });
  await backplane.connect({ id: "connection-2", protocol: "messagepack" });
  chat = await HubServer.start("IChatHub", {
    JoinAsync: (value) => [(value as string[])[1]],
    SendAsync: (text, connection) => {
      if (text === "") throw new ReturnStatus(3, "There is nothing to say");
      connection.broadcast("OnMessage", "Ada", text);
      return null;
    },
    Typing: () => null,
  });
});

afterAll(async () => {
  chat.stop();
  await backplane.stop();
  await redis.stop();
  await hub.stop();
});

function withAddresses(code: string): string {
  return code
    .replace("http://localhost:5000/hub", hub.url)
    .replace("redis://localhost:6379", redis.url)
    .replace("localhost:5001", `127.0.0.1:${chat.port}`);
}

/** `console.assert` alone would only print. */
const preamble = `
  import { deepStrictEqual as $same } from "node:assert/strict";
  console.assert = (isTrue) => { if (!isTrue) throw new Error("console.assert: " + new Error().stack); };
`;

/** `expression; // → value` as a check of that. */
function withChecks(block: string): string {
  return block.replace(
    /^(?!\s*(?:const|let|import|for|if|return)\b)(\s*)(\S.*?);? *\/\/ → (.*)$/gm,
    (_, indent: string, expression: string, value: string) =>
      `${indent}$same(await (${expression}), (${value}));`,
  );
}

describe.each(["README.md", "MIGRATING.md"])("%s", (name) => {
  const text = readFileSync(path.join(root, name), "utf8");
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code], i) => [i + 1, code] as const);

  test("has code in it", () => {
    expect(blocks.length).toBeGreaterThan(1);
  });

  test.each(blocks)("its block %d runs, and what it says is so", async (number, code) => {
    const checked = withChecks(code);
    // Each arrow became a check, and each block makes one.
    expect(checked).not.toContain("→");
    expect(checked).toMatch(/\$same\(|console\.assert\(/);
    const file = path.join(folder, `${name}.${number}.mjs`);
    writeFileSync(file, preamble + withAddresses(checked));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
    expect(stdout + stderr).toBe("");
  });

  test("has links that lead somewhere", () => {
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      const [file, anchor] = link.split("#");
      if (file !== "") expect(existsSync(path.join(root, file)), link).toBe(true);
      if (file === "" && anchor !== undefined) expect(headings, link).toContain(anchor);
    }
  });

  test("has the table of differences, numbered, each with a test", () => {
    const numbers = [...text.matchAll(/^\| +(\d+) \|/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 14 }, (_, i) => i + 1));
    const tests = readFileSync(path.join(root, "test/differences.test.ts"), "utf8");
    expect([...tests.matchAll(/^(?:describe|test)\("(\d+): /gm)].map(([, number]) => Number(number))).toEqual(
      numbers,
    );
  });
});

test("the names that MIGRATING.md imports are those that there are", async () => {
  const exported = Object.keys(await import("msgpack-wasm"));
  for (const name of ["README.md", "MIGRATING.md"]) {
    const text = readFileSync(path.join(root, name), "utf8");
    for (const [, names] of text.matchAll(/import \{([^}]*)\} from "msgpack-wasm"/g)) {
      const list = names.split(",").map((item) => item.trim());
      for (const item of list.filter((item) => item !== "")) expect(exported).toContain(item);
    }
  }
});
