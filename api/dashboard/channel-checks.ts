import {
  checkNewChannel,
  checkStoredChannel,
  endSubscription,
  listNumbers,
  registerNumber,
} from "../../activities/channels/check-channel.ts";
import {
  ChannelCheckError,
  failedStep,
  ProviderAwayError,
} from "../../activities/channels/setup-calls.ts";
import { AppError } from "../../core/errors.ts";
import type { CheckFindings } from "../../core/model/channel-checks.ts";
import type { ChannelCheckStep } from "../../core/model/channel-reasons.ts";
import type { ChannelAccountBody } from "../../core/model/channel-setup.ts";
import type { Principal } from "../../core/model/principal.ts";
import {
  callbackUrlOf,
  openAppAccess,
  proofSecretOf,
} from "../../core/services/channels/app-access.ts";
import {
  readDisconnection,
  readKnownChannel,
  type NewChannel,
} from "../../core/services/channels/channel-accounts.ts";
import { readCheck, type StoredCheck } from "../../core/services/channels/channel-checks.ts";
import { snapshot, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/** A stored channel with what its check has found. */
export interface CheckedStored {
  check: StoredCheck;
  findings: CheckFindings;
}

/**
 * Checks a channel that an admin connects, before anything is stored. Where Meta does not answer,
 * the channel is stored without findings, and the worker repeats the check.
 * @throws AppError `channel_app_not_found`, `channel_account_not_found`, `channel_mismatch`,
 * `channel_check_failed`, `rate_limited`
 */
export async function checkNew(
  body: ChannelAccountBody,
  actor: Principal,
  deps: Deps,
): Promise<NewChannel> {
  const { graph, secretBox, config } = deps;
  const { app, known } = await read(deps, actor, async (tx) => ({
    app: await openAppAccess(tx, secretBox, body.channel_app_id),
    known: await readKnownChannel(tx, body),
  }));
  const externalId = body.external_id ?? known?.externalId ?? null;
  const parentId = body.parent_id ?? known?.parentId ?? null;
  const { driver, token } = body;
  const channel = {
    driver,
    externalId,
    parentId,
    token,
    expiresAt: null,
    renews: true,
    appId: app.appId,
    appSecret: app.appSecret,
    proofSecret: proofSecretOf(app, driver),
    callbackUrl: callbackUrlOf(config.publicUrl, app.slug),
    verifyToken: app.verifyToken,
  };
  return await gated(deps, actor, "account", async () => {
    try {
      const findings = await checkNewChannel(graph, channel);
      return { body, externalId: findings.inspection.externalId, findings };
    } catch (error) {
      const isStored = error instanceof ProviderAwayError && externalId !== null;
      if (!isStored) throw error;
      return { body, externalId, findings: null };
    }
  });
}

/**
 * Checks a stored channel now.
 * @throws AppError `channel_account_not_found`, `channel_without_token`, `channel_check_failed`
 * where Meta does not answer, `rate_limited`
 */
export async function checkStored(
  id: number,
  actor: Principal,
  deps: Deps,
): Promise<CheckedStored> {
  const check = await requireCheck(id, actor, deps);
  return await gated(deps, actor, "account", async () => ({
    check,
    findings: await checkStoredChannel(deps.graph, check.channel),
  }));
}

/**
 * Registers a number with a PIN, and checks it then.
 * @throws AppError as `checkStored`, and `channel_check_failed` with the step `register`
 */
export async function registerStored(
  id: number,
  pin: string,
  actor: Principal,
  deps: Deps,
): Promise<CheckedStored> {
  const check = await requireCheck(id, actor, deps);
  if (check.channel.driver !== "whatsapp_cloud") throw new AppError("channel_without_token");
  return await gated(deps, actor, "register", async () => {
    await registerNumber(deps.graph, check.channel, pin);
    return { check, findings: await checkStoredChannel(deps.graph, check.channel) };
  });
}

/**
 * The numbers of a WhatsApp Business Account that a token reaches.
 * @throws AppError `channel_app_not_found`, `channel_check_failed`, `rate_limited`
 */
export async function readNumbers(
  appId: number,
  { parent_id: parentId, token }: { parent_id: string; token: string },
  actor: Principal,
  deps: Deps,
) {
  const { graph, secretBox } = deps;
  const app = await read(deps, actor, (tx) => openAppAccess(tx, secretBox, appId));
  return await gated(deps, actor, "account", async () => {
    return await listNumbers(graph, { ...app, token, parentId });
  });
}

/**
 * Ends the subscription of a channel at Meta, as far as Meta answers. The channel is disconnected
 * in any case: its webhooks are refused, and its token is deleted.
 * @returns false where the subscription stays
 */
export async function unsubscribeStored(
  id: number,
  actor: Principal,
  deps: Deps,
): Promise<boolean> {
  const { graph, secretBox, config } = deps;
  const found = await read(deps, actor, (tx) =>
    readDisconnection(tx, id, async () => await readCheck(tx, secretBox, id, config.publicUrl)),
  );
  if (found === null) return false;
  return await gated(deps, actor, "subscribe", async () => {
    return await endSubscription(graph, found.channel);
  });
}

async function requireCheck(id: number, actor: Principal, deps: Deps): Promise<StoredCheck> {
  const { secretBox, config } = deps;
  const check = await read(deps, actor, (tx) => readCheck(tx, secretBox, id, config.publicUrl));
  if (check === null) throw new AppError("channel_without_token");
  return check;
}

async function read<T>(
  { dataSource }: Deps,
  actor: Principal,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await snapshot(dataSource, { actor }, work);
}

/** Few checks of an account run at once. Refusals of Meta become answers. */
async function gated<T>(
  { channelChecks }: Deps,
  { accountId }: Principal,
  step: ChannelCheckStep,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await channelChecks.run(String(accountId), work);
  } catch (error) {
    throw asAnswer(error, step);
  }
}

function asAnswer(error: unknown, step: ChannelCheckStep): unknown {
  if (error instanceof ProviderAwayError) return answerOf(failedStep(step, "provider_away"));
  return error instanceof ChannelCheckError ? answerOf(error) : error;
}

function answerOf({ details }: ChannelCheckError): AppError {
  const { reason, provider_message: words, next_step: next } = details;
  const code = reason === "other_account" ? "channel_mismatch" : "channel_check_failed";
  const message = words === null ? next : `Meta says: ${words} ${next}`;
  return new AppError(code, { message, details: { ...details } });
}
