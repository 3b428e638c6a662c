/** Input of a signature. */
export interface CallToSign {
  secret: string;
  body: string;
  strict: boolean;
  /** Id of the event, chosen by the sender. */
  eventId: string;
  nowSeconds: number;
}

/** @returns true where the browser can sign. Web Crypto exists only over https and on localhost. */
export function canSign(): boolean {
  return window.isSecureContext;
}

/** The headers with the signature, computed in this browser. */
export async function signCall(call: CallToSign): Promise<Record<string, string>> {
  const { secret, body, strict, eventId, nowSeconds } = call;
  if (!strict) {
    const digest = await hmac(new TextEncoder().encode(secret), body);
    return { "X-Service-Signature": `sha256=${toHex(digest)}`, "X-Service-Event-Id": eventId };
  }
  const digest = await hmac(decode(secret), `${eventId}.${nowSeconds}.${body}`);
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(nowSeconds),
    "webhook-signature": `v1,${btoa(String.fromCharCode(...digest))}`,
  };
}

/** @returns true for a text in the form of a secret: 32 bytes in base64. */
export function isSecret(text: string): boolean {
  return /^whsec_[0-9A-Za-z+/]{43}=$/.test(text);
}

/** Length in bytes and SHA-256 in hex of a text in UTF-8. */
export async function fingerprint(text: string): Promise<{ bytes: number; sha256: string }> {
  const bytes = new TextEncoder().encode(text);
  return {
    bytes: bytes.length,
    sha256: toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))),
  };
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const usage = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, usage, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
  return new Uint8Array(signed);
}

function decode(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
