import type { z } from "zod";
import type { Principal, Role, Scope } from "../../core/model/principal.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/** Who may call: an API key with a scope, a person with a role (admins may all that agents may), or anyone. */
export type Access =
  | { kind: "scope"; scope: Scope }
  | { kind: "role"; role: Role }
  | { kind: "public" };

/** Which methods exist at all. */
export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** One documented success: its schema is what OpenAPI shows and what tests hold every answer against. */
export interface Success {
  description: string;
  data: z.ZodType;
  meta?: z.ZodType;
}

/** What `run` answers; the envelope, headers and status line are made from it. */
export interface Answer {
  /** Default: the route's only documented success. */
  status?: number;
  data: unknown;
  meta?: unknown;
  headers?: Record<string, string | string[]>;
}

/** The facts of one request that a route may look at. */
export interface RequestFacts {
  requestId: string;
  ip: string;
  userAgent: string | null;
  /** SHA-256 of the session cookie's token; null without a session. */
  sessionHash: Buffer | null;
  /** The device cookie as sent; null without one. */
  deviceToken: string | null;
  /** The `Idempotency-Key` header; null when absent. */
  idempotencyKey: string | null;
}

/** What the parsed request hands to `run`. */
export interface Input<Query, Body, Prepared> {
  /** The number in `:id`; 0 on a path without one. */
  id: number;
  query: Query;
  body: Body;
  prepared: Prepared;
  /** Who calls, also before there is a transaction. */
  actor: Principal;
  facts: RequestFacts;
}

interface Definition<QS extends z.ZodType, BS extends z.ZodType, Prepared> {
  method: Method;
  /** Below the mount point; `:id` is the only parameter. */
  path: string;
  access: Access;
  tag: string;
  summary: string;
  /** What `:id` names, as in `<noun>_not_found`; a non-numeric id reads like an unknown one. */
  noun?: string;
  query?: QS;
  body?: BS;
  successes: Record<number, Success>;
  /** Error codes beyond those every route of its kind may answer. */
  errors?: string[];
  /** Work that must not run inside a transaction (a name look-up, a password hash), just before it. */
  prepare?: (
    input: Omit<Input<z.output<QS>, z.output<BS>, never>, "prepared">,
    deps: Deps,
  ) => Promise<Prepared> | Prepared;
  /** One transaction: a read-only snapshot for GET, else READ COMMITTED and retried on a deadlock. */
  run: (tx: Tx, input: Input<z.output<QS>, z.output<BS>, Prepared>, deps: Deps) => Promise<Answer>;
  /**
   * Work after the commit that may take a while and holds no transaction: to hear what came of what
   * `run` asked for. It answers in place of `run`, or throws what the caller then reads.
   */
  settle?: (
    answer: Answer,
    input: Input<z.output<QS>, z.output<BS>, Prepared>,
    deps: Deps,
  ) => Promise<Answer>;
}

/** A route whose types are checked and forgotten, as the server mounts it. */
export type Route = Definition<z.ZodType, z.ZodType, unknown>;

/** Declares a route: authentication, validation, transaction, envelope and OpenAPI follow from it. */
export function route<QS extends z.ZodType, BS extends z.ZodType, Prepared = undefined>(
  definition: Definition<QS, BS, Prepared>,
): Route {
  return definition as unknown as Route;
}
