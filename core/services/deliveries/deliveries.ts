import { bytesToUuid, uuidToBytes } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import { newestAttempts, type DeliveryState } from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/event-types.ts";
import type { Principal } from "../../model/principal.ts";
import { maskUrl } from "../../model/subscription.ts";
import { mostCounted } from "../../model/wire.ts";
import { hideSignatures } from "../../signature.ts";
import type { LogBounds, LogPage, Page, PageBounds } from "../../model/page.ts";
import type {
  AttemptView,
  DeliveryView,
  DeliveryWithAttempts,
} from "../../model/views/dashboard.ts";
import { isAdmin } from "../accounts/actor.ts";
import { recordDeliveryChange } from "../outbox/changes.ts";
import { contactName } from "../contacts/contact-records.ts";
import { setDeliveryStateBehind, type DeliveryStep } from "./delivery-state.ts";
import {
  allOf,
  contactSearch,
  countAll,
  countUpTo,
  cutPage,
  placeholders,
  type SqlPart,
} from "../sql.ts";

/** Filters of the delivery log. */
export interface DeliveryFilter {
  subscription_id?: number | undefined;
  state?: DeliveryState | undefined;
  event_type?: EventType | undefined;
  /** UUID */
  event_id?: string | undefined;
  /** Id of a delivery or an event, or part of a contact's name, email or phone. */
  search?: string | undefined;
  /** First moment of the creation. */
  since?: Date | undefined;
  /** End of the creation, not part of the range. */
  until?: Date | undefined;
}

/** A delivery as it is stored. The route adds the link to Temporal UI. */
type StoredDelivery = Omit<DeliveryView, "workflow_url">;

type Stored<View, Moments extends keyof View, Bytes extends keyof View = never> = Omit<
  View,
  Moments | Bytes
> & { [K in Moments]: Date | (null extends View[K] ? null : never) } & { [K in Bytes]: Buffer };

type DeliveryRow = Stored<
  Omit<StoredDelivery, "contact" | "last_answer">,
  "next_attempt_at" | "discard_at" | "created_at",
  "event_id"
> & {
  contact_id: number | null;
  name: string | null;
  phone: string | null;
  email: string | null;
  status_code: number | null;
  error_class: string | null;
  duration_ms: number | null;
};
type AttemptRow = Omit<Stored<AttemptView, "started_at">, "manual"> & { manual: number };

const columns = `d.id, d.event_id, d.event_type, d.subscription_id, d.state, d.run, d.first_number, d.attempts_made,
  d.next_attempt_at, d.discard_at, d.reason, d.via, d.workflow_id, d.created_at`;

/** Joins the event, the contact and the last answer of a delivery `p`. */
const around = `JOIN events e ON e.id = p.event_id
  LEFT JOIN contacts m ON m.id = e.contact_id AND m.account_id = p.account_id
  LEFT JOIN contacts c ON c.id = COALESCE(m.merged_into_id, m.id)
  LEFT JOIN delivery_attempts a ON a.delivery_id = p.id AND a.run = p.run AND a.seq = p.attempts_made`;
const aroundColumns = `e.conversation_id, c.id AS contact_id, c.name, c.phone, c.email,
  a.status_code, a.error_class, a.duration_ms`;

/** Maximum number of rows that one page reads where no index serves the filter. */
const searchedRows = 200_000;

/**
 * The delivery log, newest first, counted up to a cap. With a rare filter in a large log a page may
 * have fewer rows than `limit`. The search continues at `next`.
 */
export async function listDeliveries(
  tx: Tx,
  filter: DeliveryFilter,
  { limit, before_id: beforeId }: LogBounds,
): Promise<LogPage<StoredDelivery>> {
  const found = await findSearched(tx, filter.search);
  if (found?.sql === "") return { rows: [], next: null, total: 0, totalAtLeast: false };
  const page = await readFoundPage(tx, filter, { limit, before_id: beforeId }, found);
  const all = conditions(tx, filter, { found });
  const from = { sql: `FROM deliveries d${hintFor(filter)} WHERE ${all.sql}`, values: all.values };
  const count = await countUpTo(tx, from, { cap: mostCounted, known: page.rows.length });
  return { ...page, ...count };
}

/** A page of the delivery log as `listDeliveries` reads it, without a count. */
export async function readDeliveryPage(
  tx: Tx,
  filter: DeliveryFilter,
  bounds: LogBounds,
): Promise<Pick<LogPage<StoredDelivery>, "rows" | "next">> {
  const found = await findSearched(tx, filter.search);
  if (found?.sql === "") return { rows: [], next: null };
  return await readFoundPage(tx, filter, bounds, found);
}

