import { consentPage, escapeHtml } from "./consent-page.ts";
import type { GoogleAccount } from "./google-world.ts";

/** Words of the consent screen for a scope; the scope itself where there are none. */
const words: Record<string, string> = {
  "https://www.googleapis.com/auth/calendar.events": "See and edit events on your calendars",
  "https://www.googleapis.com/auth/calendar.calendarlist.readonly":
    "See the list of your calendars",
};

/** A page with the accounts, a tick for each scope, and two buttons. */
export function googleConsentPage(
  accounts: readonly GoogleAccount[],
  scopes: readonly string[],
  query: URLSearchParams,
): string {
  const hint = query.get("login_hint") ?? accounts[0]?.email;
  const people = accounts.map(
    ({ email, name }) =>
      `<label><input type="radio" name="account" value="${escapeHtml(email)}"${email === hint ? " checked" : ""}> ${escapeHtml(name)} (${escapeHtml(email)})</label>`,
  );
  const ticks = scopes
    .filter((scope) => scope.startsWith("https://"))
    .map(
      (scope) =>
        `<label><input type="checkbox" class="scope" value="${escapeHtml(scope)}" checked> ${escapeHtml(words[scope] ?? scope)}</label>`,
    );
  return consentPage(
    "Sign in: stand-in of Google",
    `<h1>Choose an account</h1>
<p>This page stands for Google's. No account of Google is asked.</p>
<form method="post">
${people.join("\n")}
<h2>Parley wants to</h2>
${ticks.join("\n")}
<input type="hidden" name="unticked" value="">
<p><button name="decision" value="allow">Continue</button>
<button name="decision" value="deny">Cancel</button></p>
</form>
<script>
document.querySelector("form").addEventListener("submit", ({ target }) => {
  const off = [...target.querySelectorAll(".scope")].filter((one) => !one.checked);
  target.elements.unticked.value = off.map((one) => one.value).join(" ");
});
</script>`,
  );
}

/** A page that says what Google refuses. */
export function googleErrorPage(problem: string): string {
  return consentPage("Access blocked", `<h1>Access blocked</h1><p>${escapeHtml(problem)}</p>`);
}
