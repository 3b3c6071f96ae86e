/**
 * How many bytes `run` copies by the methods of `Uint8Array`: what tells linear from quadratic work, where a clock would
 * tell one machine from another.
 */
export async function bytesCopied(run: () => unknown): Promise<number> {
  const { prototype } = Uint8Array;
  const { set, slice, copyWithin } = prototype;
  let copied = 0;
  prototype.set = function (source, offset) {
    copied += source.length;
    set.call(this, source, offset);
  };
  prototype.slice = function (start, end) {
    const part = slice.call(this, start, end);
    copied += part.length;
    return part as Uint8Array<ArrayBuffer>;
  };
  prototype.copyWithin = function (target, start, end) {
    copied += Math.min(end ?? this.length, this.length) - start;
    return copyWithin.call(this, target, start, end);
  };
  try {
    await run();
    return copied;
  } finally {
    Object.assign(prototype, { set, slice, copyWithin });
  }
}
