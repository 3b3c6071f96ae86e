import { encode } from "@msgpack/msgpack";
import { realDocuments } from "../../bench/lib/documents.mjs";
import signalR from "../signalr/vectors.json" with { type: "json" };
import streamingHub from "../streaminghub/vectors.json" with { type: "json" };

/** Of real documents, of SignalR and of StreamingHubs: of a size at which a damaged byte has a chance to matter. */
export function realMessages(): Uint8Array[] {
  // Those of SignalR have their length in front.
  const ofSignalR = bytesIn(signalR).map((bytes) => bytes.subarray(1));
  return [...partsOfDocuments(), ...ofSignalR, ...bytesIn(streamingHub)];
}

/** Arrays and objects out of the documents, some of each. */
function partsOfDocuments(): Uint8Array[] {
  return realDocuments().flatMap(({ value }) => {
    const parts: Uint8Array[] = [];
    const collect = (part: unknown) => {
      if (typeof part !== "object" || part === null || parts.length === 40) return;
      const bytes = encode(part);
      if (bytes.length >= 50 && bytes.length <= 2000) parts.push(bytes.slice());
      else if (bytes.length > 2000) for (const item of Object.values(part).slice(0, 20)) collect(item);
    };
    collect(value);
    return parts;
  });
}

/** What stands in a file of vectors in base 16. */
function bytesIn(vectors: object): Uint8Array[] {
  return Object.entries(vectors).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) return bytesIn(value);
    return /hex$/i.test(name) ? [Uint8Array.from(Buffer.from(value, "hex"))] : [];
  });
}
