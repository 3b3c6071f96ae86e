import { Failure, step } from "./command.mjs";
import { setUpBuild } from "./setup.mjs";
import { buildWasm, wasmOutputs } from "./wasm.mjs";
import { whenChanged } from "./whenChanged.mjs";

const inputs = [
  "js",
  "scripts/lib/bundle.mjs",
  "scripts/lib/packBytes.mjs",
  "package-lock.json",
  "tsconfig.json",
  ...wasmOutputs,
];
const entries = ["index", "signalr", "signalr-redis", "streaminghub"];
const outputs = [
  ...entries.flatMap((name) =>
    ["js", "cjs", "d.ts", "d.cts"].map((extension) => `dist/${name}.${extension}`),
  ),
  ...["core.cjs", "workerd.js", "browser/index.js", "browser/signalr.js", "codec.wasm"].map(
    (name) => `dist/${name}`,
  ),
  ...["build/testing.js", "build/glue.js"],
];

/** Makes `dist/` out of a bare clone; does nothing where nothing changed. */
export async function build() {
  await buildWasm(await setUpBuild());
  await whenChanged("dist", { inputs, outputs }, () =>
    step("Bundles", async () => {
      // It imports npm packages: they are there only now, and slow to load.
      const { bundle } = await import("./bundle.mjs");
      await bundle().catch((error) => {
        // The bundlers have printed what is wrong.
        throw new Failure(error.message);
      });
    }),
  );
}
