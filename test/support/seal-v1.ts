import { createCipheriv, randomBytes } from "node:crypto";

/** Seals a text as installations did before secrets were bound to their row. */
export function sealV1(secretKey: string, plain: string, aad: string): string {
  const [keyId = "", encoded = ""] = secretKey.split(":");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(encoded, "base64"), nonce);
  cipher.setAAD(Buffer.from(aad, "utf8"));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"));
  return ["v1", keyId, ...parts].join(".");
}
