import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { init, ready } from "msgpack-wasm";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const dist = (file: string) => path.join(root, "dist", file);

/** Each host is a process of its own, since what a package does when it is loaded it does once. */
function inHost(prepare: string, use: string): string {
  const code = `
    ${prepare}
    const show = (error) => error.message + (error.cause ? " <- " + error.cause.message : "");
    process.on("unhandledRejection", (error) => console.log("unhandled:", show(error)));
    const codec = await import(${JSON.stringify(pathToFileURL(dist("index.js")).href)}).catch((error) => {
      console.log("import:", show(error));
      process.exit();
    });
    const tried = (name, call) => {
      try {
        console.log(name + ":", String(call()));
      } catch (error) {
        console.log(name + ":", show(error));
      }
    };
    const awaited = (name, promise) =>
      promise.then((value) => console.log(name + ":", String(value)), (error) => console.log(name + ":", show(error)));
    const bytes = Uint8Array.of(0x92, 1, 2);
    ${use}
  `;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8", cwd: root });
}

/** As Chrome up to version 114 on the main thread of a page. */
const refusesSynchronously = `
  const { Module, compile } = WebAssembly;
  WebAssembly.Module = function () {
    throw new RangeError("disallowed on the main thread");
  };
  WebAssembly.Module.prototype = Module.prototype;
  WebAssembly.Module.customSections = Module.customSections;
`;

/** As Cloudflare's workers, and pages whose policy has no 'wasm-unsafe-eval'. */
const refusesBytes = `
  ${refusesSynchronously}
  WebAssembly.compile = async () => {
    throw new WebAssembly.CompileError("disallowed by embedder");
  };
`;

const waitFirst = "msgpack-wasm: the host has not compiled the codec yet: `await ready`, or init(), first";

describe("where the host compiles WebAssembly synchronously, as here", () => {
  test("nothing need be awaited, and what is awaited is there", async () => {
    await expect(ready).resolves.toBeUndefined();
    await expect(init()).resolves.toBeUndefined();
    await expect(init("https://invalid.invalid/codec.wasm")).resolves.toBeUndefined();
  });

  test("the module is compiled once, and is the one in the package", () => {
    const count = `
      const { Module } = WebAssembly;
      let modules = [];
      WebAssembly.Module = class extends Module {
        constructor(bytes) {
          super(bytes);
          modules.push(Buffer.from(bytes).toString("base64"));
        }
      };
    `;
    const use = `
      codec.decode(codec.encode(1));
      new codec.WasmArena(100);
      console.log(modules.length, modules[0]);
    `;
    expect(inHost(count, use)).toBe(`1 ${readFileSync(dist("codec.wasm")).toString("base64")}\n`);
  });
});

describe("where the host refuses to compile synchronously", () => {
  test("a call says what to await, and works after that", () => {
    const use = `
      tried("decode", () => codec.decode(bytes));
      tried("encode", () => codec.encode([1, 2]));
      tried("arena", () => new codec.WasmArena(100));
      await codec.ready;
      tried("decode", () => codec.decode(bytes));
      tried("encode", () => codec.encode([1, 2]));
      tried("arena", () => new codec.WasmArena(100).byteLength);
    `;
    const refused = `${waitFirst} <- disallowed on the main thread`;
    expect(inHost(refusesSynchronously, use)).toBe(
      `decode: ${refused}\nencode: ${refused}\narena: ${refused}\ndecode: 1,2\nencode: 146,1,2\narena: 100\n`,
    );
  });

  test("a stream, a decoder and an encoder made before work after that", () => {
    const use = `
      const { decode, encode } = { decode: new codec.Decoder(), encode: new codec.Encoder() };
      await awaited("stream", codec.decodeAsync((async function* () { yield bytes; })()));
      await codec.init();
      await awaited("stream", codec.decodeAsync((async function* () { yield bytes; })()));
      tried("decoder", () => decode.decode(bytes));
      tried("encoder", () => encode.encode([1, 2]));
    `;
    expect(inHost(refusesSynchronously, use)).toBe(
      `stream: ${waitFirst} <- disallowed on the main thread\nstream: 1,2\ndecoder: 1,2\nencoder: 146,1,2\n`,
    );
  });

  test("the timestamp helpers work at once", () => {
    const use = `tried("time", () => codec.encodeTimeSpecToTimestamp({ sec: 1, nsec: 0 }));`;
    expect(inHost(refusesSynchronously, use)).toBe("time: 0,0,0,1\n");
  });
});

