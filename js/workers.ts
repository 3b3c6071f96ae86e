import { Materializer } from "./Materializer.ts";
import { Pool } from "./Pool.ts";
import { Walker } from "./Walker.ts";

/** Shared by all decoders and encoders: an instance of those is no more than its options. */
export const materializers = /* @__PURE__ */ new Pool(() => new Materializer());
export const walkers = /* @__PURE__ */ new Pool(() => new Walker());
