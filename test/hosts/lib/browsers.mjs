import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import puppeteer from "puppeteer-core";
import { CHROMIUM } from "../../../bench/lib/chromium.mjs";

/**
 * What a page brought: the console messages and errors of the browser. The page itself says when it is done.
 *
 * @typedef {(url: string, isDone: Promise<unknown>) => Promise<string[]>} Visit
 */

/** Opens pages in Debian's browsers, each with a profile of its own. @type {Record<string, Visit>} */
export const browsers = {
  Chromium: (url, isDone) => visitWithPuppeteer(url, isDone, { browser: "chrome", ...CHROMIUM }),
  Firefox: (url, isDone) =>
    visitWithPuppeteer(url, isDone, { browser: "firefox", executablePath: "/usr/bin/firefox-esr" }),
  WebKit: visitWithWebKit,
};

/**
 * @param {string} url
 * @param {Promise<unknown>} isDone
 * @param {import("puppeteer-core").LaunchOptions} options
 */
async function visitWithPuppeteer(url, isDone, options) {
  const browser = await puppeteer.launch({ headless: true, protocolTimeout: 0, timeout: 0, ...options });
  try {
    /** @type {string[]} */
    const messages = [];
    const page = await browser.newPage();
    page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => messages.push(String(error)));
    await page.goto(url);
    await isDone;
    return messages;
  } finally {
    await browser.close();
  }
}

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/**
 * WebKit has no headless mode in Debian: it gets a screen in memory. Its browser for developers writes the console of
 * pages to its output.
 *
 * @type {Visit}
 */
async function visitWithWebKit(url, isDone) {
  const home = await mkdtemp(path.join(os.tmpdir(), "msgpack-wasm-webkit-"));
  const screen = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let browser;
  try {
    const display = await new Promise((resolve, reject) => {
      screen.stdout.once("data", (number) => resolve(`:${String(number).trim()}`));
      screen.once("error", reject);
      screen.once("exit", () => reject(new Error("Xvfb ended")));
    });
    let output = "";
    browser = spawn(MINI_BROWSER, ["--enable-write-console-messages-to-stdout=true", "--private", url], {
      env: {
        ...process.env,
        DISPLAY: display,
        HOME: home,
        XDG_RUNTIME_DIR: home,
        GDK_BACKEND: "x11",
        // It isolates no pages from others, which would give them SharedArrayBuffer.
        JSC_useSharedArrayBuffer: "true",
        LIBGL_ALWAYS_SOFTWARE: "1",
        WEBKIT_DISABLE_COMPOSITING_MODE: "1",
        NO_AT_BRIDGE: "1",
        GIO_USE_VFS: "local",
        GSETTINGS_BACKEND: "memory",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    browser.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    const end = new Promise((_, reject) => {
      browser?.once("error", reject);
      browser?.once("exit", (code, signal) => reject(new Error(`MiniBrowser ended: ${code ?? signal}`)));
    });
    end.catch(() => {});
    await Promise.race([isDone, end]);
    await sleep(500);
    return output.split("\n").filter((line) => line.startsWith("CONSOLE"));
  } finally {
    browser?.removeAllListeners("exit");
    browser?.kill();
    screen.kill();
    await sleep(200);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
