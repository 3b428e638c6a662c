import type { MetaDriver } from "../../../../core/model/channels.ts";
import { metaDrivers } from "../../../../core/model/channels.ts";
import type { BodyOf } from "../../lib/api.ts";

/** Steps of connecting, in their order. */
export const connectSteps = ["network", "app", "account", "check", "done"] as const;
export type ConnectStep = (typeof connectSteps)[number];

/**
 * Everything that was typed and chosen. It lives in the page's memory alone: no storage of the
 * browser and no URL has a secret or a token.
 */
export interface ConnectDraft {
  driver: MetaDriver | null;
  /** Chosen app; null while a new one is typed. */
  channelAppId: number | null;
  appId: string;
  appSecret: string;
  instagramSecret: string;
  /** WhatsApp Business Account, or the Page. */
  parentId: string;
  /** Phone number id, or Page id. Empty where the token tells it. */
  externalId: string;
  token: string;
  /** The channel that gets a new token; null for a new channel. */
  channelId: number | null;
}

/** Props of each step: the draft, and functions that change it and open another step. */
export interface StepParts {
  draft: ConnectDraft;
  change: (part: Partial<ConnectDraft>) => void;
  go: (step: ConnectStep) => void;
}

/** A draft with the network that the URL names. */
export function emptyDraft(driver: string | null): ConnectDraft {
  return {
    driver: metaDrivers.find((one) => one === driver) ?? null,
    channelAppId: null,
    appId: "",
    appSecret: "",
    instagramSecret: "",
    parentId: "",
    externalId: "",
    token: "",
    channelId: null,
  };
}

/** Ids that a network needs beside the token. */
export function neededIds(driver: MetaDriver): { parent: boolean; external: boolean } {
  const parent = driver === "whatsapp_cloud" || driver === "instagram_page";
  return { parent, external: driver === "whatsapp_cloud" };
}

/** The call that connects, or null while a part is missing. */
export function connectBody(draft: ConnectDraft): BodyOf<"POST /channel-accounts"> | null {
  const { driver, channelAppId, channelId } = draft;
  const [token, parentId, externalId] = [draft.token, draft.parentId, draft.externalId].map(
    (text) => text.trim(),
  );
  if (driver === null || channelAppId === null || !token) return null;
  const needed = neededIds(driver);
  if ((needed.parent && !parentId) || (needed.external && !externalId)) return null;
  return {
    driver,
    channel_app_id: channelAppId,
    token,
    ...(channelId !== null && { channel_account_id: channelId }),
    ...(parentId && { parent_id: parentId }),
    ...(externalId && { external_id: externalId }),
  };
}

/** The furthest step that can be shown: `check` and `done` need a call. */
export function reachableStep(
  draft: ConnectDraft,
  call: { isIdle: boolean; isSuccess: boolean },
): ConnectStep {
  if (call.isSuccess) return "done";
  if (!call.isIdle && connectBody(draft) !== null) return "check";
  if (draft.channelAppId !== null) return "account";
  return draft.driver === null ? "network" : "app";
}

/** The step that the URL asks for, or the nearest one from the first to the last that can be shown. */
export function shownStep(
  asked: string | null,
  { first, reachable }: { first: ConnectStep; reachable: ConnectStep },
): ConnectStep {
  const wanted = connectSteps.findIndex((one) => one === asked);
  const place = Math.max(wanted, connectSteps.indexOf(first));
  return connectSteps[Math.min(place, connectSteps.indexOf(reachable))] ?? first;
}
