import type { Locale } from "../../core/model/user.ts";
import type { Company } from "../../core/services/accounts/accounts.ts";
import { standardAccent } from "./brand-css.ts";
import { html, toText, type Html } from "./html.ts";
import { wordsOf } from "./words.ts";

/** Content of a page. */
export interface Page {
  /** Default 200. */
  status?: number;
  heading: string;
  body: Html;
  /** Reload the page after this many seconds. */
  refreshSeconds?: number;
  /** True for the page of an appointment, which is centred on the soft accent. */
  isTicket?: boolean;
}

/** A whole document. It works without its script, and loads nothing from another host. */
export function layOut(
  { heading, body, refreshSeconds, isTicket = false }: Page,
  about: {
    language: Locale;
    /** Name of the link; null if it is unknown. */
    title: string | null;
    /** Null if the link is unknown. */
    company: Company | null;
    /** This page in the other language; null if typed text would be lost. */
    otherUrl: string | null;
  },
): string {
  const { language, title, company, otherUrl } = about;
  const other = language === "en" ? "es" : "en";
  const accent = (company?.accent ?? standardAccent).slice(1);
  return toText(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          ${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}" />`}
          <title>${heading}${title !== null && html` · ${title}`}</title>
          <link rel="stylesheet" href="/book/brand/${accent}.css" />
          <link rel="stylesheet" href="/book/page.css" />
          <link rel="icon" href="/book/icon.svg" />
          <script type="module" src="/book/page.js"></script>
        </head>
        <body class="${isTicket ? "ticketed" : "plain"}">
          <header>
            ${company !== null && companyHead(company)}
            ${
              otherUrl !== null &&
              html`<a class="other" href="${otherUrl}" lang="${other}" hreflang="${other}"
                >${wordsOf[language].otherLanguage}</a
              >`
            }
          </header>
          <main>
            ${isTicket && tick} ${title !== null && html`<p class="eyebrow">${title}</p>`}
            <h1>${heading}</h1>
            ${body}
          </main>
          <footer>${mark}<span>${wordsOf[language].madeWith} Parley</span></footer>
        </body>
      </html> `,
  );
}

function companyHead({ name, address }: Company): Html {
  return html`<span class="logo" aria-hidden="true">${initialsOf(name)}</span>
    <div class="company">
      <p class="name">${name}</p>
      ${address !== null && html`<p class="quiet">${address}</p>`}
    </div>`;
}

/** First letters of the first two words. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.slice(0, 2).map((word) => Array.from(word)[0] ?? "");
  return letters.join("").toUpperCase();
}

const mark = html`<svg viewBox="0 0 32 32" width="16" height="16" aria-hidden="true">
  <path
    fill="#a7a7f2"
    d="M20 10.5a9.5 9.5 0 0 1 9.5 9.5v8a1.5 1.5 0 0 1-1.5 1.5h-8a9.5 9.5 0 0 1 0-19z"
  />
  <path
    fill="#5b5bd6"
    d="M12 2.5a9.5 9.5 0 1 1 0 19h-8a1.5 1.5 0 0 1-1.5-1.5v-8a9.5 9.5 0 0 1 9.5-9.5z"
  />
</svg>`;

/** The mark in the accent, with a tick. */
const tick = html`<svg class="tick" viewBox="0 0 72 72" width="72" height="72" aria-hidden="true">
  <path
    class="behind"
    d="M45 23.5a21.5 21.5 0 0 1 21.5 21.5v18a3.5 3.5 0 0 1-3.5 3.5h-18a21.5 21.5 0 0 1 0-43z"
  />
  <path
    class="front"
    d="M27 5.5a21.5 21.5 0 1 1 0 43h-18a3.5 3.5 0 0 1-3.5-3.5v-18a21.5 21.5 0 0 1 21.5-21.5z"
  />
  <path class="stroke" d="M17.5 27.5l7 7 13-14" />
</svg>`;
