/** What an object is beyond its properties. */
export type Kind = "map" | "set" | "buffer" | "date" | "boxed" | "object";

/** A method that throws unless its receiver is of the class, of whatever realm. */
type Probe = (this: unknown) => unknown;

function getter(prototype: object, name: string): Probe {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as Probe;
}

/** By what `Object.prototype.toString` says, which any object can claim: the probe is what proves it. */
const KINDS: Record<string, [Kind, Probe] | undefined> = {
  "[object Map]": ["map", getter(Map.prototype, "size")],
  "[object Set]": ["set", getter(Set.prototype, "size")],
  "[object ArrayBuffer]": ["buffer", getter(ArrayBuffer.prototype, "byteLength")],
  "[object Date]": ["date", Date.prototype.getTime as Probe],
  "[object Number]": ["boxed", Number.prototype.valueOf as Probe],
  "[object String]": ["boxed", String.prototype.valueOf as Probe],
  "[object Boolean]": ["boxed", Boolean.prototype.valueOf as Probe],
  "[object BigInt]": ["boxed", BigInt.prototype.valueOf as Probe],
};

// Pages that are not isolated from others have none.
if (typeof SharedArrayBuffer !== "undefined") {
  KINDS["[object SharedArrayBuffer]"] = ["buffer", getter(SharedArrayBuffer.prototype, "byteLength")];
}

/** The kind of an object of this realm or another (`vm` contexts, frames, jsdom), where `instanceof` knows nothing. */
export function kindOf(object: object): Kind {
  // All of it may run code of the object's: its toStringTag, a proxy's traps.
  try {
    const entry = KINDS[Object.prototype.toString.call(object)];
    if (entry === undefined) return "object";
    const [kind, probe] = entry;
    probe.call(object);
    return kind;
  } catch {
    return "object";
  }
}

/** The value in an object of the kind "boxed", whatever methods it has of its own. */
export function unboxed(object: object): unknown {
  return KINDS[Object.prototype.toString.call(object)]?.[1].call(object);
}
