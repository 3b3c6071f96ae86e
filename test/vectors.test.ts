import assert from "node:assert/strict";
import { type Exam, Group } from "msgpack-test-js";
import {
  Decoder,
  decode,
  decodeTimestampToTimeSpec,
  Encoder,
  EXT_TIMESTAMP,
  ExtData,
  encode,
  encodeTimeSpecToTimestamp,
} from "msgpack-wasm";
import { describe, expect, test } from "vitest";

// The vectors of msgpack-test-suite: each has a value, in one notation or several, and its encodings.

const bigintDecoder = new Decoder({ useBigInt64: true });
const bigintEncoder = new Encoder({ useBigInt64: true });

for (const group of Group.getGroups()) {
  describe(String(group), () => {
    const cases = group.getExams().flatMap((exam) =>
      exam.getTypes().map((type) => {
        const notation = exam.stringify(type);
        return [`${type} ${notation}`, String(type), notation, exam] as const;
      }),
    );

    test.each(cases)("%s", (_, type, notation, exam) => {
      const { value, check } = expectation(type, JSON.parse(notation));
      const encodings: Uint8Array[] = exam.getMsgpacks().map((bytes) => Uint8Array.from(bytes));
      for (const encoded of encodings) check(encoded);
      const ours = type === "bignum" ? bigintEncoder.encode(value) : encode(value);
      expect(encodings).toContainEqual(ours);
    });
  });
}

test("there are as many vectors as the suite is known to have", () => {
  const exams = Group.getGroups().flatMap((group): Exam[] => group.getExams());
  expect(exams.length).toBe(85);
  expect(exams.flatMap((exam) => exam.getMsgpacks()).length).toBe(233);
});

interface Expectation {
  /** What to encode. */
  value: unknown;
  /** Whether this encoding means that value. */
  check(encoded: Uint8Array): void;
}

/** `notation` is how the suite writes a value of the type. */
function expectation(type: string, notation: unknown): Expectation {
  const exactly = (value: unknown): Expectation => ({
    value,
    check: (encoded) => assert.deepStrictEqual(decode(encoded), value),
  });
  switch (type) {
    case "binary":
      return exactly(bytesOf(notation as string));
    case "ext": {
      const [type, data] = notation as [number, string];
      return exactly(new ExtData(type, bytesOf(data)));
    }
    case "bignum": {
      const bigint = BigInt(notation as string);
      return {
        value: bigint,
        // 64-bit integers are exact; the suite has floats among the encodings, too.
        check(encoded) {
          const isInt64 = encoded[0] === 0xcf || encoded[0] === 0xd3;
          const decoded = bigintDecoder.decode(encoded);
          assert.equal(typeof decoded, isInt64 ? "bigint" : "number");
          assert.equal(BigInt(decoded as bigint | number), bigint);
        },
      };
    }
    case "timestamp": {
      // A Date has milliseconds: what is finer is lost as in @msgpack/msgpack, in the same double.
      const [sec, nsec] = notation as [number, number];
      const date = new Date(sec * 1e3 + nsec / 1e6);
      const exact = new ExtData(EXT_TIMESTAMP, encodeTimeSpecToTimestamp({ sec, nsec }));
      return {
        value: nsec % 1e6 === 0 ? date : exact,
        check(encoded) {
          assert.deepStrictEqual(decode(encoded), date);
          const data = encoded.subarray(encoded[0] === 0xc7 ? 3 : 2);
          assert.deepStrictEqual(decodeTimestampToTimeSpec(data), { sec, nsec });
        },
      };
    }
    default:
      return exactly(notation);
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text === "" ? [] : text.split("-"), (byte) => Number.parseInt(byte, 16));
}
