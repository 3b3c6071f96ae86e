import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A Redis server of the test's own, on a free port, with nothing on disk but a temporary folder. */
export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "msgpack-wasm-redis-"));
  #process: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.resume();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again after `kill`. */
  async resume(): Promise<void> {
    const settings = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.#folder];
    const child = spawn("redis-server", [...settings, "--save", "", "--appendonly", "no"]);
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => reject(new Error(`redis-server has ended with ${code}`)));
      child.stdout.on("data", (text) => {
        if (String(text).includes("Ready to accept connections")) resolve();
      });
    });
  }

  /** Ends it without a word to its clients. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
