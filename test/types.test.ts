import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as reference from "@msgpack/msgpack";
import * as ours from "msgpack-wasm";
import { afterAll, describe, expect, expectTypeOf, test } from "vitest";
import { comparable } from "./lib/reference.ts";

const root = path.join(import.meta.dirname, "..");

describe("the exports of @msgpack/msgpack", () => {
  const names = Object.keys(reference).filter((name) => name !== "default" && name !== "module.exports");

  test("are all there, of the same kinds", () => {
    expect(names).toHaveLength(17);
    for (const name of names) {
      expect(typeof Reflect.get(ours, name), name).toBe(typeof Reflect.get(reference, name));
    }
    expect(ours.EXT_TIMESTAMP).toBe(reference.EXT_TIMESTAMP);
  });

  test("and seven more", () => {
    const more = [
      "decodeSegments",
      "decodeSingle",
      "encodeInto",
      "init",
      "ready",
      "TypedArrayCodec",
      "WasmArena",
    ];
    expect(Object.keys(ours).sort()).toEqual([...names, ...more].sort());
  });

  test("have their methods", () => {
    const methods = {
      Encoder: ["encode", "encodeSharedRef"],
      Decoder: ["decode", "decodeMulti", "decodeAsync", "decodeArrayStream", "decodeStream"],
      ExtensionCodec: ["register", "tryToEncode", "decode"],
    };
    for (const [name, all] of Object.entries(methods)) {
      for (const method of all) {
        for (const library of [ours, reference]) {
          expect(
            Reflect.get(Reflect.get(library, name).prototype, method),
            `${name}#${method}`,
          ).toBeInstanceOf(Function);
        }
      }
    }
  });

  test("have their names, which logs and debuggers show", () => {
    for (const name of ["Encoder", "Decoder", "DecodeError", "ExtensionCodec", "ExtData"]) {
      expect(Reflect.get(reference, name).name).toBe(name);
      expect(Reflect.get(ours, name).name).toBe(name);
    }
  });

  test("make generators where they do", () => {
    expect(Object.prototype.toString.call(ours.decodeMulti([]))).toBe("[object Generator]");
    async function* none() {}
    for (const items of [ours.decodeArrayStream(none()), ours.decodeMultiStream(none())]) {
      expect(Object.prototype.toString.call(items)).toBe("[object AsyncGenerator]");
    }
    const promise = ours.decodeAsync(none());
    expect(promise).toBeInstanceOf(Promise);
    promise.catch(() => {});
  });
});

test("the signatures are those of @msgpack/msgpack, wider in what they take", () => {
  expectTypeOf<typeof ours.encode>().returns.toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  expectTypeOf<typeof ours.encode>().returns.toEqualTypeOf<ReturnType<typeof reference.encode>>();
  expectTypeOf<typeof ours.decode>().returns.toBeUnknown();
  expectTypeOf<typeof ours.decode>().parameter(0).toEqualTypeOf<Parameters<typeof reference.decode>[0]>();
  expectTypeOf<Parameters<typeof reference.decodeMulti>[0]>().toExtend<
    Parameters<typeof ours.decodeMulti>[0]
  >();
  expectTypeOf<Parameters<typeof reference.decodeAsync>[0]>().toExtend<
    Parameters<typeof ours.decodeAsync>[0]
  >();
  expectTypeOf<typeof ours.decodeMulti>().returns.toEqualTypeOf<ReturnType<typeof reference.decodeMulti>>();
  expectTypeOf<typeof ours.decodeAsync>().returns.toEqualTypeOf<Promise<unknown>>();
  expectTypeOf<typeof ours.decodeArrayStream>().returns.toEqualTypeOf<
    ReturnType<typeof reference.decodeArrayStream>
  >();
  expectTypeOf<typeof ours.decodeMultiStream>().returns.toEqualTypeOf<
    ReturnType<typeof reference.decodeMultiStream>
  >();
  expectTypeOf<reference.EncoderOptions>().toExtend<ours.EncoderOptions>();
  expectTypeOf<reference.DecoderOptions>().toExtend<ours.DecoderOptions>();
  expectTypeOf<reference.ExtensionCodecType<string>>().toExtend<ours.ExtensionCodecType<string>>();
  expectTypeOf<ours.ExtensionCodecType<string>>().toExtend<reference.ExtensionCodecType<string>>();
  expectTypeOf<ours.ExtensionEncoderType<string>>().toEqualTypeOf<reference.ExtensionEncoderType<string>>();
  expectTypeOf<ours.ExtensionDecoderType<string>>().toEqualTypeOf<reference.ExtensionDecoderType<string>>();
  expectTypeOf<ours.ExtData>().toExtend<reference.ExtData>();
  expectTypeOf<typeof ours.encodeDateToTimeSpec>().toEqualTypeOf<typeof reference.encodeDateToTimeSpec>();
  expectTypeOf<typeof ours.encodeTimeSpecToTimestamp>().toExtend<
    typeof reference.encodeTimeSpecToTimestamp
  >();
  expectTypeOf<typeof ours.decodeTimestampToTimeSpec>().toEqualTypeOf<
    typeof reference.decodeTimestampToTimeSpec
  >();
  expectTypeOf<typeof ours.encodeTimestampExtension>().toExtend<typeof reference.encodeTimestampExtension>();
  expectTypeOf<typeof ours.decodeTimestampExtension>().toEqualTypeOf<
    typeof reference.decodeTimestampExtension
  >();
});

