import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const apiKeyPrefix = "parley_";
const apiKeyRandomLength = 32;
const checksumLength = 6;

/** Random text of `length` characters from 0-9A-Za-z, each equally likely. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join("");
}

/** A new secret of a subscription or an inbound endpoint: `whsec_` and the base64 of 32 random bytes. */
export function generateSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** A new API key: `parley_`, 32 random characters and 6 of checksum, all base62. */
export function generateApiKey(): string {
  const body = apiKeyPrefix + randomBase62(apiKeyRandomLength);
  return body + checksum(body);
}

/**
 * Saves a database query for malformed text.
 * @returns true where the text has the form and the checksum of an API key.
 */
export function isWellFormedApiKey(text: string): boolean {
  if (!/^parley_[0-9A-Za-z]{38}$/u.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text === body + checksum(body);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

/** SHA-256 of a key or token, 32 bytes. The database keeps only this hash. */
export function hashToken(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/**
 * Text that an installation seals to distinguish its own keys from others, and the context of the
 * seal.
 */
export const secretCheck = { plain: "parley", context: "installation:secret_check:0" };

/**
 * Every table of sealed secrets, with the SQL condition of the rows that hold one. The start check
 * and the resealing read the same tables: a process refuses to start without a key that is needed.
 */
export const sealedTables = {
  subscription_secrets: "TRUE",
  inbound_endpoint_secrets: "TRUE",
  calendar_connections: "TRUE",
  agent_providers: "TRUE",
  channel_app_secrets: "TRUE",
  channel_account_tokens: "TRUE",
  widget_secrets: "TRUE",
  // A finished mail has lost its secret. This condition has an index, and the table is large.
  mails: "state = 'queued'",
} as const;

/** Name of a table of sealed secrets. */
export type SealedTable = keyof typeof sealedTables;

/** Encrypts secrets at rest with AES-256-GCM. */
export interface SecretBox {
  /** The key id that `seal` uses. */
  readonly currentKeyId: string;
  /** @returns true where the box has the key of this id. */
  has(keyId: string): boolean;
  /**
   * Encrypts a text under the current key as `v2.kid.nonce.tag.ciphertext` (ASCII, base64url).
   * @param aad the row of the text, `table:column:account_id:owner_id`; `open` needs the same.
   */
  seal(plain: string, aad: string): string;
  /**
   * Decrypts a text that `seal` made with any of the keys.
   * @throws Error if the key is not in SECRET_KEY, or text, key or `aad` do not fit. The error
   *   holds no secret.
   */
  open(stored: string, aad: string): string;
  /**
   * The id of the key that sealed a text.
   * @throws Error if the text is not sealed.
   */
  keyIdOf(stored: string): string;
  /**
   * Signs a public text under the current key: HMAC-SHA-256, base64url.
   * @param purpose a signature is valid for this purpose only.
   */
  sign(text: string, purpose: string): string;
  /** @returns true if `sign` made the signature with any of the keys, for this text and purpose. */
  isSigned(text: string, purpose: string, signature: string): boolean;
}

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const sealedForm =
  /^v([12])\.([0-9A-Za-z_-]{1,32})\.([0-9A-Za-z_-]{16})\.([0-9A-Za-z_-]{22})\.([0-9A-Za-z_-]*)$/u;

/**
 * A box over `kid:base64(32 bytes)[,older…]`: the first key encrypts, all of them decrypt.
 * @throws Error naming the key id, never the key, if an entry is malformed or named twice.
 */
export function createSecretBox(secretKey: string): SecretBox {
  const entries = secretKey.split(",").map((entry, index) => parseKey(entry.trim(), index + 1));
  const keys = new Map(entries);
  const [current] = entries;
  if (current === undefined) throw new Error("SECRET_KEY is empty.");
  const twice = entries.find(([keyId, key]) => keys.get(keyId) !== key);
  if (twice !== undefined) throw new Error(`SECRET_KEY names the key id "${twice[0]}" twice.`);
  return {
    currentKeyId: current[0],
    has: (keyId) => keys.has(keyId),
    seal: (plain, aad) => seal(current, plain, aad),
    open: (stored, aad) => open(keys, stored, aad),
    keyIdOf: (stored) => parseSealed(stored).keyId,
    sign: (text, purpose) => sign(current[1], text, purpose).toString("base64url"),
    isSigned: (text, purpose, signature) => {
      const given = Buffer.from(signature, "base64url");
      return [...keys.values()].some((key) => {
        const expected = sign(key, text, purpose);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

/** A new entry for SECRET_KEY: `kid:` and the base64 of 32 random bytes. */
export function generateSecretKey(keyId: string): string {
  const entry = `${keyId}:${randomBytes(keyBytes).toString("base64")}`;
  parseKey(entry, 1);
  return entry;
}

function parseKey(entry: string, position: number): [keyId: string, key: Buffer] {
  const match = /^([0-9A-Za-z_-]{1,32}):([0-9A-Za-z+/]+={0,2})$/u.exec(entry);
  const [, keyId, encoded] = match ?? [];
  if (keyId === undefined || encoded === undefined) {
    throw new Error(
      `Entry ${position} of SECRET_KEY is not \`kid:base64\`, with a key id of 1 to 32 letters, digits, - or _.`,
    );
  }
  const key = Buffer.from(encoded, "base64");
  if (key.length === keyBytes) return [keyId, key];
  throw new Error(`Key "${keyId}" of SECRET_KEY has ${key.length} bytes instead of ${keyBytes}.`);
}

function seal([keyId, key]: [string, Buffer], plain: string, aad: string): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  encryption.setAAD(Buffer.from(aad, "utf8"));
  const sealed = Buffer.concat([encryption.update(plain, "utf8"), encryption.final()]);
  const parts = [nonce, encryption.getAuthTag(), sealed].map((part) => part.toString("base64url"));
  return ["v2", keyId, ...parts].join(".");
}

function open(keys: ReadonlyMap<string, Buffer>, stored: string, aad: string): string {
  const { version, keyId, nonce, tag, sealed } = parseSealed(stored);
  const key = keys.get(keyId);
  if (key === undefined)
    throw new Error(`SECRET_KEY has no key "${keyId}", which sealed this text.`);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(version === "1" ? accountPart(aad) : aad, "utf8"));
  decryption.setAuthTag(tag);
  try {
    return Buffer.concat([decryption.update(sealed), decryption.final()]).toString("utf8");
  } catch {
    throw new Error(
      `A text sealed with key "${keyId}" cannot be opened: changed, moved, or another key of this id.`,
    );
  }
}

/** The AES key itself signs nothing: each purpose derives a key of its own. */
function sign(key: Buffer, text: string, purpose: string): Buffer {
  const derived = hkdfSync("sha256", key, "", `sign:${purpose}`, keyBytes);
  return createHmac("sha256", Buffer.from(derived)).update(text, "utf8").digest();
}

/** Texts of the form v1 were bound to their table, column and account alone. */
function accountPart(aad: string): string {
  return aad.split(":").slice(0, 3).join(":");
}

function parseSealed(stored: string) {
  const [, version, keyId, nonce, tag, sealed] = sealedForm.exec(stored) ?? [];
  if (keyId === undefined || nonce === undefined || tag === undefined || sealed === undefined) {
    throw new Error("This is not a sealed text of the form v2.kid.nonce.tag.ciphertext (or v1).");
  }
  const decode = (part: string) => Buffer.from(part, "base64url");
  return { version, keyId, nonce: decode(nonce), tag: decode(tag), sealed: decode(sealed) };
}
