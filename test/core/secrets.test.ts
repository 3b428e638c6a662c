import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sealV1 } from "../support/seal-v1.ts";
import {
  createSecretBox,
  generateApiKey,
  generateSecretKey,
  generateSigningSecret,
  hashToken,
  isWellFormedApiKey,
  randomBase62,
} from "../../core/secrets.ts";

test("a signing secret is whsec_ and the base64 of 32 bytes, never the same twice", () => {
  const secrets = Array.from({ length: 1_000 }, generateSigningSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(secrets.length);
});

test("random text has the asked length, and uses all 62 characters about equally often", () => {
  expect(randomBase62(0)).toBe("");
  const text = randomBase62(62_000);
  expect(text).toMatch(/^[0-9A-Za-z]{62000}$/);
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Each count has mean 1,000 and deviation 31; a modulo of one byte would give the first eight 1,211.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(190);
});

test("every new API key is well-formed", () => {
  for (let made = 0; made < 2_000; made += 1) {
    const key = generateApiKey();
    expect(key).toMatch(/^parley_[0-9A-Za-z]{38}$/);
    expect(isWellFormedApiKey(key)).toBe(true);
  }
});

// Checksums computed with Python's zlib.crc32 and a division by 62 written there; the last one
// is small, so that it begins with zeros of padding.
test.each([
  ["parley_00000000000000000000000000000000", "2hnHL7"],
  ["parley_0123456789ABCDEFGHIJKLMNOPQRSTUV", "224Vly"],
  ["parley_padded00000000000000000000000026", "005iU1"],
])("the checksum of %s is %s, as computed elsewhere", (body, checksum) => {
  expect(isWellFormedApiKey(body + checksum)).toBe(true);
});

test("a key with any one character changed is malformed", () => {
  const key = generateApiKey();
  for (let place = 0; place < key.length; place += 1) {
    for (const other of ["0", "z", "_"]) {
      if (key[place] === other) continue;
      const changed = key.slice(0, place) + other + key.slice(place + 1);
      expect(isWellFormedApiKey(changed)).toBe(false);
    }
  }
});

test.each([
  "",
  "parley_",
  "Bearer x",
  `${generateApiKey()} `,
  `${generateApiKey()}\n`,
  ` ${generateApiKey()}`,
  `${generateApiKey()}0`,
])("%o is no API key", (text) => {
  expect(isWellFormedApiKey(text)).toBe(false);
});

test("a token is kept as the 32 bytes of its SHA-256", () => {
  expect(hashToken("parley_é")).toEqual(createHash("sha256").update("parley_é").digest());
  expect(hashToken("")).toHaveLength(32);
});

const aad = "subscription_secrets:sealed:1";
const older = generateSecretKey("2025");
const newer = generateSecretKey("2026-a");

test("what is sealed opens again, whatever the text", () => {
  const box = createSecretBox(newer);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (plain) => {
      expect(box.open(box.seal(plain, aad), aad)).toBe(plain);
    }),
  );
});

