import type Router from "@koa/router";
import type { Context } from "koa";
import type { z } from "zod";
import { AppError } from "../../core/errors.ts";
import type { Visit } from "../../core/services/widgets/visit.ts";
import { snapshot, transaction, type Deadline, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "../http/body.ts";
import { newDeadline } from "../http/deadline.ts";
import { parseInput } from "../http/input.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { readIp } from "../http/serve.ts";
import { authenticateVisit, refuseOtherOrigin } from "./visit-auth.ts";

/** Mount point of the calls of visitors. */
const prefix = "/widget/api";
/** 64 KiB. The longest message needs 16 KiB. */
const maxBodyBytes = 65_536;

/** An answer: its status, and its data unless it is 204. */
export interface VisitAnswer {
  status: number;
  data?: unknown;
  /** A text file in place of `data`. */
  file?: { name: string; text: string };
}

/** One call, after its checks. */
export interface VisitCall<Body = unknown, Query = unknown> {
  deps: Deps;
  ctx: Context;
  ip: string;
  body: Body;
  query: Query;
  deadline: Deadline;
}

/** The same of a session. */
export interface SessionCall<Body = unknown, Query = unknown> extends VisitCall<Body, Query> {
  visit: Visit;
}

interface Definition<BS extends z.ZodType, QS extends z.ZodType> {
  method: "GET" | "POST";
  path: string;
  body?: BS;
  query?: QS;
  /** Shape of `data`. Tests check every answer against it. */
  answer?: z.ZodType;
  /** The body is a file, which the call reads itself. */
  isRaw?: boolean;
}

/** Mounts a call of a session, which its bearer token names. */
export function mountVisitRoute<BS extends z.ZodType, QS extends z.ZodType>(
  deps: Deps,
  router: Router,
  route: Definition<BS, QS>,
  run: (call: SessionCall<z.output<BS>, z.output<QS>>) => Promise<VisitAnswer>,
): void {
  mount(deps, router, route, async (ctx) => {
    const visit = await authenticateVisit(deps, ctx);
    requireTokens(deps.widgetLimits.calls, String(visit.sessionId));
    const call = await readCall<z.output<BS>, z.output<QS>>(deps, ctx, route);
    return await run({ ...call, visit });
  });
}

/** Mounts a call without a session. */
export function mountOpenRoute<BS extends z.ZodType, QS extends z.ZodType>(
  deps: Deps,
  router: Router,
  route: Definition<BS, QS>,
  run: (call: VisitCall<z.output<BS>, z.output<QS>>) => Promise<VisitAnswer>,
): void {
  mount(deps, router, route, async (ctx) => {
    refuseOtherOrigin(deps, ctx);
    return await run(await readCall(deps, ctx, route));
  });
}

function mount(
  deps: Deps,
  router: Router,
  { method, path, answer }: Pick<Definition<z.ZodType, z.ZodType>, "method" | "path" | "answer">,
  serve: (ctx: Context) => Promise<VisitAnswer>,
): void {
  router.register(`${prefix}${path}`, [method], async (ctx) => {
    if (ctx.method === "HEAD") throw new AppError("method_not_allowed");
    ctx.state["route"] = `${prefix}${path}`;
    const { status, data, file } = await serve(ctx);
    if (deps.checkAnswers) answer?.parse(data);
    ctx.status = status;
    if (file !== undefined) {
      ctx.attachment(file.name);
      ctx.type = "text/plain; charset=utf-8";
      ctx.body = file.text;
    } else if (status !== 204) ctx.body = { success: true, data };
  });
}

async function readCall<Body, Query>(
  deps: Deps,
  ctx: Context,
  {
    body: bodySchema,
    query: querySchema,
    isRaw = false,
  }: Partial<Definition<z.ZodType, z.ZodType>>,
): Promise<VisitCall<Body, Query>> {
  const sent = ctx.method === "GET" || isRaw ? undefined : await readJson(ctx, maxBodyBytes);
  const { body, query } = parseInput([
    ...(bodySchema === undefined
      ? []
      : [{ part: "body", schema: bodySchema, value: sent ?? {} } as const]),
    ...(querySchema === undefined
      ? []
      : [{ part: "query", schema: querySchema, value: { ...ctx.query } } as const]),
  ]);
  const deadline = newDeadline();
  return { deps, ctx, ip: readIp(ctx), body: body as Body, query: query as Query, deadline };
}

/** Runs the work of a visitor in one transaction. No address of a visitor is stored. */
export async function change<T>(
  { deps, deadline }: VisitCall,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const actor = { type: "contact", accountId } as const;
  return await transaction(deps.dataSource, { actor, deadline }, work);
}

/** Reads for a visitor in one snapshot. */
export async function read<T>(
  { deps, deadline }: VisitCall,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await snapshot(deps.dataSource, { actor: { type: "contact", accountId }, deadline }, work);
}
