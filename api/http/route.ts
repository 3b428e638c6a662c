import type { z } from "zod";
import type { AppError } from "../../core/errors.ts";
import type { ErrorCode, ErrorNoun } from "../../core/model/error-catalogue.ts";
import type { Principal, Role, Scope } from "../../core/model/principal.ts";
import type { Method } from "../../core/model/routes/shape.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/**
 * Access to a route: an API key with a scope, a member with a role, or public. Admins have the
 * rights of agents.
 */
export type Access =
  | { kind: "scope"; scope: Scope }
  | { kind: "role"; role: Role }
  | { kind: "public" };

/** Schemas of one success. Tests check every answer against them. */
export interface Success {
  data: z.ZodType;
  meta?: z.ZodType;
}

/** One success of a route that OpenAPI shows. */
export interface DocumentedSuccess extends Success {
  description: string;
}

/** Result of `run`, which becomes envelope, headers and status. */
export interface Answer<Data = unknown, Meta = unknown> {
  /** Default: the first success of the route. */
  status?: number;
  data: Data;
  meta?: Meta;
  headers?: Record<string, string | string[]>;
}

/** Facts of a request for a route. */
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

/** The parsed request for `run`. */
export interface Input<Query, Body, Prepared> {
  /** The number in `:id`; 0 on a path without one. */
  id: number;
  /** The number in the second parameter of the path; 0 on a path without one. */
  secondId: number;
  query: Query;
  body: Body;
  prepared: Prepared;
  /** The caller, also outside a transaction. */
  actor: Principal;
  facts: RequestFacts;
}

/** Access to a route, its texts and its behaviour. */
export interface Behaviour<Query, Body, Prepared, Given extends Answer> {
  access: Access;
  tag: string;
  summary: string;
  /** Noun of `:id`, as in `<noun>_not_found`. A non-numeric id is answered like an unknown id. */
  noun?: ErrorNoun;
  /** The same for the second parameter of the path. */
  secondNoun?: ErrorNoun;
  /** Largest body in bytes, where it is not 1 MiB. */
  maxBodyBytes?: number;
  /** Error codes besides those of every route of its kind. */
  errors?: ErrorCode[];
  /** Work outside the transaction, just before it, such as a name look-up or a password hash. */
  prepare?: (
    input: Omit<Input<Query, Body, never>, "prepared">,
    deps: Deps,
  ) => Promise<Prepared> | Prepared;
  /**
   * One transaction: a read-only snapshot for GET, else READ COMMITTED, which is retried on a
   * deadlock.
   */
  run: (tx: Tx, input: Input<Query, Body, Prepared>, deps: Deps) => Promise<Given>;
  /**
   * Runs several calls of one API key in one transaction. One outcome for each call: its answer or
   * refusal, or null where it needs a transaction of its own. `tx.origin` is null, so it writes no
   * audit entry. Only of a POST without `settle`.
   */
  runTogether?: (
    tx: Tx,
    inputs: readonly Input<Query, Body, Prepared>[],
  ) => Promise<(Given | AppError | null)[]>;
  /**
   * Longer work after the commit without a transaction, such as waiting for the outcome of a
   * request in `run`. Its result replaces that of `run`; its error is the caller's answer.
   */
  settle?: (answer: Given, input: Input<Query, Body, Prepared>, deps: Deps) => Promise<Given>;
}

/** A route without its types, as the server mounts it. */
export interface Route extends Behaviour<unknown, unknown, unknown, Answer> {
  method: Method;
  /** Below the mount point, with `:id` and at most one more parameter. */
  path: string;
  query?: z.ZodType;
  body?: z.ZodType;
  successes: Record<number, Success>;
}

/** A route that OpenAPI shows. */
export interface DocumentedRoute extends Route {
  successes: Record<number, DocumentedSuccess>;
}

interface Definition<QS extends z.ZodType, BS extends z.ZodType, Prepared>
  extends
    Behaviour<z.output<QS>, z.output<BS>, Prepared, Answer>,
    Pick<DocumentedRoute, "method" | "path" | "successes"> {
  query?: QS;
  body?: BS;
}

/**
 * Declares a route of API v1, from which authentication, validation, transaction, envelope and
 * OpenAPI follow.
 */
export function route<QS extends z.ZodType, BS extends z.ZodType, Prepared = undefined>(
  definition: Definition<QS, BS, Prepared>,
): DocumentedRoute {
  return definition as unknown as DocumentedRoute;
}