/** @param found condition of the search; null without a search. */
async function readFoundPage(
  tx: Tx,
  filter: DeliveryFilter,
  { limit, before_id: beforeId }: LogBounds,
  found: SqlPart | null,
): Promise<Pick<LogPage<StoredDelivery>, "rows" | "next">> {
  const end = await findSearchEnd(tx, filter, beforeId);
  const { sql: where, values } = conditions(tx, filter, { beforeId, end, found });
  const table = `deliveries d${hintFor(filter)}`;
  const rows = await tx.manager.query<DeliveryRow[]>(
    `SELECT p.*, ${aroundColumns}
       FROM (SELECT ${columns}, d.account_id FROM ${table}
              WHERE ${where} ORDER BY d.id DESC LIMIT ?) AS p
       ${around} ORDER BY p.id DESC`,
    [...values, limit + 1],
  );
  const { page, next } = cutPage(rows, limit);
  return { rows: page.map(presentDelivery), next: next?.id ?? end };
}

/** The oldest row that a page reads; null where an index has the matching rows in order. */
async function findSearchEnd(
  tx: Tx,
  filter: DeliveryFilter,
  beforeId: number | undefined,
): Promise<number | null> {
  const { state, subscription_id: subscriptionId } = filter;
  const isNarrowed = [filter.event_type, filter.since, filter.until].some(
    (one) => one !== undefined,
  );
  const isIndexed = !isNarrowed && (state === undefined || subscriptionId === undefined);
  if (isIndexed || filter.event_id !== undefined || filter.search !== undefined) return null;
  const { sql, values } = conditions(tx, { subscription_id: subscriptionId }, { beforeId });
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT d.id FROM deliveries d${hintFor({ subscription_id: subscriptionId })}
      WHERE ${sql} ORDER BY d.id DESC LIMIT 1 OFFSET ?`,
    [...values, searchedRows],
  );
  return row === undefined ? null : Number(row.id);
}

/** Without a hint MySQL may take an index in another order, and sort the rows. */
function hintFor({ event_id, subscription_id, state, search }: DeliveryFilter): string {
  if (event_id !== undefined || search !== undefined) return "";
  if (subscription_id !== undefined) return " FORCE INDEX (deliveries_subscription)";
  return ` FORCE INDEX (${state === undefined ? "deliveries_account" : "deliveries_state"})`;
}

function conditions(
  tx: Tx,
  filter: DeliveryFilter,
  { beforeId, end = null, found = null }: ConditionBounds = {},
): SqlPart {
  const eventId = filter.event_id === undefined ? undefined : uuidToBytes(filter.event_id);
  const wanted: [string, unknown][] = [
    ["d.account_id = ?", tx.actor.accountId],
    ["d.subscription_id = ?", filter.subscription_id],
    ["d.state = ?", filter.state],
    ["d.event_type = ?", filter.event_type],
    ["d.event_id = ?", eventId],
    ["d.id < ?", beforeId],
    ["d.id >= ?", end ?? undefined],
    ["d.created_at >= ?", filter.since],
    ["d.created_at < ?", filter.until],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  const search: [string, ...unknown[]][] = found === null ? [] : [[found.sql, ...found.values]];
  return allOf([...given, ...search]);
}

interface ConditionBounds {
  beforeId?: number | undefined;
  end?: number | null;
  /** Condition of the search; null without one. */
  found?: SqlPart | null;
}

/** Maximum number of contacts whose deliveries a search finds. */
const searchedContacts = 100;

/**
 * Condition for the deliveries that a search finds: by their own id, by the id of their event, or
 * by the contact that the event is about. Null without a search. Its SQL is empty where the search
 * can match nothing.
 */
async function findSearched(tx: Tx, text: string | undefined): Promise<SqlPart | null> {
  if (text === undefined) return null;
  if (uuidForm.test(text)) {
    return { sql: "d.event_id = ?", values: [uuidToBytes(text.toLowerCase())] };
  }
  const contacts = await findContactIds(tx, text);
  const ofContacts = `SELECT own.id FROM events e
    JOIN deliveries own ON own.event_id = e.id AND own.account_id = ?
   WHERE e.contact_id IN (${placeholders(contacts)})`;
  const parts: SqlPart[] = [
    ...(idForm.test(text) ? [{ sql: "SELECT ? AS id", values: [Number(text)] }] : []),
    ...(contacts.length === 0
      ? []
      : [{ sql: ofContacts, values: [tx.actor.accountId, ...contacts] }]),
  ];
  if (parts.length === 0) return { sql: "", values: [] };
  const union = parts.map(({ sql }) => sql).join(" UNION ");
  return {
    sql: `d.id IN (SELECT id FROM (${union}) AS found)`,
    values: parts.flatMap(({ values }) => values),
  };
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
const idForm = /^[0-9]{1,15}$/u;

/** The newest contacts that match, with the contacts that were merged into them. */
async function findContactIds(tx: Tx, text: string): Promise<number[]> {
  const { accountId } = tx.actor;
  const matching = contactSearch("c", text);
  const found = await tx.manager.query<{ id: number }[]>(
    `SELECT c.id FROM contacts c FORCE INDEX (contacts_search)
      WHERE c.account_id = ? AND c.merged_into_id IS NULL AND ${matching.sql}
      ORDER BY c.created_at DESC, c.id DESC LIMIT ?`,
    [accountId, ...matching.values, searchedContacts],
  );
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return [];
  const merged = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM contacts FORCE INDEX (contacts_newest)
      WHERE account_id = ? AND merged_into_id IN (${placeholders(ids)})`,
    [accountId, ...ids],
  );
  return [...ids, ...merged.map(({ id }) => id)];
}

