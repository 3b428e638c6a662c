import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { timeZone } from "../../core/model/schedule.ts";
import type { Locale } from "../../core/model/user.ts";
import type { OpenLink } from "../../core/services/booking/booking-offers.ts";
import { snapshot, systemOf, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readBytes } from "../http/body.ts";
import { wordsOf, type Words } from "./words.ts";

/** 16 KiB. Our form needs less than 1 KiB. */
const maxFormBytes = 16_384;
/** A caller who sends a form too slowly reads 408 within 10 s. */
const formTimeoutMs = 9_000;

/** A request to a page of a booking link. */
export interface Visit {
  link: OpenLink;
  /** Token of the booking, from the path; empty on a path without one. */
  token: string;
  language: Locale;
  /** The time zone that the visitor chose; null: that of the company. */
  zone: string | null;
  words: Words;
  /** A parameter of the query, or null. */
  query: (name: string) => string | null;
  /** A field of the sent form, or an empty text. */
  field: (name: string) => string;
  /** URL of a page of this link by its path below the link. Keeps a chosen language and zone. */
  url: (below: string, parameters?: Record<string, string>) => string;
  /** This page in another time zone. */
  inZone: (zone: string) => string;
}

/** Collects a page's data about its request. Reads the body of a form. */
export async function readVisit(ctx: Context, link: OpenLink): Promise<Visit> {
  const { slug = "", token = "" }: Record<string, string> = ctx["params"];
  const query = new URLSearchParams(ctx.querystring);
  const form = ctx.method === "POST" ? await readForm(ctx) : new URLSearchParams();
  const language = chooseLanguage(ctx, link.locale);
  const zone = timeZone.safeParse(query.get("tz")).data ?? null;
  const chosen: Record<string, string> = {
    ...(isLanguage(query.get("lang")) ? { lang: language } : {}),
    ...(zone === null ? {} : { tz: zone }),
  };
  return {
    link,
    token,
    language,
    zone,
    words: wordsOf[language],
    query: (name) => query.get(name),
    field: (name) => form.get(name) ?? "",
    url: (below, parameters = {}) => {
      const search = new URLSearchParams({ ...parameters, ...chosen }).toString();
      return `/book/${slug}${below}${search === "" ? "" : `?${search}`}`;
    },
    inZone: (tz) =>
      `${ctx.path}?${new URLSearchParams({ ...Object.fromEntries(query), tz }).toString()}`,
  };
}

/** The language in `?lang`, else the browser's, else the account's. */
export function chooseLanguage(ctx: Context, fallback: string): Locale {
  const asked = new URLSearchParams(ctx.querystring).get("lang");
  if (isLanguage(asked)) return asked;
  const known = Object.keys(wordsOf);
  const accepted = ctx.get("accept-language") === "" ? false : ctx.acceptsLanguages(known);
  if (typeof accepted === "string" && isLanguage(accepted)) return accepted;
  return isLanguage(fallback) ? fallback : "en";
}

function isLanguage(text: string | null): text is Locale {
  return text !== null && Object.hasOwn(wordsOf, text);
}

async function readForm(ctx: Context): Promise<URLSearchParams> {
  const type = ctx.get("content-type").split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(ctx.req, maxFormBytes, formTimeoutMs);
  if (type !== "application/x-www-form-urlencoded") {
    throw new AppError("unsupported_media_type", { message: "Send the form as a browser does." });
  }
  return new URLSearchParams(bytes.toString("utf8"));
}

/** Reads in the account of a link, in one snapshot. */
export async function readAs<T>(
  { dataSource }: Deps,
  link: OpenLink,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await snapshot(dataSource, systemOf(link.accountId), work);
}

/**
 * Reads a page with a search for free times, which is costly. Only some run at once for a link.
 * @throws AppError `rate_limited` if too many searches wait for the same link
 */
export async function searchAs<T>(
  deps: Deps,
  link: OpenLink,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await deps.slotSearches.run(String(link.id), () => readAs(deps, link, work));
}
