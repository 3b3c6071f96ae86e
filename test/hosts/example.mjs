// Builds the example as a user would, clicks through it in Chromium, and takes the picture that the README shows.
// With `--picture` as an argument, the picture in the repository is replaced.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../../bench/lib/chromium.mjs";
import { root, run } from "../../scripts/lib/command.mjs";
import { installPacked } from "./lib/installed.mjs";

const example = path.join(root, "test/example");
const folder = await installPacked();
await cp(example, folder, { recursive: true });
await run(path.join(root, "node_modules/.bin/vite"), ["build", "--logLevel", "error"], {
  quiet: true,
  cwd: folder,
});

const server = spawn(process.execPath, ["server.mjs", "dist"], {
  cwd: folder,
  env: { ...process.env, PORT: "0" },
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch(CHROMIUM);
try {
  const [url] = /** @type {[string]} */ (
    await new Promise((resolve) => createInterface(server.stdout).once("line", (line) => resolve([line])))
  );
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 }, deviceScaleFactor: 1 });
  /** @type {string[]} */
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(String(error)));
  await page.goto(url);

  await page.getByRole("button", { name: "Load the mesh" }).click();
  const mesh = page.locator("#mesh");
  await mesh.getByText("JSON").waitFor();
  assert.match((await mesh.textContent()) ?? "", /^19200 triangles, no copy/);
  const bytesOf = async (/** @type {import("playwright-core").Locator} */ table) =>
    (await table.locator("td:nth-child(2)").allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
  const [meshBytes, meshJsonBytes] = await bytesOf(mesh);
  assert.ok(meshBytes < meshJsonBytes / 2, `${meshBytes} of ${meshJsonBytes}`);
  // Something was drawn: not all of the canvas is empty, nor is all full.
  const drawn = await page.evaluate(() => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
    const { width, height } = canvas;
    const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).getImageData(
      0,
      0,
      width,
      height,
    );
    return data.filter((value, i) => i % 4 === 3 && value > 0).length / (width * height);
  });
  assert.ok(drawn > 0.2 && drawn < 0.8, `${drawn} of the canvas is drawn on`);

  await page.getByRole("button", { name: "Stream the records" }).click();
  const records = page.locator("#records");
  await records.getByText("JSON").waitFor();
  assert.equal(await page.locator("#progress").evaluate((bar) => /** @type {any} */ (bar).position), 1);
  assert.match(
    (await page.locator("#count").textContent()) ?? "",
    /^10000 records, of which the highest value is 1\.000/,
  );
  const [recordBytes, recordJsonBytes] = await bytesOf(records);
  assert.ok(recordBytes < recordJsonBytes, `${recordBytes} of ${recordJsonBytes}`);

  assert.deepEqual(messages, []);
  const picture = process.argv.includes("--picture")
    ? path.join(example, "screenshot.png")
    : path.join(folder, "screenshot.png");
  await mkdir(path.dirname(picture), { recursive: true });
  await page.screenshot({ path: picture, fullPage: true });
  assert.ok((await readFile(picture)).length > 10_000);
  console.log("The example: 1 passed, 0 failed");
} finally {
  await browser.close();
  server.kill();
}
