// A fresh process: how long it takes to import a library, and to encode and decode for the first time.
import { findPeer } from "./peers.mjs";

/** @type {{ peer: string }} */
const { peer: id } = JSON.parse(process.argv[2]);
const peer = findPeer(id);
const value = { id: 7, name: "Ada", tags: ["a", "b"], at: { x: 1.5, y: -2 } };

const start = performance.now();
const codec = await peer.open("value", {
  readDocument() {
    throw new Error("No document is needed");
  },
  documentedCodecSource: "",
});
codec.decode(codec.encode(value));
process.stdout.write(JSON.stringify(performance.now() - start));