describe("programs that use the package", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "msgpack-wasm-types-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, "node_modules/@types"), { recursive: true });
  mkdirSync(path.join(folder, "node_modules/@msgpack"));
  symlinkSync(root, path.join(folder, "node_modules/msgpack-wasm"));
  for (const name of ["@types/node", "@msgpack/msgpack", "undici-types"]) {
    symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  }
  writeFileSync(path.join(folder, "package.json"), `{ "private": true }`);
  const parity = readFileSync(path.join(import.meta.dirname, "types/parity.ts"), "utf8");
  const additions = readFileSync(path.join(import.meta.dirname, "types/additions.ts"), "utf8");
  const oursInstead = parity.replace(`from "@msgpack/msgpack"`, `from "msgpack-wasm"`);

  function compile(extensions: string[], options: string[]): string {
    const files = extensions.flatMap((extension) => [`parity.${extension}`, `additions.${extension}`]);
    for (const file of files) {
      writeFileSync(path.join(folder, file), file.startsWith("parity") ? oursInstead : additions);
    }
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const flags = [
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom,dom.asynciterable",
      "--types",
      "node",
    ];
    try {
      return execFileSync(process.execPath, [tsc, ...flags, ...options, ...files], {
        cwd: folder,
        encoding: "utf8",
      });
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout);
    }
  }

  test("compile by import and by require, as Node resolves, and run", async () => {
    expect(compile(["mts", "cts"], ["--module", "node16", "--skipLibCheck"])).toBe("");
    await comparePrograms("mjs");
    await comparePrograms("cjs");
  });

  test("compile as bundlers resolve, with the strictest flags, and our types themselves checked", () => {
    const strictest = ["--noUncheckedIndexedAccess", "--isolatedModules"];
    const resolution = ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"];
    const errors = compile(["ts"], [...resolution, "--skipDefaultLibCheck", ...strictest]);
    expect(
      errors.split("\n").filter((line) => /^(parity|additions)|msgpack-wasm|dist\/index/.test(line)),
    ).toEqual([]);
  });

  /** The program gives the same with both packages. */
  async function comparePrograms(extension: "mjs" | "cjs"): Promise<void> {
    const mine = path.join(folder, `parity.${extension}`);
    const theirs = path.join(folder, `theirs.${extension}`);
    const code = readFileSync(mine, "utf8");
    writeFileSync(theirs, code.replace(/(["'])msgpack-wasm\1/g, `"@msgpack/msgpack"`));
    const program = `
      import v8 from "node:v8";
      const { results, streams } = await import(process.argv[1]).then((m) => m.default?.results ? m.default : m);
      await streams();
      process.stdout.write(v8.serialize(results).toString("base64"));
    `;
    const [a, b] = [mine, theirs].map((file) => {
      const output = execFileSync(process.execPath, ["--input-type=module", "-e", program, file], {
        cwd: folder,
        encoding: "utf8",
      });
      return output;
    });
    const { deserialize } = await import("node:v8");
    const [results, expected]: unknown[] = [a, b].map((text) => deserialize(Buffer.from(text, "base64")));
    expect(comparable(results)).toEqual(comparable(expected));
    expect((results as unknown[]).length).toBeGreaterThan(40);
  }
});
