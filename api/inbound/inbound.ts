import { createHash } from "node:crypto";
import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError, invalidField } from "../../core/errors.ts";
import { isEventId } from "../../core/model/inbound.ts";
import { networkOf } from "../../core/network.ts";
import {
  findInboundEndpoint,
  inboundSecretContext,
  isInboundSlug,
  type CalledEndpoint,
} from "../../core/services/inbound/inbound-endpoints.ts";
import { snapshot, systemOf, type Deadline, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { asAppError } from "../http/errors.ts";
import { answerInbound, type AskedAction, type InboundReply } from "./answer.ts";
import type { InboundKind } from "./kinds.ts";
import { keepInboundRequest, type InboundFacts } from "./log.ts";
import { findSignatureFault, signatureRefusal } from "./signature.ts";
import { readBytes, requireJsonType } from "../http/body.ts";
import { newDeadline } from "../http/deadline.ts";
import { rateLimited, requireTokens } from "../http/rate-limit.ts";
import { readIp } from "../http/serve.ts";
import { parseStrictJson } from "../http/strict-json.ts";

/** 256 KiB. */
const maxBodyBytes = 262_144;
/** A caller who sends a body too slowly reads 408 within 10 s. */
const bodyTimeoutMs = 9_000;

/** One call during its checks; each check adds to `facts`. */
interface Call {
  kind: InboundKind;
  ctx: Context;
  endpoint: CalledEndpoint;
  options: TxOptions;
  facts: InboundFacts;
  /** True once the signature was verified, so the call comes from the owner of the endpoint. */
  isSigned: boolean;
}

/**
 * Serves the endpoints of a kind, such as `POST /api/webhooks/inbound/{slug}` (rules C61 to C68).
 * Does not use `route()`: the signature covers the raw bytes, so nothing may parse them before the
 * signature is verified.
 */
export function mountInbound(deps: Deps, router: Router, kind: InboundKind): void {
  router.post(kind.path, async (ctx) => {
    // The slug is as secret as a password, so only the pattern is logged.
    ctx.state["route"] = kind.path;
    const deadline = newDeadline();
    const slug = ctx.params["slug"] ?? "";
    const endpoint = await requireEndpoint(deps, kind, { slug, ip: readIp(ctx) }, deadline);
    const call = beginCall(kind, ctx, endpoint, deadline);
    try {
      const reply = await takeCall(deps, call);
      present(deps, call, reply);
      await keepInboundRequest(deps, call, { ...reply, statusCode: 200, errorCode: null });
    } catch (error) {
      throw await keepRefusal(deps, call, error);
    }
  });
}

/**
 * Stores a refusal in the endpoint's log. Refusals by the rate limit are only counted.
 * @returns the error for the caller.
 */
async function keepRefusal(deps: Deps, call: Call, thrown: unknown): Promise<unknown> {
  const { accountId, endpointId } = call.endpoint;
  const { ip } = call.facts;
  const limited = call.isSigned ? null : limitUnsigned(deps, endpointId, ip);
  // A part of the body may not have arrived yet.
  if (limited !== null) call.ctx.set("Connection", "close");
  const error = limited ?? thrown;
  const { code, status: statusCode } = asAppError(error);
  if (code === "rate_limited") deps.limitedCalls.add({ accountId, endpointId, ip });
  else await keepInboundRequest(deps, call, { statusCode, errorCode: code });
  return error;
}

/** Null while the address, and all addresses together, may still read the reason of a refusal. */
function limitUnsigned(
  { limitUnsignedCaller, limitUnsignedEndpoint }: Deps,
  endpointId: number,
  ip: string,
): AppError | null {
  const own = limitUnsignedCaller(`${endpointId} ${networkOf(ip)}`);
  if (!own.allowed) return rateLimited(own.retryAfterSeconds);
  const { allowed, retryAfterSeconds } = limitUnsignedEndpoint(String(endpointId));
  return allowed ? null : rateLimited(retryAfterSeconds);
}

async function requireEndpoint(
  { dataSource, slugGuard }: Deps,
  { kind }: InboundKind,
  { slug, ip }: { slug: string; ip: string },
  deadline: Deadline,
): Promise<CalledEndpoint> {
  const notFound = new AppError("endpoint_not_found");
  if (!/^[0-9A-Za-z]{26}$/.test(slug) || slugGuard.isNobodys(slug, ip)) throw notFound;
  return await snapshot(dataSource, { ...systemOf(), deadline }, async (tx) => {
    const endpoint = await findInboundEndpoint(tx, kind, slug);
    if (endpoint === null) slugGuard.missed(slug, ip, await isInboundSlug(tx, slug));
    else slugGuard.found(slug);
    if (endpoint === null) throw notFound;
    return endpoint;
  });
}

function beginCall(
  kind: InboundKind,
  ctx: Context,
  endpoint: CalledEndpoint,
  deadline: Deadline,
): Call {
  const { accountId, endpointId } = endpoint;
  const ip = readIp(ctx);
  const requestId = String(ctx.state["requestId"]);
  return {
    kind,
    ctx,
    endpoint,
    isSigned: false,
    options: {
      actor: { type: "inbound_endpoint", accountId, endpointId },
      origin: { ip, requestId },
      deadline,
    },
    facts: {
      endpointId,
      receivedAt: new Date(),
      startedMs: performance.now(),
      ip,
      event: null,
      eventId: null,
      bodyBytes: null,
      body: null,
      signature: null,
    },
  };
}

/** Runs every check in its documented order, then the action. */
async function takeCall(deps: Deps, call: Call): Promise<InboundReply> {
  const { ctx, endpoint, facts, options } = call;
  const body = await readBytes(ctx.req, maxBodyBytes, bodyTimeoutMs);
  facts.bodyBytes = body.length;
  requireJsonType(ctx);
  requireSignature(deps, call, body);
  call.isSigned = true;
  // Counted here, so that only signed calls use up the owner's limit.
  requireTokens(deps.limitInbound, String(endpoint.endpointId));
  // Stored only now that the call is known to come from the owner of the endpoint.
  facts.body = body;
  const action = readCall(call, parseStrictJson(body));
  const eventId = readEventId(call);
  facts.eventId = eventId;
  const { endpointId } = endpoint;
  return await answerInbound(deps, options, { endpointId, action, eventId, body });
}

/** Stores the fault for the log. @throws AppError `missing_signature`, `invalid_signature` */
function requireSignature({ secretBox }: Deps, { ctx, endpoint, facts }: Call, body: Buffer): void {
  const { headers } = ctx.req;
  const { strict, sealedSecrets } = endpoint;
  const context = inboundSecretContext(endpoint.accountId, endpoint.endpointId);
  const fault = findSignatureFault({
    headers,
    body,
    secrets: sealedSecrets.map((sealed) => secretBox.open(sealed, context)),
    strict,
    nowSeconds: Math.floor(Date.now() / 1000),
  });
  if (fault === null) return;
  facts.signature = {
    ...fault,
    headerNames: Object.keys(headers).toSorted(),
    bodySha256: createHash("sha256").update(body).digest(),
  };
  throw signatureRefusal(fault, strict);
}

function readCall({ kind: { actions, parse }, facts }: Call, value: unknown): AskedAction {
  if (typeof value !== "object" || value === null) return parse(value);
  const event: unknown = Reflect.get(value, "event");
  if (typeof event === "string" && /^[\x21-\x7e]{1,64}$/.test(event)) facts.event = event;
  if (actions.some((action) => action === event)) return parse(value);
  throw new AppError("unsupported_event", {
    message: `Send one of ${actions.join(", ")} as event.`,
    details: {
      supported_events: actions,
    },
  });
}

/**
 * The event id of a call. On a strict endpoint only `webhook-id` counts: the signature covers that
 * header, so replays are recognized.
 */
function readEventId({ ctx, endpoint }: Call): string | null {
  const names = endpoint.strict ? ["webhook-id"] : ["x-service-event-id", "webhook-id"];
  const name = names.find((one) => ctx.req.headers[one] !== undefined);
  if (name === undefined) return null;
  const value = String(ctx.req.headers[name]);
  if (isEventId(value)) return value;
  throw invalidField(
    `headers.${name}`,
    "invalid_event_id",
    "Use 1 to 255 visible ASCII characters.",
  );
}

function present({ checkAnswers }: Deps, { ctx, kind }: Call, reply: InboundReply): void {
  const data = kind.present(reply);
  if (checkAnswers) kind.answer.parse(data);
  if (reply.replayed) ctx.set("Idempotent-Replayed", "true");
  ctx.body = { success: true, data };
}
