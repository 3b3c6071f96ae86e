// What limits cost: decodes documents and a small call without options, with all limits lifted by hand, and with the profile
// for untrusted data, by turns in one process for each document (some 2 minutes):
//   npm run build && node bench/limits.mjs [WORD]   only the documents with WORD in their names
import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Decoder, encode } from "../dist/index.js";
import { realDocuments } from "./lib/documents.mjs";
import { measure } from "./lib/measure.mjs";
import { geometricMean } from "./suite/statistics.mjs";

const LIFTED = {
  maxStrLength: Infinity,
  maxBinLength: Infinity,
  maxArrayLength: Infinity,
  maxMapLength: Infinity,
  maxExtLength: Infinity,
  maxDepth: Infinity,
  maxElements: Infinity,
};

/** @typedef {Record<"none" | "lifted" | "untrusted", number>} Times nanoseconds a call */

const documents = [...realDocuments(), { name: "invocation", value: [1, {}, null, "Send", [42, 7]] }];
const [first, second] = process.argv.slice(2);

if (first === "--document") {
  const bytes = encode(documents.find(({ name }) => name === second)?.value);
  const none = new Decoder();
  const lifted = new Decoder(LIFTED);
  const untrusted = new Decoder({ profile: "untrusted" });
  const times = measure(
    {
      none: () => none.decode(bytes),
      lifted: () => lifted.decode(bytes),
      untrusted: () => untrusted.decode(bytes),
    },
    { rounds: 30 },
  );
  console.log(JSON.stringify(times));
} else {
  console.log("nanoseconds a call: no options, limits that are Infinity, the profile for untrusted data");
  const ratios = /** @type {Record<"lifted" | "untrusted", number[]>} */ ({ lifted: [], untrusted: [] });
  for (const { name } of documents) {
    if (!name.includes(first ?? "")) continue;
    const times = /** @type {Times} */ (
      JSON.parse(
        execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--document", name], {
          encoding: "utf8",
        }),
      )
    );
    const cells = [times.none.toFixed(0).padStart(10)];
    for (const kind of /** @type {const} */ (["lifted", "untrusted"])) {
      const ratio = times[kind] / times.none;
      ratios[kind].push(ratio);
      cells.push(`${times[kind].toFixed(0).padStart(10)} ${ratio.toFixed(3)}`);
    }
    console.log(name.padEnd(16) + cells.join(""));
  }
  const mean = (/** @type {number[]} */ of) => geometricMean(of).toFixed(3);
  console.log(`geometric means: ${mean(ratios.lifted)} and ${mean(ratios.untrusted)}`);
}
