import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { MetaAccount, MetaApp } from "./meta-accounts.ts";
import type { MetaCallback } from "./meta-webhooks.ts";

/** Address of Parley, and login of an admin who may connect channels. */
export interface ConnectOptions {
  /** Origin of Parley, such as `http://localhost:3000`. */
  parleyUrl: string;
  email: string;
  password: string;
}

const appAnswer = z.object({
  data: z.object({ id: z.int(), slug: z.string(), verify_token: z.string() }),
});

/**
 * Adds the app and its accounts to Parley through the Dashboard API. Known ones get the secrets and
 * tokens of the stand-in again.
 * @throws Error with Parley's answer, if it refuses
 */
export async function connectToParley(
  { parleyUrl, email, password }: ConnectOptions,
  app: MetaApp,
  accounts: readonly MetaAccount[],
): Promise<MetaCallback> {
  const api = `${parleyUrl}/dashboard/api`;
  const login = await post(`${api}/session`, { email, password }, "");
  const cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]);
  const call = async (path: string, body: object) =>
    await post(api + path, body, cookie.join("; "));
  const made = await call("/channel-apps", {
    app_id: app.id,
    app_secret: app.secret,
    ...(app.instagramSecret !== undefined && { instagram_app_secret: app.instagramSecret }),
  });
  const { id, slug, verify_token: verifyToken } = appAnswer.parse(await made.json()).data;
  for (const account of accounts) {
    await call("/channel-accounts", {
      driver: account.driver,
      channel_app_id: id,
      external_id: account.id,
      parent_id: account.parentId,
      token: account.token,
    });
  }
  return { url: callbackUrl(parleyUrl, slug), verifyToken };
}

/**
 * Resolves once Parley answers, so that both may start at the same time.
 * @throws Error after a minute
 */
export async function waitForParley(parleyUrl: string, waitMs = 60_000): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (Date.now() < deadline) {
    const answer = await fetch(`${parleyUrl}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await sleep(200);
  }
  throw new Error(`Parley does not answer at ${parleyUrl}. Start it, or give its address.`);
}

/** The URL of webhooks, on the origin that is reached from here. */
export function callbackUrl(parleyUrl: string, slug: string): string {
  return `${parleyUrl}/api/channels/meta/${slug}`;
}

async function post(url: string, body: object, cookie: string): Promise<Response> {
  const headers = { "content-type": "application/json", cookie };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  const words = (await answer.text()).slice(0, 300);
  throw new Error(`Parley answered ${answer.status} to ${new URL(url).pathname}: ${words}`);
}
