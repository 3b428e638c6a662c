import { describe, expect, test } from "vitest";
import { createRingReader, maxRank, writeRing } from "../../../core/doorbell/ring.ts";
import { createSecretBox, generateSecretKey } from "../../../core/secrets.ts";

const oldKey = generateSecretKey("old");
const box = createSecretBox(oldKey);
const worker = "host:12:1700000000000";

function read(datagram: Buffer | string) {
  return createRingReader(box, worker)(Buffer.from(datagram));
}

test("a worker reads each kind and rank that is written for it", () => {
  const reader = createRingReader(box, worker);
  for (const kind of ["ring", "channels", "hello"] as const) {
    for (let rank = 0; rank <= maxRank; rank += 1) {
      expect(reader(writeRing(box, worker, { kind, rank }))).toEqual({ kind, rank });
    }
  }
});

test("a copy of a datagram says the same", () => {
  const reader = createRingReader(box, worker);
  const datagram = writeRing(box, worker, { kind: "ring", rank: 1 });
  expect([datagram, datagram, datagram].map(reader)).toEqual(
    Array.from({ length: 3 }, () => ({ kind: "ring", rank: 1 })),
  );
});

describe("a worker refuses", () => {
  const genuine = writeRing(box, worker, { kind: "ring", rank: 0 }).toString();

  test.each([
    [
      "another key",
      writeRing(createSecretBox(generateSecretKey("old")), worker, { kind: "ring", rank: 0 }),
    ],
    [
      "a ring for another worker",
      writeRing(box, "host:12:1700000000001", { kind: "ring", rank: 0 }),
    ],
    ["another rank under the same signature", genuine.replace("ring 0", "ring 1")],
    ["another kind under the same signature", genuine.replace("ring", "hello")],
    ["another work under the same signature", genuine.replace("ring", "channels")],
    ["another version", genuine.replace(/^1/u, "2")],
    ["a rank that does not exist", genuine.replace("ring 0", "ring 9")],
    ["a signature cut short", genuine.slice(0, -1)],
    ["a longer text", `${genuine}x`],
    ["no signature", "1 ring 0"],
    ["nothing", ""],
    ["an oversized datagram", Buffer.alloc(60_000, "1 ring 0 ")],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ])("%s", (_, datagram) => {
    expect(read(datagram)).toBeNull();
  });
});

test("after a change of SECRET_KEY a worker reads rings of both keys, as long as it has both", () => {
  const newKey = generateSecretKey("new");
  const reader = createRingReader(createSecretBox(`${newKey},${oldKey}`), worker);
  for (const key of [oldKey, newKey, oldKey]) {
    const datagram = writeRing(createSecretBox(key), worker, { kind: "ring", rank: 0 });
    expect(reader(datagram)).toEqual({ kind: "ring", rank: 0 });
  }
});

test("a flood of forged datagrams costs 50 checks a second, and a known ring is read meanwhile", () => {
  let now = 0;
  let checks = 0;
  const counting = {
    ...box,
    isSigned(text: string, purpose: string, signature: string) {
      checks += 1;
      return box.isSigned(text, purpose, signature);
    },
  };
  const reader = createRingReader(counting, worker, () => now);
  const genuine = writeRing(box, worker, { kind: "ring", rank: 0 });
  expect(reader(genuine)).not.toBeNull();
  const forged = Buffer.from(genuine.toString().replace(/.{4}$/u, "AAAA"));
  for (let n = 0; n < 1_000; n += 1) expect(reader(forged)).toBeNull();
  expect(checks).toBe(50);
  expect(reader(genuine)).toEqual({ kind: "ring", rank: 0 });
  now = 1_000;
  expect(reader(writeRing(box, worker, { kind: "hello", rank: 0 }))).not.toBeNull();
});
