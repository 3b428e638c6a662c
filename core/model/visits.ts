import { z } from "zod";
import { minuteMs } from "./durations.ts";
import { timestamp, toWellFormed } from "./wire.ts";
import type { VisitedPage } from "./widget-visit.ts";

/** Visits that one session keeps, and that a card shows. */
export const maxVisits = 10;
/** A page after a longer pause begins another visit. */
const visitPauseMs = 30 * minuteMs;
const maxUrl = 300;
const maxTitle = 120;
/** Parameters of an address that may hold a secret, or a person's data. */
const privateParameter =
  /token|code|secret|key|pass|pwd|auth|session|sig|jwt|otp|mail|phone|user|name/iu;

/** A visit of a site: its first page, and the number of its pages. */
export interface StoredVisit {
  started_at: string;
  /** When the visitor came to the last page. */
  page_at: string;
  pages: number;
  /** Without query and fragment. */
  url: string;
  title: string;
  /** Origin of another site that led here; empty: none. */
  referrer: string;
}

/** A page as it is stored: no fragment, no login, and no parameter that may hold a secret. */
export function withoutSecrets({ url, title, referrer }: VisitedPage): VisitedPage {
  const address = new URL(url);
  address.hash = "";
  address.username = "";
  address.password = "";
  for (const name of new Set(address.searchParams.keys())) {
    if (privateParameter.test(name)) address.searchParams.delete(name);
  }
  return { url: address.href, title, referrer: originOf(referrer) };
}

function originOf(url: string): string {
  return /^https?:\/\//u.test(url) && URL.canParse(url) ? new URL(url).origin : "";
}

/**
 * Visits with one more page, oldest first. The same page again is no further page.
 * @param before the page until now; null at the first one
 */
export function withPage(
  visits: readonly StoredVisit[],
  before: VisitedPage | null,
  page: VisitedPage,
  now: Date,
): StoredVisit[] {
  const at = now.toISOString();
  const current = visits.at(-1);
  const isSameVisit =
    current !== undefined && now.getTime() - Date.parse(current.page_at) < visitPauseMs;
  if (!isSameVisit) return [...visits, startVisit(page, at)].slice(-maxVisits);
  const pages = current.pages + (before?.url === page.url ? 0 : 1);
  return [...visits.slice(0, -1), { ...current, page_at: at, pages }];
}

function startVisit({ url, title, referrer }: VisitedPage, at: string): StoredVisit {
  const { origin, pathname } = new URL(url);
  return {
    started_at: at,
    page_at: at,
    pages: 1,
    url: `${origin}${pathname}`.slice(0, maxUrl),
    title: toWellFormed(title.slice(0, maxTitle)),
    referrer: referrer === origin ? "" : referrer.slice(0, maxUrl),
  };
}

/** A visit, as people see it. */
const visitView = z.strictObject({
  started_at: timestamp,
  page_at: timestamp.describe("When the visitor came to the last page of the visit."),
  pages: z.int().min(1),
  url: z.string().describe("The first page, without query and fragment."),
  title: z.string(),
  referrer: z.string().nullable().describe("Origin of another site that led here."),
});

/** A contact as the visitor of sites with web chat. */
export const contactVisitsView = z.strictObject({
  page: z
    .strictObject({ url: z.string(), title: z.string(), at: timestamp })
    .nullable()
    .describe("The page that the visitor was last on, and since when."),
  context: z
    .record(z.string(), z.string())
    .describe("Facts that the site has told of the visitor. Nobody has checked them."),
  visits: z.array(visitView).describe("The newest first, at most 10. The first one is of `page`."),
});
export type ContactVisitsView = z.output<typeof contactVisitsView>;
