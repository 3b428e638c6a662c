import type { CalendlyUser } from "./calendly-world.ts";

/** A page with the users, and two buttons. */
export function calendlyConsentPage(
  users: readonly CalendlyUser[],
  query: URLSearchParams,
): string {
  const people = users.map(
    ({ id, name, email }, place) =>
      `<label><input type="radio" name="user" value="${id}"${place === 0 ? " checked" : ""}> ${escape(name)} (${escape(email)})</label>`,
  );
  const scopes = (query.get("scope") ?? "").split(" ").map((one) => `<li>${escape(one)}</li>`);
  return page(
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
  return page("Not authorized", `<h1>Not authorized</h1><p>${escape(problem)}</p>`);
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
