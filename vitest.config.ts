import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { CaseCounter, chooseSeed } from "./test/lib/randomCases.mjs";

chooseSeed();

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/lib/seed.ts"],
    // The tests run the package as it is published, under its name; where they need handles on its insides, a build
    // of the same code that has them.
    alias: {
      "msgpack-wasm/testing": fileURLToPath(new URL("build/testing.js", import.meta.url)),
      "msgpack-wasm/signalr/redis": fileURLToPath(new URL("dist/signalr-redis.js", import.meta.url)),
      "msgpack-wasm/signalr": fileURLToPath(new URL("dist/signalr.js", import.meta.url)),
      "msgpack-wasm/streaminghub": fileURLToPath(new URL("dist/streaminghub.js", import.meta.url)),
      "msgpack-wasm": fileURLToPath(new URL("dist/index.js", import.meta.url)),
    },
    pool: "forks",
    maxWorkers: 2,
    // No test measures time: one that takes long on a busy machine is no failure.
    testTimeout: 60_000,
    reporters: ["default", new CaseCounter()],
  },
});
