import { main } from "./lib/command.mjs";
import { setUpBuild, setUpTests } from "./lib/setup.mjs";

await main(async () => {
  await setUpBuild();
  await setUpTests();
});
