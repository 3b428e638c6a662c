/**
 * @param text an origin such as `https://shop.example`, `https://shop.example:8443` or
 *   `https://*.example.com`; http is allowed for localhost and addresses of this machine alone
 * @returns true for the form of an origin that a widget may list
 */
export function isSiteOrigin(text: string): boolean {
  const url = parseUrl(text.replace("://*.", "://wildcard."));
  if (url === null || url.pathname !== "/" || text.endsWith("/")) return false;
  if (url.username !== "" || url.search !== "" || url.hash !== "" || text.includes("?"))
    return false;
  // Browsers differ in the characters that they take. The origin becomes a part of a policy header.
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/u.test(url.hostname)) return false;
  // `https://*.com` would be every shop.
  if (text.includes("://*.") && url.hostname.split(".").length < 3) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/**
 * @param text an origin that a widget may list; another text is returned as it is
 * @returns the origin as browsers send it: without the usual port, with the host in ASCII
 */
export function normalizeSiteOrigin(text: string): string {
  const url = isSiteOrigin(text) ? parseUrl(text.replace("://*.", "://wildcard.")) : null;
  if (url === null) return text;
  return text.includes("://*.") ? url.origin.replace("://wildcard.", "://*.") : url.origin;
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/**
 * @param allowed origins that a widget lists; an empty list allows every origin
 * @returns true where the page's origin is one of them; `*.` stands for one or more labels
 */
export function isOriginAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  return allowed.some((one) => {
    if (!one.includes("://*.")) return one === origin;
    const [scheme, rest = ""] = one.split("://*.");
    return origin.startsWith(`${scheme}://`) && origin.endsWith(`.${rest}`);
  });
}
