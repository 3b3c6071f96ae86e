import { makeMesh } from "./typedArrays.mjs";

const ARENA_BYTES = 2 ** 20;

/**
 * Messages that are received into wasm memory: one arena that is used again and again, others that are made and dropped
 * while their views live on.
 * @type {import("./kind.mjs").MakeKind}
 */
export function arenas(library, checks) {
  const { encode, TypedArrayCodec, WasmArena } = library;
  const options = { extensionCodec: new TypedArrayCodec() };
  const kept = new WasmArena(ARENA_BYTES);
  let room = ARENA_BYTES;
  /** @type {{ value: unknown, expected: unknown }[]} */
  let held = [];
  const probed = encode({ position: new Float32Array(300).fill(1.5), text: "some text".repeat(9) }, options);

  function settle() {
    for (const { value, expected } of held) checks.value(value, expected);
    held = [];
    kept.reset();
    room = ARENA_BYTES;
  }

  /**
   * @param {InstanceType<typeof WasmArena>} arena
   * @param {Uint8Array} message
   */
  function receive(arena, message) {
    const bytes = arena.allocate(message.length);
    bytes.set(message);
    return arena.decode(bytes);
  }

  return {
    name: "arenas",
    run(chance) {
      for (let i = 0; i < 8; i++) {
        const { value, expected, names } = makeMesh(chance);
        const message = encode(value, options);
        if (message.length + 16 > room) settle();
        room -= message.length + 16;
        const decoded = /** @type {Record<string, Float32Array>} */ (receive(kept, message));
        for (const name of names) checks.value(decoded[name].buffer === kept.memory.buffer, true);
        held.push({ value: decoded, expected });
      }
      if (chance.isOneIn(30)) {
        const { value, expected } = makeMesh(chance);
        const message = encode(value, options);
        held.push({ value: receive(new WasmArena(message.length), message), expected });
      }
      checks.failure(() => kept.allocate(ARENA_BYTES + 1), {
        class: RangeError,
        message: /has \d+ left, not/,
      });
      const cut = kept.allocate(3);
      room -= 16;
      cut.set([0x92, 0xc0, 0xa5]);
      checks.failure(() => kept.decode(cut), { class: RangeError, code: "INSUFFICIENT_DATA", offset: 2 });
      if (room < 1000) settle();
    },
    settle,
    probe() {
      settle();
      for (let i = 0; i < 7; i++) receive(kept, probed);
      const { text } = /** @type {{ text: string }} */ (receive(kept, probed));
      kept.reset();
      return text;
    },
  };
}
