import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { createWidgetLimits } from "../../api/widget/limits.ts";
import { createRateLimiter } from "../../api/http/rate-limit.ts";
import { useFixture } from "../support/use-fixture.ts";
import { openPanel, startWidgetPages, write } from "./widget-pages-fixture.ts";

/** Cloudflare's script: it shows a frame, and gives one token for each check that is drawn. */
const script = `globalThis.turnstile = {
  drawn: 0,
  render(place, { sitekey, callback }) {
    const frame = document.createElement("iframe");
    frame.src = new URL("/frame", document.querySelector("script[src*=turnstile]").src).href;
    frame.addEventListener("load", () => callback(sitekey + "-" + ++this.drawn));
    place.append(frame);
  },
};`;

let isAway = false;
const redeemed: string[] = [];
let cloudflare: Server | undefined;

async function startCloudflare(): Promise<string> {
  cloudflare = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://cloudflare").pathname;
    if (path === "/turnstile/v0/api.js") {
      response.setHeader("content-type", "text/javascript");
      response.end(script);
    } else if (path === "/frame") {
      response.setHeader("content-type", "text/html");
      response.end("<p>Checking</p>");
    } else {
      answerCheck(request, response);
    }
  });
  await new Promise<void>((resolve) => cloudflare?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(cloudflare.address() as AddressInfo).port}`;
}

type Handler = Extract<Parameters<typeof createServer>[1], (...given: never[]) => void>;

const answerCheck: Handler = (request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    const token = new URLSearchParams(body).get("response") ?? "";
    const success = token.startsWith("site-key-");
    if (success && !isAway) redeemed.push(token);
    response.statusCode = isAway ? 503 : 200;
    response.end(isAway ? "away" : JSON.stringify({ success }));
  });
};

const fixture = useFixture(
  async () =>
    await startWidgetPages({
      TURNSTILE_URL: await startCloudflare(),
      TURNSTILE_SITE_KEY: "site-key",
      TURNSTILE_SECRET_KEY: "secret-key",
    }),
);

afterAll(() => {
  cloudflare?.closeAllConnections();
  cloudflare?.close();
});

function closeSoftLimits(): void {
  const refuse = createRateLimiter({ perMinute: 0.001, burst: 0 });
  fixture.api.deps.widgetLimits = Object.assign(createWidgetLimits(), {
    softSessions: refuse,
    softConversations: refuse,
  });
}

test("above the soft limits the panel passes Cloudflare's check, for the session and the message", async () => {
  const { page, widget } = await fixture.visit();
  closeSoftLimits();
  await write(await openPanel(page), "I am no robot");
  expect(redeemed).toEqual(["site-key-1", "site-key-2"]);
  expect(await widget.events()).toContain("message.received");
});

test("while Cloudflare is away, the panel does a proof of work", async () => {
  const { page, widget } = await fixture.visit();
  closeSoftLimits();
  isAway = true;
  const proofs: string[] = [];
  page.on("request", (request) => {
    const proof = /"proof":"(turnstile:|)/u.exec(request.postData() ?? "");
    if (proof !== null) proofs.push(`${new URL(request.url()).pathname} ${proof[1]}`);
  });
  await write(await openPanel(page), "Nobody checks me");
  expect(proofs).toEqual([
    "/widget/api/sessions turnstile:",
    "/widget/api/sessions ",
    "/widget/api/messages ",
  ]);
  expect(await widget.events()).toContain("message.received");
});
