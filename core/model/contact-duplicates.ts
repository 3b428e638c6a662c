/** Digits that numbers with and without a country code share. */
const nationalDigits = 10;
const mailsWithoutDots = new Set(["gmail.com", "googlemail.com"]);

/**
 * Key by which two phones may be one: the last ten digits. Null without a phone, or for a number
 * that is too short to have a country code.
 * @param key as `phoneKey` returned it.
 */
export function duplicatePhoneKey(key: string | null): string | null {
  return key === null || key.length < nationalDigits ? null : key.slice(-nationalDigits);
}

/**
 * Key by which two emails may be one: without a suffix such as `+news`, and without dots where the
 * mailbox ignores them. Null without an email.
 * @param email as `parseEmail` returned it.
 */
export function duplicateEmailKey(email: string | null): string | null {
  if (email === null) return null;
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const [name = ""] = email.slice(0, at).split("+");
  if (!mailsWithoutDots.has(domain)) return `${name}@${domain}`;
  return `${name.replaceAll(".", "")}@gmail.com`;
}
