import { build } from "./lib/build.mjs";
import { main } from "./lib/command.mjs";

await main(build);
