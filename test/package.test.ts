import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "msgpack-wasm-package-"));
const consumer = path.join(folder, "consumer");
afterAll(() => rmSync(folder, { recursive: true }));

const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root));
mkdirSync(consumer);
writeFileSync(path.join(consumer, "package.json"), `{ "private": true }`);
run("npm", ["install", "--offline", path.join(folder, packed.filename)]);

test("the tarball holds what is published, and nothing else", () => {
  // What the entry points share has names made of its content.
  const files = packed.files.map((file: { path: string }) => file.path.replace(/-[0-9A-Z]{8}\./, "-*."));
  const code = (...names: string[]) => names.flatMap((name) => [`dist/${name}`, `dist/${name}.map`]);
  expect([...new Set(files)].sort()).toEqual(
    [
      "LICENSE",
      "README.md",
      "package.json",
      "dist/codec.wasm",
      ...code("chunk-*.js", "core.cjs", "workerd.js"),
      ...code("browser/chunk-*.js", "browser/index.js", "browser/signalr.js"),
      ...["index", "signalr-redis", "signalr", "streaminghub"].flatMap((name) => [
        ...code(`${name}.cjs`, `${name}.js`),
        ...[`dist/${name}.d.cts`, `dist/${name}.d.ts`],
      ]),
    ].sort(),
  );
});

test("publint has nothing to say about it", async () => {
  const { messages } = await publint({
    pkgDir: path.join(consumer, "node_modules/msgpack-wasm"),
    pack: false,
  });
  expect(messages).toEqual([]);
});

test("arethetypeswrong finds nothing wrong, however it is resolved", async () => {
  const tarball = new Uint8Array(readFileSync(path.join(folder, packed.filename)));
  // The module is a file to find; it has no types.
  const options = { excludeEntrypoints: ["./codec.wasm"] };
  const analysis = await checkPackage(createPackageFromTarballData(tarball), options);
  expect(analysis).toMatchObject({ packageName: "msgpack-wasm", types: { kind: "included" }, problems: [] });
});

test("nothing runs when it is installed, and nothing else is needed to run it", () => {
  const manifest = JSON.parse(
    readFileSync(path.join(consumer, "node_modules/msgpack-wasm/package.json"), "utf8"),
  );
  expect(manifest).not.toHaveProperty("dependencies");
  for (const script of ["preinstall", "install", "postinstall"])
    expect(manifest.scripts).not.toHaveProperty(script);
  expect(manifest).toMatchObject({ sideEffects: false, engines: { node: ">=20" } });
});

test("it is published with its provenance, or not at all", () => {
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(manifest.publishConfig).toMatchObject({ provenance: true });
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, "scripts/release.mjs")], {
    encoding: "utf8",
  });
  const names = typeof manifest.repository?.url === "string";
  expect(status).toBe(names ? 0 : 1);
  expect(stderr).toMatch(names ? /^$/ : /needs the repository/);
});

describe("installed in an empty folder, it works right after loading", () => {
  const use = `
    const bytes = encode({ text: "h\\u00e9", list: [1, 2.5, null, true] });
    console.log(Buffer.from(bytes).toString("hex"), JSON.stringify(decode(bytes)));
  `;
  const expected = `82a474657874a368c3a9a46c6973749401cb4004000000000000c0c3 {"text":"hé","list":[1,2.5,null,true]}\n`;

  test("by import", () => {
    writeFileSync(path.join(consumer, "use.mjs"), `import { decode, encode } from "msgpack-wasm"; ${use}`);
    expect(run("node", ["use.mjs"])).toBe(expected);
  });

  test("by require", () => {
    writeFileSync(
      path.join(consumer, "use.cjs"),
      `const { decode, encode } = require("msgpack-wasm"); ${use}`,
    );
    expect(run("node", ["use.cjs"])).toBe(expected);
  });

  test("and its module is found by its name", () => {
    const compile = `
      const file = fs.readFileSync(require.resolve("msgpack-wasm/codec.wasm"));
      console.log(new WebAssembly.Module(file) instanceof WebAssembly.Module);
    `;
    expect(run("node", ["-e", compile])).toBe("true\n");
  });
});

