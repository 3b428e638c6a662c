import { z } from "zod";

const form =
  "Use mysql://user:password@host:port/database. Percent-encode the password: %25 for %, %2F for /, %23 for #.";

/**
 * Address of the database. A password that is not percent-encoded can move the bounds of the parts.
 * The process would then look for another host or database, and the log could show the password.
 */
export const databaseUrl = z.string().refine(isDatabaseUrl, form);

function isDatabaseUrl(text: string): boolean {
  if (!text.startsWith("mysql://") || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.hash !== "") return false;
  // A password with "/" or "?" leaves its rest and the host in the path or in the query.
  if (url.search.includes("@")) return false;
  const parts = [url.username, url.password, url.pathname];
  return /^\/[^/@]+$/u.test(url.pathname) && parts.every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
