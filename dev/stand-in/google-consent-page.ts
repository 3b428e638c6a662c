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
      `<label><input type="radio" name="account" value="${escape(email)}"${email === hint ? " checked" : ""}> ${escape(name)} (${escape(email)})</label>`,
  );
  const ticks = scopes
    .filter((scope) => scope.startsWith("https://"))
    .map(
      (scope) =>
        `<label><input type="checkbox" class="scope" value="${escape(scope)}" checked> ${escape(words[scope] ?? scope)}</label>`,
    );
  return page(
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
  return page("Access blocked", `<h1>Access blocked</h1><p>${escape(problem)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:16px/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}
label{display:block;padding:.3rem 0}button{font:inherit;padding:.4rem 1rem}</style></head>
<body>${body}</body></html>
`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