test("its types need no other file, and none is any", () => {
  const types = readFileSync(path.join(consumer, "node_modules/msgpack-wasm/dist/index.d.ts"), "utf8");
  const code = types.replace(/\/\*[\s\S]*?\*\//g, "");
  expect(code.match(/\b(any|import|from|reference)\b/g)).toBeNull();
});

describe("its types are found", { timeout: 60_000 }, () => {
  // A type of `any`, as of a module without types, would accept the number.
  const use = `
    import { decode, encode } from "msgpack-wasm";
    export const bytes: Uint8Array = encode([1]);
    export const value: unknown = decode(bytes);
    // @ts-expect-error
    export const wrong: number = encode([1]);
  `;

  test.each([
    ["by import, as Node resolves", "node16.mts", ["--module", "node16"]],
    ["by require, as Node resolves", "node16.cts", ["--module", "node16"]],
    ["as bundlers resolve", "bundler.ts", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("%s", (_, file, options) => {
    writeFileSync(path.join(consumer, file), use);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    expect(run("node", [tsc, "--noEmit", "--strict", "--target", "es2022", ...options, file])).toBe("");
  });
});

describe("the entries for SignalR", { timeout: 60_000 }, () => {
  const dist = path.join(consumer, "node_modules/msgpack-wasm/dist");
  // Optional peers, as users have them.
  for (const peer of ["@microsoft/signalr", "ioredis", "redis", "@redis", "@types/node", "undici-types"]) {
    const target = path.join(consumer, "node_modules", peer);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(root, "node_modules", peer), target);
  }

  const use = `
    const bytes = new MessagePackHubProtocol().writeMessage({ type: 8, sequenceId: 7 });
    let error;
    try { new MessagePackHubProtocol().parseMessages(Uint8Array.of(1), null); } catch (caught) { error = caught; }
    const group = { id: 1, serverName: "s", action: 1, groupName: "g", connectionId: "c" };
    console.log(
      Buffer.from(bytes).toString("hex"), error instanceof DecodeError, readGroupCommand(writeGroupCommand(group)).groupName,
    );
  `;

  test("share the codec of the main entry: by import", () => {
    writeFileSync(
      path.join(consumer, "signalr.mjs"),
      `import { DecodeError } from "msgpack-wasm";
       import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
       import { readGroupCommand, writeGroupCommand } from "msgpack-wasm/signalr/redis";
       ${use}`,
    );
    expect(run("node", ["signalr.mjs"])).toBe("03920807 true g\n");
  });

  test("share the codec of the main entry: by require", () => {
    writeFileSync(
      path.join(consumer, "signalr.cjs"),
      `const { DecodeError } = require("msgpack-wasm");
       const { MessagePackHubProtocol } = require("msgpack-wasm/signalr");
       const { readGroupCommand, writeGroupCommand } = require("msgpack-wasm/signalr/redis");
       ${use}`,
    );
    expect(run("node", ["signalr.cjs"])).toBe("03920807 true g\n");
  });

  test("and there is one copy of the module for each kind of import", () => {
    // Nothing else is as long as the text that holds it.
    const holders = readdirSync(dist).filter(
      (name) =>
        /\.c?js$/.test(name) && /"(?:[^"\\]|\\.){10000,}"/.test(readFileSync(path.join(dist, name), "utf8")),
    );
    expect(holders.map((name) => name.replace(/-\w+/, ""))).toEqual(["chunk.js", "core.cjs"]);
  });

  const typed = `
    import { HubConnectionBuilder } from "@microsoft/signalr";
    import { Redis } from "ioredis";
    import { TypedArrayCodec, ExtensionCodec } from "msgpack-wasm";
    import { HubFrameReader, MessagePackHubProtocol } from "msgpack-wasm/signalr";
    import { createHubEmitter, HubListener } from "msgpack-wasm/signalr/redis";
    import { createClient } from "redis";
    new HubConnectionBuilder().withHubProtocol(new MessagePackHubProtocol({ extensionCodec: new TypedArrayCodec() }));
    new MessagePackHubProtocol({ extensionCodec: new ExtensionCodec<number>(), context: 5, maxDepth: 10 });
    for (const message of new HubFrameReader()) message.type;
    for (const client of [new Redis(), createClient()] as const) {
      const hub = createHubEmitter(client, "MyApp.ChatHub", { protocols: ["json", new MessagePackHubProtocol()] });
      const sent: Promise<number> = hub.all.except("id").send("message", 1, "two");
      const answer: Promise<string> = hub.connection("id").invoke<string>("ask");
      const added: Promise<void> = hub.groups.add("id", "room");
      new HubListener(client, "MyApp.ChatHub").on("ack", (id, server) => id.toFixed() + server.trim());
      // @ts-expect-error
      hub.user("ann").except("id");
    }
    // @ts-expect-error
    new MessagePackHubProtocol({ useMap: true });
    // @ts-expect-error
    createHubEmitter({}, "MyApp.ChatHub");
  `;

  test.each([
    ["as Node resolves imports", "typed.mts", ["--module", "node16"]],
    ["as Node resolves requires", "typed.cts", ["--module", "node16"]],
    ["as bundlers resolve", "typed.ts", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("their types fit the peers': %s", (_, file, options) => {
    writeFileSync(path.join(consumer, file), typed);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const common = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--types", "node"];
    expect(run("node", [tsc, ...common, ...options, file])).toBe("");
  });
});

describe("the entry for StreamingHub", { timeout: 60_000 }, () => {
  for (const peer of ["@grpc", "@js-sdsl", "protobufjs", "long"]) {
    symlinkSync(path.join(root, "node_modules", peer), path.join(consumer, "node_modules", peer));
  }

  const use = `
    const bytes = new StreamingHubCodec().write({ type: "request", messageId: 1, methodId: 2, value: "x" });
    let error;
    try { new StreamingHubCodec().readServerMessage(Uint8Array.of(1)); } catch (caught) { error = caught; }
    console.log(Buffer.from(bytes).toString("hex"), error instanceof DecodeError);
  `;

  test.each([
    ["import", "streaminghub.mjs", (from: string, names: string) => `import { ${names} } from "${from}";`],
    [
      "require",
      "streaminghub.cjs",
      (from: string, names: string) => `const { ${names} } = require("${from}");`,
    ],
  ])("shares the codec of the main entry, and does without gRPC: by %s", (_, file, load) => {
    const loads =
      load("msgpack-wasm", "DecodeError") + load("msgpack-wasm/streaminghub", "StreamingHubCodec");
    writeFileSync(path.join(consumer, file), loads + use);
    expect(run("node", [file])).toBe("930102a178 true\n");
  });

  const typed = `
    import { Client, credentials, Metadata } from "@grpc/grpc-js";
    import { TypedArrayCodec } from "msgpack-wasm";
    import { connectStreamingHub, type HubChannel } from "msgpack-wasm/streaminghub";
    interface IChatHub {
      joinAsync(room: string, user: string): Promise<string[]>;
      typing(isTyping: boolean): void;
    }
    interface IChatHubReceiver {
      onMessage(user: string, text: string): void;
      confirm(question: string): Promise<boolean>;
    }
    const channel = new Client("localhost:5001", credentials.createInsecure());
    const receiver = { onMessage(user: string, text: string) { user.trim(); text.trim(); } };
    const hub = await connectStreamingHub<IChatHub, IChatHubReceiver>(channel, "IChatHub", receiver, {
      metadata: new Metadata(),
      heartbeat: { interval: 1000 },
      encoder: { extensionCodec: new TypedArrayCodec() },
      signal: AbortSignal.timeout(1000),
    });
    const members: string[] = await hub.joinAsync("room", "Ada");
    const others: string[] = await hub.withSignal(AbortSignal.timeout(5)).joinAsync("room", "Ada");
    const nothing: void = hub.fireAndForget.typing(members.length > others.length);
    hub.fireAndForget.joinAsync("room", "Ada");
    const { error } = await hub.waitForDisconnect();
    error.status.toFixed();
    await connectStreamingHub<IChatHub>({} as HubChannel, "IChatHub", {});
    // @ts-expect-error
    hub.typing(true);
    // @ts-expect-error
    hub.joinAsync("room");
    // @ts-expect-error
    await connectStreamingHub<IChatHub, IChatHubReceiver>(channel, "IChatHub", { onMessage(user: number) {} });
  `;

  test.each([
    ["as Node resolves imports", "hub.mts", ["--module", "node16"]],
    ["as bundlers resolve", "hub.ts", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("has types: %s", (_, file, options) => {
    writeFileSync(path.join(consumer, file), typed);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const common = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--types", "node"];
    expect(run("node", [tsc, ...common, ...options, file])).toBe("");
  });
});

/** Runs a command and gives what it prints; an error shows what it printed. */
function run(command: string, args: string[], cwd = consumer): string {
  return execFileSync(command, args, { cwd, encoding: "utf8" });
}
