// Builds what has changed, and runs a script of the checkout with what else is on the command line:
//   node scripts/start.mjs SCRIPT [ARGUMENT…]
import process from "node:process";
import { build } from "./lib/build.mjs";
import { main, run } from "./lib/command.mjs";

await main(async () => {
  await build();
  await run("node", process.argv.slice(2));
});
