// The comparisons as a page for any browser: builds it and serves it.
//   npm run bench:web [-- PORT]
import process from "node:process";
import { serve } from "./suite/serve.mjs";

const { url } = await serve({ port: Number(process.argv[2] ?? 8080) });
console.log(`${url}   (Ctrl-C ends it)`);
