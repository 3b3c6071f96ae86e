import { arenas } from "./arenas.mjs";
import { documents } from "./documents.mjs";
import { errors } from "./errors.mjs";
import { redis } from "./redis.mjs";
import { reentrancy } from "./reentrancy.mjs";
import { signalr } from "./signalr.mjs";
import { streamingHub } from "./streamingHub.mjs";
import { streams } from "./streams.mjs";
import { typedArrays } from "./typedArrays.mjs";
import { generatedValues } from "./values.mjs";

/** @type {readonly import("./kind.mjs").MakeKind[]} */
export const traffic = [
  documents,
  generatedValues,
  streams,
  typedArrays,
  arenas,
  errors,
  reentrancy,
  signalr,
  streamingHub,
  redis,
];
