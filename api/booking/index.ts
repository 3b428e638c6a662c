import { readFileSync } from "node:fs";
import type Router from "@koa/router";
import type { Context } from "koa";
import { notFound, type AppError } from "../../core/errors.ts";
import { isLinkSlug, linkToken } from "../../core/model/booking-link.ts";
import type { Locale } from "../../core/model/user.ts";
import { findBookingLink, type OpenLink } from "../../core/services/booking/booking-offers.ts";
import { snapshot, systemOf } from "../../db/transaction.ts";
import { answerError } from "../http/answer-error.ts";
import type { Deps } from "../deps.ts";
import { refuseCrossSite } from "../http/session-auth.ts";
import { readIp } from "../http/serve.ts";
import { sendForm, showForm } from "./book.ts";
import { showChoices } from "./choose.ts";
import { html } from "./html.ts";
import { layOut, type Page } from "./layout.ts";
import { countForm, countPage } from "./limits.ts";
import {
  askCancel,
  sendCalendarFile,
  sendCancel,
  sendMove,
  showBooking,
  showMove,
  type CalendarFile,
} from "./appointment.ts";
import { brandCss } from "./brand-css.ts";
import { chooseLanguage, readVisit, type Visit } from "./visit.ts";
import { wordsOf, type Words } from "./words.ts";

type Answer = Page | { location: string } | CalendarFile;
type Serve = (deps: Deps, visit: Visit) => Promise<Answer>;

/** Pages below `/book/:slug`. Pages of a booking stay after their link was deleted. */
const pages: [method: "GET" | "POST", below: string, serve: Serve][] = [
  ["GET", "", showChoices],
  ["GET", "/new", showForm],
  ["POST", "/new", sendForm],
  ["GET", "/a/:token", showBooking],
  ["GET", "/a/:token/appointment.ics", sendCalendarFile],
  ["GET", "/a/:token/cancel", askCancel],
  ["POST", "/a/:token/cancel", sendCancel],
  ["GET", "/a/:token/move", showMove],
  ["POST", "/a/:token/move", sendMove],
];

/** Allows our own style and script only: no frame, no other host. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves booking links: public pages without a login or a cookie, which need no script. */
export function mountBooking(deps: Deps, router: Router): void {
  mountAsset(router, "page.css", "text/css");
  mountAsset(router, "page.js", "text/javascript");
  mountAsset(router, "icon.svg", "image/svg+xml");
  mountBrand(router);
  for (const [method, below, serve] of pages) {
    const path = `/book/:slug${below}`;
    router.register(path, [method], async (ctx) => {
      // The token opens an appointment, so only the pattern is logged.
      ctx.state["route"] = path;
      ctx.set("Content-Security-Policy", contentSecurityPolicy);
      // Without a referrer an older browser would not say that a form is our own. Other sites get
      // none.
      ctx.set("Referrer-Policy", "same-origin");
      await servePage(deps, ctx, serve);
    });
  }
}

function mountAsset(router: Router, name: string, type: string): void {
  const bytes = readFileSync(new URL(name, import.meta.url));
  router.get(`/book/${name}`, (ctx) => {
    ctx.set("Cache-Control", "public, max-age=3600");
    ctx.type = type;
    ctx.body = bytes;
  });
}

/** Serves an accent as a style sheet, since pages hold no style of their own. */
function mountBrand(router: Router): void {
  router.get(/^\/book\/brand\/[0-9a-f]{6}\.css$/u, (ctx) => {
    ctx.set("Cache-Control", "public, max-age=86400");
    ctx.type = "text/css";
    ctx.body = brandCss(`#${ctx.path.slice(-".css".length - 6, -".css".length)}`);
  });
}

async function servePage(deps: Deps, ctx: Context, serve: Serve): Promise<void> {
  let link: OpenLink | null = null;
  try {
    if (ctx.method === "POST") refuseCrossSite(ctx, deps.config.publicUrl);
    countPage(deps.bookingLimits, readIp(ctx));
    link = await getLink(deps, ctx);
    if (ctx.method === "POST") countForm(deps.bookingLimits, readIp(ctx), link.id);
    const visit = await readVisit(ctx, link);
    const answer = await serve(deps, visit);
    if ("location" in answer) {
      ctx.status = 303;
      ctx.set("Location", answer.location);
    } else if ("calendarFile" in answer) {
      ctx.type = "text/calendar; charset=utf-8";
      ctx.attachment("appointment.ics");
      ctx.body = answer.calendarFile;
    } else {
      ctx.status = answer.status ?? 200;
      write(ctx, answer, link);
    }
  } catch (thrown) {
    const error = answerError(deps.log, ctx, thrown);
    write(ctx, refusalPage(error, ctx.status, wordsOf[languageOf(ctx, link)]), link);
  }
}

/** A closed link still serves its bookings. */
async function getLink({ dataSource }: Deps, ctx: Context): Promise<OpenLink> {
  const { slug = "", token }: Record<string, string> = ctx["params"];
  const link = isLinkSlug(slug)
    ? await snapshot(dataSource, systemOf(), (tx) => findBookingLink(tx, slug))
    : null;
  if (token !== undefined && (link === null || !linkToken.test(token))) throw notFound("booking");
  if (link === null || (token === undefined && !link.open)) throw notFound("booking_link");
  return link;
}

function languageOf(ctx: Context, link: OpenLink | null) {
  return chooseLanguage(ctx, link?.locale ?? "en");
}

function write(ctx: Context, page: Page, link: OpenLink | null): void {
  const language = languageOf(ctx, link);
  ctx.type = "text/html";
  ctx.set("Content-Language", language);
  ctx.vary("Accept-Language");
  const otherUrl = ctx.method === "POST" ? null : inOtherLanguage(ctx, language);
  const { title = null, company = null } = link ?? {};
  ctx.body = layOut(page, { language, title, company, otherUrl });
}

function inOtherLanguage(ctx: Context, language: Locale): string {
  const parameters = new URLSearchParams(ctx.querystring);
  parameters.set("lang", language === "en" ? "es" : "en");
  return `${ctx.path}?${parameters.toString()}`;
}

function refusalPage({ code, retryAfterSeconds }: AppError, status: number, words: Words): Page {
  const [heading, hint] = ((): [string, string] => {
    if (code === "booking_not_found") return [words.expired, words.expiredHint];
    if (code === "csrf_rejected") return [words.otherSite, words.otherSiteHint];
    if (status === 404) return [words.notFound, words.notFoundHint];
    if (status === 429) return [words.tooMany, words.tooManyHint(retryAfterSeconds ?? 60)];
    if (status < 500) return [words.badRequest, words.badRequestHint];
    return [words.failed, words.failedHint];
  })();
  return { status, heading, body: html`<section><p>${hint}</p></section>` };
}
