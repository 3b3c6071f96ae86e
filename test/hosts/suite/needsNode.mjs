/**
 * What of the tests cannot run outside Node, each with the reason: a file, or tests of it by their full names.
 * Everything else runs in every host; `run.ts` fails where a name here is that of no test.
 *
 * @type {Record<string, string>}
 */
export const filesForNode = {
  "bench.test.ts": "tests the benchmarks, which bring their own page for browsers",
  "benchProtocols.test.ts": "tests the benchmarks of the protocols, which need Node's libraries",
  "docs.test.ts": "runs the code of the README by processes of Node",
  "hostile.test.ts": "measures the memory of processes",
  "loading.test.ts":
    "makes processes of Node refuse what hosts may refuse; the hosts have checks of their own",
  "memory.test.ts": "measures V8's heap",
  "msgpackr.test.ts": "compares with msgpackr as Node has it, with its native addon",
  "outOfMemory.test.ts": "loads the package anew, with memory of other sizes",
  "package.test.ts": "packs and installs",
  "retention.test.ts": "measures the memory of processes",
  "rings.test.ts": "reads the sources",
  "soak.test.ts": "tests the soak, which drives V8's garbage collector in threads of Node",
  "supplyChain.test.ts": "reads files",
  "tape.test.ts": "reads the sources",
  "types.test.ts": "runs the TypeScript compiler",
};

const realm = "makes another realm of code";
const collector = "drives V8's garbage collector";
const process = "needs a process of its own";
const every = "counts all of the random values, of which hosts get a part";

/** By what full names of tests have in them. @type {Record<string, string>} */
export const testsForNode = {
  "additions.test.ts > encoding a Map > of another realm is a Map, too": realm,
  "additions.test.ts > encoding an ArrayBuffer or a SharedArrayBuffer > of another realm, too": realm,
  "additions.test.ts > encoding boxed primitives > of classes of their own, and of other realms": realm,
  "arena.test.ts > decoding in an arena > copies the bytes nowhere":
    "needs more of Buffer than the npm package has",
  "arena.test.ts > views of an arena > keep their memory alive when the arena is gone": collector,
  "arena.test.ts > views of an arena > and nothing else does: arenas are collected, with no call to free them":
    collector,
  "arena.test.ts > messages received into an arena > from a file": "needs files",
  "arena.test.ts > messages received into an arena > from a fetch body, chunk by chunk": "needs a server",
  "differences.test.ts > 1: lengths cannot lie > a few bytes that promise many items are a RangeError, not an abort of the process":
    process,
  "differences.test.ts > 7: objects of other realms work": realm,
  "differential.test.ts > the filters below let nearly everything through": every,
  "extensions.test.ts > timestamps > a Date of another realm is one": realm,
  "isolation.test.ts > nothing is kept": collector,
  "isolation.test.ts > what is begun and left costs no more than it must": process,
  "randomOptions.test.ts > the filters let nearly everything through": every,
  "small.test.ts > values of a map that is cut off are let go": collector,
  "a stream of Node": "needs streams of Node",
  "typedArrays.test.ts > encoding > refuses arrays that an extension has no room for": "makes arrays of 4 GB",
  "typedArrays.test.ts > encoding > takes arrays of shared memory, of other realms, and of classes of their own":
    realm,
};

/**
 * What of the tests needs something that not every host has; where it is there, they run.
 *
 * @type {{ readonly what: string, readonly isThere: () => boolean, readonly tests: readonly string[] }[]}
 */
export const testsForSome = [
  {
    what: "a RangeError where the call stack ends: Firefox has an InternalError",
    isThere: () => overflow() instanceof RangeError,
    tests: [
      "arena.test.ts > decoding in an arena > survives a full JS call stack",
      "depth.test.ts > the encoder's maxDepth > can be as large as the call stack allows",
      "depth.test.ts > circular values > without a limit: the call stack's error, and then everything works",
      "depth.test.ts > a call stack that is nearly full",
      "options.test.ts > encoder options > maxDepth > Infinity leaves that to the stack",
    ],
  },
  {
    what: "room for 100,000 arguments on the call stack, which workers in Chromium have not",
    isThere: () => {
      try {
        return Math.max(...new Array(150_000).fill(1)) === 1;
      } catch {
        return false;
      }
    },
    tests: [
      "badKeys.test.ts > the key __proto__ > is refused in dictionaries",
      "depth.test.ts > the encoder's maxDepth > can be as large as the call stack allows",
      "streams.test.ts > long text and binary data over many chunks > in chunks of 17 bytes",
    ],
  },
  {
    what: "streams of bytes, which WebKitGTK does not have",
    isThere: () => {
      try {
        return new ReadableStream({ type: "bytes" }) !== null;
      } catch {
        return false;
      }
    },
    tests: ["streams.test.ts > sources > a stream of bytes"],
  },
];

/** @returns {unknown} */
function overflow() {
  try {
    return [overflow()][0];
  } catch (error) {
    return error;
  }
}