describe("where the host compiles no bytes at all", () => {
  const why =
    "msgpack-wasm: the host does not compile WebAssembly. A Content-Security-Policy allows it by 'wasm-unsafe-eval' " +
    "in its script-src; elsewhere, init() takes a compiled module <- disallowed by embedder";

  test("what is awaited says why, and a call does, too; nobody's rejection is left unhandled", () => {
    const use = `
      await new Promise((resolve) => setTimeout(resolve, 10));
      await awaited("ready", codec.ready);
      await awaited("init", codec.init());
      await awaited("init with bytes", codec.init(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
      tried("decode", () => codec.decode(bytes));
    `;
    expect(inHost(refusesBytes, use)).toBe(
      `ready: ${why}\ninit: ${why}\ninit with bytes: ${why}\ndecode: ${waitFirst} <- disallowed by embedder\n`,
    );
  });

  test("init takes a module", () => {
    const prepare = `
      import fs from "node:fs";
      const module = new WebAssembly.Module(fs.readFileSync(${JSON.stringify(dist("codec.wasm"))}));
      ${refusesBytes}
    `;
    const use = `
      await awaited("init", codec.init(module));
      tried("decode", () => codec.decode(bytes));
    `;
    expect(inHost(prepare, use)).toBe("init: undefined\ndecode: 1,2\n");
  });
});

describe("init", () => {
  /** Serves the files of `dist/`. */
  const serve = `
    import fs from "node:fs";
    import http from "node:http";
    const server = http.createServer((request, response) => {
      const file = ${JSON.stringify(root)} + "/dist" + request.url;
      if (fs.existsSync(file)) response.end(fs.readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = "http://127.0.0.1:" + server.address().port;
  `;
  /** Only what `init` is given is compiled. */
  const refusesOwnBytes = `
    ${refusesSynchronously}
    let attempts = 0;
    WebAssembly.compile = async (source) => {
      if (attempts++ === 0) throw new Error("not that one");
      return compile(source);
    };
  `;

  test.each([
    ["an address", `address + "/codec.wasm"`],
    ["a URL", `new URL("/codec.wasm", address)`],
    ["bytes", `fs.readFileSync(${JSON.stringify(dist("codec.wasm"))})`],
  ])("takes %s", (_, source) => {
    const use = `
      await awaited("ready", codec.ready.catch(() => "no"));
      await awaited("init", codec.init(${source}));
      tried("decode", () => codec.decode(bytes));
      server.close();
    `;
    expect(inHost(serve + refusesOwnBytes, use)).toBe("ready: no\ninit: undefined\ndecode: 1,2\n");
  });

  test("says so where nothing is at the address", () => {
    const use = `
      await awaited("init", codec.init("http://127.0.0.1:" + server.address().port + "/none.wasm"));
      server.close();
    `;
    expect(inHost(serve + refusesOwnBytes, use)).toMatch(
      /^init: msgpack-wasm: 404 for http:\/\/127\.0\.0\.1:\d+\/none\.wasm\n$/,
    );
  });

  test("refuses a module of another version, and can be called again", () => {
    const use = `
      await codec.ready.catch(() => {});
      const other = fs.readFileSync(${JSON.stringify(dist("codec.wasm"))});
      other[other.length - 1] ^= 1;
      await awaited("other", codec.init(other));
      await awaited("empty", codec.init(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
      await awaited("own", codec.init(address + "/codec.wasm"));
      server.close();
    `;
    const refused = "msgpack-wasm: not the codec.wasm of this version";
    expect(inHost(serve + refusesOwnBytes, use)).toBe(
      `other: ${refused}\nempty: ${refused}\nown: undefined\n`,
    );
  });
});

describe("a host that is too old", () => {
  const needs =
    "import: msgpack-wasm needs WebAssembly with SIMD: Chrome 91, Firefox 90, Safari 16.4, Node 20, or newer";

  test("is told so when it loads the package: it knows no WebAssembly", () => {
    expect(inHost("delete globalThis.WebAssembly;", "")).toBe(`${needs}\n`);
  });

  test("is told so when it loads the package: it knows no SIMD", () => {
    // V8 has SIMD on every processor that Node 20 runs on, and no flag to go without: so the two answers are made up.
    const prepare = `
      ${refusesSynchronously}
      WebAssembly.validate = () => false;
    `;
    expect(inHost(prepare, "")).toBe(`${needs} <- disallowed on the main thread\n`);
  });
});