/**
 * One delivery with its event and its newest attempts. Only an admin sees the whole URL of an
 * attempt.
 * @throws AppError `delivery_not_found`
 */
export async function getDelivery(
  tx: Tx,
  id: number,
): Promise<Omit<DeliveryWithAttempts, "workflow_url" | "waits_ms">> {
  const rows = await tx.manager.query<(DeliveryRow & { body: Buffer | null })[]>(
    `SELECT p.*, ${aroundColumns}, e.body
       FROM (SELECT ${columns}, d.account_id FROM deliveries d WHERE d.id = ? AND d.account_id = ?) AS p
       ${around}`,
    [id, tx.actor.accountId],
  );
  const row = rows[0];
  if (row === undefined) throw notFound("delivery");
  const page = { limit: newestAttempts, offset: 0 };
  const attempts = await readAttempts(tx, id, page);
  const body = row.body?.toString("utf8") ?? null;
  return {
    ...presentDelivery(row),
    event: body === null ? null : (JSON.parse(body) as unknown),
    body,
    attempts: attempts.rows.toReversed(),
    attempts_total: attempts.total,
  };
}

/**
 * The attempts of a delivery, newest first, with their total.
 * @throws AppError `delivery_not_found`
 */
export async function listAttempts(
  tx: Tx,
  id: number,
  page: PageBounds,
): Promise<Page<AttemptView>> {
  const [own] = await tx.manager.query<unknown[]>(
    "SELECT 1 FROM deliveries WHERE id = ? AND account_id = ?",
    [id, tx.actor.accountId],
  );
  if (own === undefined) throw notFound("delivery");
  return await readAttempts(tx, id, page);
}

/** Skips the attempts before the page in the index, without reading their rows. */
async function readAttempts(tx: Tx, deliveryId: number, { limit, offset }: PageBounds) {
  const rows = await tx.manager.query<AttemptRow[]>(
    `SELECT a.run, a.seq, number, manual, posts, started_at, duration_ms, status_code, error_class,
            request_url, request_headers, response_headers, response_excerpt, ip
       FROM (SELECT id FROM delivery_attempts WHERE delivery_id = ?
              ORDER BY run DESC, seq DESC LIMIT ? OFFSET ?) AS p
       JOIN delivery_attempts a ON a.id = p.id ORDER BY a.run DESC, a.seq DESC`,
    [deliveryId, limit, offset],
  );
  const all = { sql: "FROM delivery_attempts WHERE delivery_id = ?", values: [deliveryId] };
  return { rows: rows.map((row) => presentAttempt(tx.actor, row)), ...(await countAll(tx, all)) };
}

/**
 * Ends up to `limit` open and held deliveries of a deleted subscription as `cancelled`, behind the
 * id `after`.
 */
export async function cancelOpenDeliveries(
  tx: Tx,
  subscriptionId: number,
  limit: number,
  after = 0,
): Promise<DeliveryStep> {
  const step = await setDeliveryStateBehind(
    tx,
    { subscriptionId, limit, after },
    { trigger: "cancel", reason: "subscription_deleted" },
  );
  if (step.changed > 0) await recordDeliveryChange(tx, { subscriptionId });
  return step;
}

function presentDelivery(row: DeliveryRow): StoredDelivery {
  return {
    id: row.id,
    event_id: bytesToUuid(row.event_id),
    event_type: row.event_type,
    subscription_id: row.subscription_id,
    state: row.state,
    run: row.run,
    first_number: row.first_number,
    attempts_made: row.attempts_made,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    discard_at: row.discard_at?.toISOString() ?? null,
    reason: row.reason,
    via: row.via,
    workflow_id: row.workflow_id,
    created_at: row.created_at.toISOString(),
    contact: contactOf(row),
    conversation_id: row.conversation_id,
    last_answer: lastAnswerOf(row),
  };
}

function contactOf({ contact_id: id, name, phone, email }: DeliveryRow): DeliveryView["contact"] {
  return id === null ? null : { id, name: contactName({ id, name, phone, email }) };
}

function lastAnswerOf({
  status_code,
  error_class,
  duration_ms,
}: DeliveryRow): DeliveryView["last_answer"] {
  return duration_ms === null ? null : { status_code, error_class, duration_ms };
}

function presentAttempt(actor: Principal, row: AttemptRow): AttemptView {
  const { request_url: url, request_headers: headers } = row;
  return {
    ...row,
    manual: row.manual === 1,
    started_at: row.started_at.toISOString(),
    request_url: isAdmin(actor) ? url : maskUrl(url),
    // Old attempts were stored with their signatures.
    request_headers: headers === null ? null : hideSignatures(headers),
  };
}
