import type { MetaDriver, RestChannel } from "../../../core/model/channels.ts";
import { insertRow } from "../api-fixture.ts";
import type { ChannelFixture, TestNumber } from "./channel-fixture.ts";

/** A Page of Messenger or an account of Instagram, with the signed webhooks of its app. */
export interface TestPage {
  number: TestNumber;
  /** Meta's id of the Page. */
  pageId: string;
  channelAccountId: number;
  /** Meta's id of the app that the Page is connected to. */
  metaAppId: string;
  /** Sends events of the Page and applies them. */
  happen(...events: object[]): Promise<void>;
  /** The same while another app answers. */
  overhear(...events: object[]): Promise<void>;
}

let count = 0;

/** Connects a Page to the app of a new account. */
export async function addPage(
  fixture: ChannelFixture,
  {
    driver = "messenger",
    channel = "facebook",
  }: { driver?: MetaDriver; channel?: RestChannel } = {},
): Promise<TestPage> {
  const number = await fixture.addNumber();
  const pageId = `8800${(count += 1)}`;
  const channelAccountId = await insertRow(fixture, "channel_accounts", {
    account_id: number.account.accountId,
    channel,
    external_id: pageId,
    name: "Page",
    driver,
    channel_app_id: number.appId,
  });
  const [app] = await fixture.query<{ app_id: string }>(
    "SELECT app_id FROM channel_apps WHERE id = ?",
    [number.appId],
  );
  const object = channel === "instagram" ? "instagram" : "page";
  const send = async (name: string, events: object[]): Promise<void> => {
    await number.send({ object, entry: [{ id: pageId, time: Date.now(), [name]: events }] });
    await fixture.drain();
  };
  return {
    number,
    pageId,
    channelAccountId,
    metaAppId: app?.app_id ?? "",
    happen: async (...events) => await send("messaging", events),
    overhear: async (...events) => await send("standby", events),
  };
}

/** An event of a customer: `part` says what happened, and `at` when, in ms since 1970. */
export function fromCustomer(page: TestPage, customer: string, part: object, at = Date.now()) {
  return { sender: { id: customer }, recipient: { id: page.pageId }, timestamp: at, ...part };
}

/** The echo of a message to a customer. */
export function echoTo(page: TestPage, customer: string, message: object, at = Date.now()) {
  return {
    sender: { id: page.pageId },
    recipient: { id: customer },
    timestamp: at,
    message: { is_echo: true, ...message },
  };
}
