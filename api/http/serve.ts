import { isIP } from "node:net";
import type { Context } from "koa";
import { AppError, notFound } from "../../core/errors.ts";
import type { ErrorNoun } from "../../core/model/error-catalogue.ts";
import type { Principal } from "../../core/model/principal.ts";
import { snapshot, transaction, type Deadline, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { parseInput, type InputPart } from "./input.ts";
import { newDeadline } from "./deadline.ts";
import { readJson } from "./body.ts";
import { answerOnce, type Reply } from "./idempotency.ts";
import { rateLimited, requireTokens } from "./rate-limit.ts";
import { authenticateSession, readCookies, refuseCrossSite } from "./session-auth.ts";
import type { Answer, Input, RequestFacts, Route } from "./route.ts";
import type { ShareTransaction } from "./shared-transactions.ts";

type PersonPrincipal = Extract<Principal, { type: "user" }>;

type AnyInput = Input<unknown, unknown, unknown>;

/** A route in the application. */
export interface MountedRoute extends Route {
  /** Null where each call has a transaction of its own. */
  share: ShareTransaction | null;
}

/**
 * Serves one request to a route in the order of rule C17. The checks are key (401), rate (429),
 * scope (403), then type, size and input (415, 413, 400). Then comes the transaction, and the
 * answer leaves after the commit.
 */
export async function serve(deps: Deps, route: MountedRoute, ctx: Context): Promise<void> {
  const facts = readFacts(deps, ctx);
  const deadline = newDeadline();
  const askedAt = performance.now();
  const actor = await authorize(deps, route, ctx);
  deadline.remainingMs -= performance.now() - askedAt;
  const body =
    route.body === undefined ? await refuseBody(ctx) : await readJson(ctx, route.maxBodyBytes);
  const input = readInput(route, ctx, { actor, facts }, body);
  const reply = await answerOnce(
    deps,
    { route, actor, facts, deadline, path: ctx.path, body: input.body },
    (complete) => answer(deps, route, { ...input, deadline }, complete),
  );
  send(ctx, reply);
}

/** The caller's address. A header counts only if it holds an address. Empty if unknown. */
export function readIp(ctx: Context): string {
  const claimed = withoutPort(ctx.ip);
  return isIP(claimed) === 0 ? (ctx.req.socket.remoteAddress ?? "") : claimed;
}

/** Some proxies append the caller's port to X-Forwarded-For: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(text: string): string {
  const [, ip6, ip4] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return ip6 ?? ip4 ?? text;
}

function readFacts({ config }: Deps, ctx: Context): RequestFacts {
  return {
    requestId: String(ctx.state["requestId"]),
    ip: readIp(ctx),
    userAgent: ctx.get("user-agent") || null,
    ...readCookies(ctx, config.publicUrl),
    idempotencyKey: ctx.req.headers["idempotency-key"]?.toString() ?? null,
  };
}

async function authorize(deps: Deps, route: Route, ctx: Context): Promise<Principal> {
  switch (route.access.kind) {
    case "scope":
      return await authorizeKey(deps, route.access.scope, ctx);
    case "role":
      refuseCrossSite(ctx, deps.config.publicUrl);
      return await authorizePerson(deps, route.access.role, ctx);
    case "public":
      refuseCrossSite(ctx, deps.config.publicUrl);
      return { type: "system", accountId: 0 };
  }
}

async function authorizeKey(deps: Deps, scope: string, ctx: Context): Promise<Principal> {
  // Two headers count as one malformed header, because a proxy may have trusted either of them.
  const authorization = ctx.req.headersDistinct["authorization"]?.join(", ");
  const principal = await deps.apiKeyAuth.authenticate(authorization, readIp(ctx));
  if (deps.limitRate !== null) {
    const state = deps.limitRate(String(principal.accountId));
    ctx.set("X-RateLimit-Limit", String(state.limit));
    ctx.set("X-RateLimit-Remaining", String(state.remaining));
    ctx.set("X-RateLimit-Reset", String(state.resetSeconds));
    if (!state.allowed) throw rateLimited(state.retryAfterSeconds);
  }
  if (principal.scopes.some((granted) => granted === scope)) return principal;
  throw new AppError("insufficient_scope", {
    message: `This API key lacks the scope ${scope}.`,
    details: {
      required_scope: scope,
      granted_scopes: principal.scopes,
    },
  });
}

/**
 * The person of a session, with the limit of writes.
 * @throws AppError `session_required`, `rate_limited`, `forbidden_role`
 */
export async function authorizePerson(
  deps: Deps,
  role: "admin" | "agent",
  ctx: Context,
): Promise<PersonPrincipal> {
  const { dataSource, config, limitWrites } = deps;
  const session = await authenticateSession(dataSource, ctx, config.publicUrl);
  if (limitWrites !== null && ctx.method !== "GET") {
    const { sessionHash } = readCookies(ctx, config.publicUrl);
    requireTokens(limitWrites, String(sessionHash?.toString("hex")));
  }
  if (role === "admin" && session.role !== "admin") {
    throw new AppError("forbidden_role");
  }
  const { userId, accountId } = session;
  return { type: "user", userId, accountId, role: session.role };
}

/**
 * A route without a body ignores an empty one, and refuses a body that could be another site's
 * form.
 */
async function refuseBody(ctx: Context): Promise<undefined> {
  if (ctx.method !== "GET") await readJson(ctx);
}

function readInput(
  route: Route,
  ctx: Context,
  caller: Pick<AnyInput, "actor" | "facts">,
  body: unknown,
): AnyInput {
  const parts: InputPart[] = [];
  if (route.query !== undefined) {
    parts.push({ part: "query", schema: route.query, value: { ...ctx.query } });
  }
  if (route.body !== undefined) {
    // A missing body counts as an empty object; a JSON null does not.
    parts.push({ part: "body", schema: route.body, value: body === undefined ? {} : body });
  }
  const { query, body: parsedBody } = parseInput(parts);
  const id = readId(ctx, "id", route.noun);
  const secondId = readId(ctx, secondParameter(route.path), route.secondNoun);
  return { id, secondId, query, body: parsedBody, prepared: undefined, ...caller };
}

/** The number in a parameter of the path. Any other text is not found. */
function readId(ctx: Context, name: string, noun: ErrorNoun | undefined): number {
  if (noun === undefined) return 0;
  const params: unknown = ctx["params"];
  const text = typeof params === "object" && params !== null ? Reflect.get(params, name) : "";
  if (typeof text !== "string" || !/^[1-9]\d{0,14}$/.test(text)) throw notFound(noun);
  return Number(text);
}

function secondParameter(path: string): string {
  return /:(\w+Id)\b/.exec(path)?.[1] ?? "";
}

async function answer(
  deps: Deps,
  route: MountedRoute,
  { deadline, ...input }: AnyInput & { deadline: Deadline },
  complete: (tx: Tx, reply: Reply) => Promise<void>,
): Promise<Reply> {
  const prepared = await route.prepare?.(input, deps);
  const { actor, facts } = input;
  const options = { actor, origin: { ip: facts.ip, requestId: facts.requestId }, deadline };
  const run = route.method === "GET" ? snapshot : transaction;
  const given = { ...input, prepared };
  const toReply = (answered: Answer) => present(deps, route, answered);
  const shared = await route.share?.({ input: given, deadline, present: toReply });
  if (shared) return shared;
  const made = await run(deps.dataSource, options, async (tx) => {
    const answered = await route.run(tx, given, deps);
    const reply = toReply(answered);
    await complete(tx, reply);
    return { answered, reply };
  });
  if (route.settle === undefined) return made.reply;
  return toReply(await route.settle(made.answered, given, deps));
}

function present(deps: Deps, route: Route, { status, data, meta, headers }: Answer): Reply {
  const code = status ?? Number(Object.keys(route.successes)[0]);
  if (deps.checkAnswers) checkAnswer(route, code, data, meta);
  const envelope = { success: true, data, ...(meta === undefined ? {} : { meta }) };
  return { status: code, body: Buffer.from(JSON.stringify(envelope)), headers: headers ?? {} };
}

function checkAnswer(route: Route, status: number, data: unknown, meta: unknown): void {
  const success = route.successes[status];
  if (success === undefined)
    throw new Error(`${route.method} ${route.path} does not document ${status}.`);
  success.data.parse(data);
  if (success.meta !== undefined) success.meta.parse(meta);
}

function send(ctx: Context, { status, body, headers }: Reply): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
  ctx.set("Content-Type", "application/json; charset=utf-8");
  ctx.body = body;
}
