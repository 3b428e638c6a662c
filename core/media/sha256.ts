/**
 * The hash that a network names, as hexadecimal. Webhooks write base64, the Graph API hexadecimal.
 * @returns null for any other text
 */
export function parseSha256(text: string): string | null {
  if (/^[0-9a-f]{64}$/iu.test(text)) return text.toLowerCase();
  const bytes = /^[\w+/-]{43}=?$/u.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  return bytes.length === 32 ? bytes.toString("hex") : null;
}