test("a sealed text names version and key, fits its column, and differs each time", () => {
  const box = createSecretBox(generateSecretKey("k".repeat(32)));
  const secret = generateSigningSecret();
  const sealed = box.seal(secret, aad);
  expect(sealed).toMatch(/^v2\.k{32}\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
  expect(sealed.length).toBeLessThanOrEqual(255);
  expect(sealed).not.toContain(secret.slice(6, 20));
  expect(box.seal(secret, aad)).not.toBe(sealed);
});

test("after a rotation the new key seals, and texts of the old one still open", () => {
  const sealedBefore = createSecretBox(older).seal("secret", aad);
  const box = createSecretBox(`${newer},${older}`);
  const sealedAfter = box.seal("secret", aad);
  expect([box.keyIdOf(sealedBefore), box.keyIdOf(sealedAfter), box.currentKeyId]).toEqual([
    "2025",
    "2026-a",
    "2026-a",
  ]);
  expect(box.open(sealedBefore, aad)).toBe("secret");
  expect(createSecretBox(newer).open(sealedAfter, aad)).toBe("secret");
});

test("a text whose key is gone is refused with the key's id", () => {
  const sealed = createSecretBox(older).seal("secret", aad);
  expect(() => createSecretBox(newer).open(sealed, aad)).toThrow(
    'SECRET_KEY has no key "2025", which sealed this text.',
  );
});

test("a text moved to another account, column or table does not open", () => {
  const box = createSecretBox(newer);
  const sealed = box.seal("secret", aad);
  for (const elsewhere of ["subscription_secrets:sealed:2", "subscription_secrets:other:1", ""]) {
    expect(() => box.open(sealed, elsewhere)).toThrow(/cannot be opened/);
  }
});

test("a text of the form v1 opens in its account; it was bound to no row", () => {
  const key = generateSecretKey("k");
  const sealed = sealV1(key, "secret", "subscription_secrets:sealed:1");
  const box = createSecretBox(key);
  expect(box.open(sealed, "subscription_secrets:sealed:1:7")).toBe("secret");
  expect(() => box.open(sealed, "subscription_secrets:sealed:2:7")).toThrow(/cannot be opened/);
  const bound = box.seal("secret", "subscription_secrets:sealed:1:7");
  expect(() => box.open(bound, "subscription_secrets:sealed:1:8")).toThrow(/cannot be opened/);
  expect(() => box.open(bound.replace("v2", "v1"), "subscription_secrets:sealed:1:7")).toThrow(
    /cannot be opened/,
  );
});

test("a text with any part changed does not open", () => {
  const box = createSecretBox(newer);
  const sealed = box.seal("secret", aad);
  const parts = sealed.split(".");
  for (const index of [2, 3, 4]) {
    const changed = parts.with(index, flipFirst(parts[index] ?? "")).join(".");
    expect(() => box.open(changed, aad)).toThrow(/cannot be opened/);
  }
});

test("another key under the same id does not open a text", () => {
  const sealed = createSecretBox(generateSecretKey("a")).seal("secret", aad);
  expect(() => createSecretBox(generateSecretKey("a")).open(sealed, aad)).toThrow(
    /cannot be opened/,
  );
});

test.each([
  "",
  "secret",
  "v3.a.b.c.d",
  "v1.a.b.c",
  "v1..AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AA",
])("%o is no sealed text", (text) => {
  const box = createSecretBox(newer);
  expect(() => box.open(text, aad)).toThrow(/not a sealed text/);
  expect(() => box.keyIdOf(text)).toThrow(/not a sealed text/);
});

const short = Buffer.alloc(31, 1).toString("base64");
const long = Buffer.alloc(33, 1).toString("base64");

test.each([
  ["", "Entry 1 of SECRET_KEY is not"],
  ["justakey", "Entry 1 of SECRET_KEY is not"],
  [`:${Buffer.alloc(32).toString("base64")}`, "Entry 1 of SECRET_KEY is not"],
  [`a.b:${Buffer.alloc(32).toString("base64")}`, "Entry 1 of SECRET_KEY is not"],
  [`${newer},`, "Entry 2 of SECRET_KEY is not"],
  [`${newer},old:###`, "Entry 2 of SECRET_KEY is not"],
  [`a:${short}`, 'Key "a" of SECRET_KEY has 31 bytes instead of 32.'],
  [`${newer},b:${long}`, 'Key "b" of SECRET_KEY has 33 bytes instead of 32.'],
  [`${newer},${generateSecretKey("2026-a")}`, 'SECRET_KEY names the key id "2026-a" twice.'],
])(
  "a malformed SECRET_KEY is refused with what is wrong, and never shown",
  (secretKey, message) => {
    const create = () => createSecretBox(secretKey);
    expect(create).toThrow(message);
    for (const part of secretKey.split(/[,:]/).filter(({ length }) => length > 10)) {
      expect(create).not.toThrow(part);
    }
  },
);

test("spaces around the entries of SECRET_KEY do not matter", () => {
  expect(createSecretBox(` ${newer} , ${older} `).currentKeyId).toBe("2026-a");
});

test("a new entry for SECRET_KEY needs a usable key id", () => {
  expect(generateSecretKey("prod_1")).toMatch(/^prod_1:[0-9A-Za-z+/]{43}=$/);
  expect(() => generateSecretKey("a:b")).toThrow(/key id/);
});

function flipFirst(part: string): string {
  return (part.startsWith("A") ? "B" : "A") + part.slice(1);
}

test("a signature counts for its text and purpose, and under older keys too", () => {
  const older = generateSecretKey("k1");
  const newer = generateSecretKey("k2");
  const signature = createSecretBox(older).sign("text", "form:1");
  const box = createSecretBox(`${newer},${older}`);
  expect(box.isSigned("text", "form:1", signature)).toBe(true);
  expect(box.isSigned("text", "form:1", box.sign("text", "form:1"))).toBe(true);
  expect(box.isSigned("text", "form:2", signature)).toBe(false);
  expect(box.isSigned("Text", "form:1", signature)).toBe(false);
  expect(box.isSigned("text", "form:1", "")).toBe(false);
  expect(createSecretBox(newer).isSigned("text", "form:1", signature)).toBe(false);
});
