import type { GuardedAnswer } from "./guarded-request.ts";

/** The address that a redirect names, or null. @param at address of the answer */
export function findRedirectTarget(
  { status, headers: { location = "" } }: Pick<GuardedAnswer, "status" | "headers">,
  at: string,
): string | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  return URL.canParse(location, at) ? new URL(location, at).href : null;
}
