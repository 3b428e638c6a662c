import { html, toText, type Html } from "./html.ts";
import { wordsOf, type Language } from "./words.ts";

/** Content of a page. */
export interface Page {
  /** Default 200. */
  status?: number;
  heading: string;
  body: Html;
  /** Reload the page after this many seconds. */
  refreshSeconds?: number;
}

/** A whole document. It loads only its style and icon, and works without a script. */
export function layOut(
  { heading, body, refreshSeconds }: Page,
  about: {
    language: Language;
    /** Name of the link; null if it is unknown. */
    title: string | null;
    /** This page in the other language; null if typed text would be lost. */
    otherUrl: string | null;
  },
): string {
  const { language, title, otherUrl } = about;
  const other = language === "en" ? "es" : "en";
  return toText(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          ${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}" />`}
          <title>${heading}${title !== null && html` · ${title}`}</title>
          <link rel="stylesheet" href="/book/page.css" />
          <link rel="icon" href="/book/icon.svg" />
        </head>
        <body>
          <main>
            <header>
              <p>${title}</p>
              ${
                otherUrl !== null &&
                html`<a href="${otherUrl}" lang="${other}" hreflang="${other}"
                  >${wordsOf[language].otherLanguage}</a
                >`
              }
            </header>
            <h1>${heading}</h1>
            ${body}
          </main>
        </body>
      </html> `,
  );
}
