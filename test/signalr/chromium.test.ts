import path from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { CHROMIUM } from "../../bench/lib/chromium.mjs";
import { TestHub } from "./lib/TestHub.ts";

// The page has the package from `dist/`, as bundlers take it, and a policy that forbids code from strings.

const root = path.join(import.meta.dirname, "../..");

const page = `
  import { HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
  import { TypedArrayCodec } from "msgpack-wasm";
  import { MessagePackHubProtocol } from "msgpack-wasm/signalr";

  async function run() {
    const connection = new HubConnectionBuilder()
      .withUrl("/hub")
      .configureLogging(LogLevel.None)
      .withHubProtocol(new MessagePackHubProtocol({ extensionCodec: new TypedArrayCodec() }))
      .build();
    const told = new Promise((resolve) => connection.on("told", (...args) => resolve(args)));
    connection.on("ask", (question) => question + " 42");
    await connection.start();
    const sum = await connection.invoke("add", 40, 2);
    const error = await connection.invoke("fail", "reason").catch((error) => error.message);
    const answer = await connection.invoke("askBack", "answer:");
    const items = [];
    await new Promise((resolve, reject) => {
      connection.stream("count", 3).subscribe({ next: (item) => items.push(item), complete: resolve, error: reject });
    });
    const large = await connection.invoke("echo", { text: "x".repeat(100_000), data: new Uint8Array(50_000) });
    const samples = await connection.invoke("echo", Float32Array.of(0.5, 1.5, 2.5));
    await connection.invoke("tell", "日本", [1, 2, 3]);
    const result = { sum, error, answer, items, large: [large.text.length, large.data.length] };
    result.samples = [samples.constructor.name, ...samples];
    result.told = await told;
    await connection.stop();
    return result;
  }
  window.result = run().catch((error) => "failed: " + error.stack);
`;

test("the official client in Chromium speaks to a hub", { timeout: 120_000 }, async () => {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: root, loader: "js" },
    // Without the paths of this project: the package by its own exports.
    tsconfigRaw: {},
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const hub = await TestHub.start({
    add: (_, a, b) => (a as number) + (b as number),
    echo: (_, value) => value,
    fail: (_, reason) => {
      throw new Error(`refused: ${reason}`);
    },
    askBack: (caller, question) => caller.invoke("ask", question),
    tell: (caller, ...args) => caller.call("told", ...args),
    async *count(_, to) {
      for (let i = 1; i <= (to as number); i++) yield i;
    },
  });
  const policy = "default-src 'self'; img-src data:; script-src 'self' 'wasm-unsafe-eval'";
  const html = `<!doctype html><link rel="icon" href="data:,"><meta http-equiv="Content-Security-Policy" content="${policy}"><script type="module" src="/page.js"></script>`;
  hub.files.set("/", { type: "text/html", content: html });
  hub.files.set("/page.js", { type: "text/javascript", content: Buffer.from(outputFiles[0].contents) });

  const browser = await chromium.launch(CHROMIUM);
  try {
    const tab = await browser.newPage();
    const problems: string[] = [];
    tab.on("pageerror", (error) => problems.push(String(error)));
    tab.on("console", (message) => problems.push(message.text()));
    await tab.goto(hub.origin);
    const result = await tab.evaluate("window.result");
    expect(problems).toEqual([]);
    expect(result).toEqual({
      sum: 42,
      error: expect.stringContaining("refused: reason"),
      answer: "answer: 42",
      items: [1, 2, 3],
      large: [100_000, 50_000],
      samples: ["Float32Array", 0.5, 1.5, 2.5],
      told: ["日本", [1, 2, 3]],
    });
  } finally {
    await browser.close();
    await hub.stop();
  }
});
