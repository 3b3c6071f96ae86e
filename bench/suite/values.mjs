// Values that the workloads are made of. They are the same in every process and on every host: ratios between
// libraries, and between runs, mean nothing otherwise.

/**
 * Mulberry32: small, good enough for test data, and the same everywhere.
 * @param {number} seed
 * @returns {() => number} numbers from 0 to below 1
 */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template T
 * @param {number} length
 * @param {(index: number) => T} make
 * @returns {T[]}
 */
export function times(length, make) {
  return Array.from({ length }, (_, index) => make(index));
}

const FIRST_NAMES = "Ada Grace Edsger Barbara Donald Radia Alan Frances Niklaus Jean".split(" ");
const LAST_NAMES = "Lovelace Hopper Dijkstra Liskov Knuth Perlman Kay Allen Wirth Bartik".split(" ");
const COMPANIES = "Northwind Umbra Calico Meridian Tessellate Quillon Ferrous Lumen".split(" ");
const CITIES = "Bern Porto Tromsø Gdańsk Utrecht Graz Tartu Galway".split(" ");
const WORDS =
  "amber basin cedar delta ember fjord grove harbor inlet juniper kelp lagoon meadow north orchard prairie quarry ridge shore tundra upland valley willow yarrow".split(
    " ",
  );

/** @param {number} seed */
function chooser(seed) {
  const next = random(seed);
  const integer = (/** @type {number} */ below) => Math.floor(next() * below);
  const pick = (/** @type {readonly string[]} */ list) => list[integer(list.length)];
  const hex = (/** @type {number} */ length) => times(length, () => integer(16).toString(16)).join("");
  const words = (/** @type {number} */ length) => times(length, () => pick(WORDS)).join(" ");
  const date = () => new Date(1.6e12 + integer(1.5e11)).toISOString();
  return { next, integer, pick, hex, words, date };
}

/**
 * People as a contacts service would send them: flat fields, a paragraph of text, and nested arrays.
 * @param {number} count
 */
export function people(count) {
  const { next, integer, pick, hex, words, date } = chooser(7);
  return times(count, (index) => {
    const first = pick(FIRST_NAMES);
    const last = pick(LAST_NAMES);
    const company = pick(COMPANIES);
    return {
      id: hex(24),
      index,
      guid: [8, 4, 4, 4, 12].map(hex).join("-"),
      active: next() < 0.5,
      balance: `$${(next() * 4000).toFixed(2)}`,
      picture: `https://images.example.org/${hex(8)}/64`,
      age: 20 + integer(50),
      name: { first, last },
      company,
      email: `${first}.${last}@${company}.example`.toLowerCase(),
      phone: `+41 ${100 + integer(900)} ${1000 + integer(9000)}`,
      address: `${1 + integer(900)} ${pick(WORDS)} street, ${pick(CITIES)}`,
      about: words(40),
      registered: date(),
      latitude: Number((next() * 180 - 90).toFixed(6)),
      longitude: Number((next() * 360 - 180).toFixed(6)),
      tags: times(7, () => pick(WORDS)),
      range: times(10, (i) => i),
      friends: times(3, (id) => ({ id, name: `${pick(FIRST_NAMES)} ${pick(LAST_NAMES)}` })),
      scores: times(3, () => times(4, () => integer(1000))),
    };
  });
}

/**
 * Rows of a table: one shape, short strings, integers, floats.
 * @param {number} count
 */
export function records(count) {
  const { next, integer, pick, date } = chooser(11);
  return times(count, (id) => ({
    id,
    name: `${pick(FIRST_NAMES)} ${pick(LAST_NAMES)}`,
    email: `user${id}@example.org`,
    age: 18 + integer(70),
    active: next() < 0.8,
    score: next() * 100,
    city: pick(CITIES),
    tags: [pick(WORDS), pick(WORDS)],
    created: date(),
  }));
}

/** Messages as a service sends them one by one, of some 50 bytes each. */
export function events(/** @type {number} */ count) {
  const { integer, pick } = chooser(13);
  return times(count, (sequence) => ({
    sequence,
    type: pick(["moved", "joined", "left", "typed"]),
    user: integer(100_000),
    at: 1.7e12 + sequence * 17,
  }));
}

const JAPANESE =
  "今日 明日 天気 東京 大阪 駅 電車 新聞 言葉 世界 友達 学校 朝 夜 静か 美しい 速い 走る 読む 書く です ます から まで データ メッセージ サーバー テスト".split(
    " ",
  );
const EMOJI = ["😀", "🚀", "🌍", "🎉", "👩‍💻", "🏳️‍🌈", "🍣", "🐙", "💡", "🇯🇵", "👍🏽", "⚡️"];

/** Posts in Japanese: three bytes in UTF-8 for almost every UTF-16 unit. */
export function japanesePosts() {
  const { integer, pick } = chooser(17);
  const sentence = (/** @type {number} */ length) => `${times(length, () => pick(JAPANESE)).join("")}。`;
  return times(100, (id) => ({ id, 題名: sentence(4), 本文: sentence(20 + integer(20)), 評価: integer(6) }));
}

/** Chat messages with emoji among English words: surrogate pairs within text that is ASCII otherwise. */
export function emojiChat() {
  const { integer, pick, words } = chooser(19);
  return times(100, (id) => ({
    id,
    text: times(2 + integer(4), () => `${words(3)} ${pick(EMOJI)}`).join(" "),
    reaction: pick(EMOJI),
  }));
}

/** An object used as a dictionary. */
export function dictionary(/** @type {number} */ size) {
  const { hex, integer } = chooser(23);
  return Object.fromEntries(times(size, (i) => [`${hex(8)}-${i}`, integer(1e6)]));
}

/** A tree as deep as `@msgpack/msgpack` encodes by default (`maxDepth` 100), with something on every level. */
export function deep(/** @type {number} */ depth) {
  /** @type {unknown} */
  let value = "bottom";
  for (let level = depth; level > 0; level--) {
    value = level % 2 === 0 ? [level, value] : { level, name: `level ${level}`, child: value };
  }
  return value;
}

/** @param {number} length */
export function integers(length) {
  const { integer, next } = chooser(29);
  return times(length, () => (next() < 0.3 ? -1 : 1) * (1 + integer(2 ** (1 + integer(31)))));
}

/** @param {number} length */
export function floats(length) {
  const { next } = chooser(31);
  return times(length, () => (next() - 0.5) * 2000);
}

/** @param {number} length */
export function mixed(length) {
  const { integer, next } = chooser(37);
  return times(length, (i) => (i % 3 === 0 ? next() * 1000 : integer(i % 2 === 0 ? 100 : 1e6)));
}

/** @param {number} length */
export function float32(length) {
  return Float32Array.from(floats(length));
}

/** @param {number} length in characters, ASCII */
export function text(length) {
  const { words } = chooser(41);
  return words(length).slice(0, length);
}

/** What clients and servers call each other with in SignalR's own benchmark of hub protocols. */
export const invocationArguments = {
  "no arguments": () => [],
  "few arguments": () => [1, "Foo", 2],
  "many arguments": () => [1, "string", 2, true, 9, Uint8Array.of(5, 4, 3, 2, 1), 99, 123456789101112],
  "large arguments": () => ["F".repeat(10_240), new Uint8Array(10_240)],
};

/**
 * An invocation in the layout that SignalR's MessagePack protocol writes: `[type, headers, invocation id, target,
 * arguments, stream ids]`.
 * @param {unknown[]} args
 */
export function invocation(args) {
  return [1, {}, null, "Target", args, []];
}
