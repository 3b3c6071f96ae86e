import process from "node:process";
import { build } from "./lib/build.mjs";
import { main, run } from "./lib/command.mjs";

await main(async () => {
  await build();
  await run("node", ["bench/documents.mjs", ...process.argv.slice(2)]);
});
