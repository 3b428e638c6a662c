import { consentPage, escapeHtml } from "./consent-page.ts";
import type { CalendlyUser } from "./calendly-world.ts";

/** A page with the users, and two buttons. */
export function calendlyConsentPage(
  users: readonly CalendlyUser[],
  query: URLSearchParams,
): string {
  const people = users.map(
    ({ id, name, email }, place) =>
      `<label><input type="radio" name="user" value="${id}"${place === 0 ? " checked" : ""}> ${escapeHtml(name)} (${escapeHtml(email)})</label>`,
  );
  const scopes = (query.get("scope") ?? "").split(" ").map((one) => `<li>${escapeHtml(one)}</li>`);
  return consentPage(
    "Authorize: stand-in of Calendly",
    `<h1>Authorize Parley</h1>
<p>This page stands for Calendly's. No account of Calendly is asked.</p>
<form method="post">
${people.join("\n")}
<h2>Parley wants to use</h2>
<ul>${scopes.join("")}</ul>
<p><button name="decision" value="allow">Allow access</button>
<button name="decision" value="deny">Deny</button></p>
</form>`,
  );
}

/** A page that says what Calendly refuses. */
export function calendlyErrorPage(problem: string): string {
  return consentPage("Not authorized", `<h1>Not authorized</h1><p>${escapeHtml(problem)}</p>`);
}
