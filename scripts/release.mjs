// What must hold before the package is published, besides the tests: `npm publish` runs both.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Failure, main, root } from "./lib/command.mjs";

await main(async () => {
  const { repository } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  // The registry compares it with the repository whose CI publishes, and refuses the package if they differ.
  if (typeof repository?.url !== "string") {
    throw new Failure(
      "npm's provenance needs the repository: add\n" +
        '   "repository": { "type": "git", "url": "git+https://HOST/OWNER/msgpack-wasm.git" } to package.json',
    );
  }
});
