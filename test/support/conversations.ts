import type { DataSource } from "typeorm";
import type { RestChannel } from "../../core/model/channels.ts";
import type { EventType } from "../../core/model/event-types.ts";
import { eventCatalogue, eventEnvelope } from "../../core/model/events.ts";
import type { WorkflowCommand } from "../../core/model/workflow/workflow-command.ts";
import {
  receiveCustomerMessage,
  type CustomerMessage,
} from "../../core/services/conversations/customer-messages.ts";
import type { BookTurn } from "../../core/services/conversations/message-sending.ts";
import type { Message } from "../../db/entities/message.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem } from "./accounts.ts";

/** For hand-overs that no pace delays. */
export const noPace: BookTurn = async () => await Promise.resolve(0);

/** What some work left behind in one account, in the order in which it was written. */
export interface Traces<Result> {
  result: Result;
  /** Type and data; each has been held against the catalogue. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read data by its documented shape
  events: { type: EventType; data: any; at: string }[];
  /** What the relay is to tell Temporal. */
  commands: WorkflowCommand[];
  notes: { kind: string; text: string | null; params: unknown; user_id: number | null }[];
}

/** Runs `work` and gathers its events, workflow commands and notes in an account. */
export async function tracesOf<Result>(
  dataSource: DataSource,
  accountId: number,
  work: () => Promise<Result>,
): Promise<Traces<Result>> {
  const newest = async (table: string) => {
    const sql = `SELECT id FROM ${table} WHERE account_id = ? ORDER BY id DESC LIMIT 1`;
    const [row] = await dataSource.query<{ id: unknown }[]>(sql, [accountId]);
    return row?.id ?? (table === "events" ? Buffer.alloc(16) : 0);
  };
  const after = {
    events: await newest("events"),
    outbox: await newest("outbox"),
    notes: await newest("conversation_notes"),
  };
  const result = await work();
  const rows = async <Row>(select: string, id: unknown) =>
    await dataSource.query<Row[]>(`${select} AND account_id = ? AND id > ? ORDER BY id`, [
      accountId,
      id,
    ]);
  const events = await rows<{ body: Buffer }>("SELECT body FROM events WHERE 1", after.events);
  const commands = await rows<{ command: WorkflowCommand }>(
    "SELECT command FROM outbox WHERE kind = 'request'",
    after.outbox,
  );
  const notes = "SELECT kind, text, params, user_id FROM conversation_notes WHERE 1";
  return {
    result,
    events: events.map(({ body }) => readEvent(body)),
    commands: commands.map(({ command }) => command),
    notes: await rows(notes, after.notes),
  };
}

/** An event as stored. @throws ZodError where it does not fit the catalogue. */
function readEvent(body: Buffer) {
  const envelope = eventEnvelope.parse(JSON.parse(body.toString("utf8")));
  const type = envelope.event_type;
  return { type, data: eventCatalogue[type].data.parse(envelope.data), at: envelope.occurred_at };
}

/** How a customer's message differs from a text without more. */
export interface Incoming extends Partial<Omit<CustomerMessage, "channelAccountId">> {
  channel?: RestChannel;
  from: string;
}

/** Lets a customer write over the account's newest channel account of a kind. */
export async function receive(
  dataSource: DataSource,
  accountId: number,
  message: Incoming,
): Promise<{ row: Message; created: boolean }> {
  return await asSystem(dataSource, accountId, async (tx) => await receiveIn(tx, message));
}

/** The same in a transaction of the caller, at its time. */
export async function receiveIn(
  tx: Tx,
  { channel = "whatsapp", ...message }: Incoming,
): Promise<{ row: Message; created: boolean }> {
  const [account] = await tx.manager.query<{ id: number }[]>(
    "SELECT id FROM channel_accounts WHERE account_id = ? AND channel = ? ORDER BY id DESC LIMIT 1",
    [tx.actor.accountId, channel],
  );
  const plain = {
    name: null,
    type: "text",
    content: "Hola",
    media: null,
    providerId: null,
  } as const;
  const given = { ...plain, ...message, channelAccountId: Number(account?.id) };
  return await receiveCustomerMessage(tx, given);
}

/** Gives a contact a newer conversation on Instagram, as a merge does. */
export async function addNewerConversation(
  dataSource: DataSource,
  { accountId, contactId }: { accountId: number; contactId: number },
): Promise<void> {
  const from = `1784${contactId}`;
  const { row } = await receive(dataSource, accountId, { channel: "instagram", from });
  await dataSource.query("UPDATE conversations SET contact_id = ? WHERE id = ?", [
    contactId,
    row.conversationId,
  ]);
}

/** Puts a WhatsApp number that has a messaging window in the place of the account's sandbox. @returns its id. */
export async function connectWhatsApp(dataSource: DataSource, accountId: number): Promise<number> {
  await disconnectWhatsApp(dataSource, accountId);
  const { insertId } = await dataSource.query<{ insertId: number }>(
    `INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', external_id = '15550001111',
        name = 'Number', driver = 'whatsapp'`,
    [accountId],
  );
  return insertId;
}

/** Takes every WhatsApp number from an account that has no conversations there yet. */
export async function disconnectWhatsApp(dataSource: DataSource, accountId: number): Promise<void> {
  await dataSource.query(
    "DELETE FROM channel_accounts WHERE account_id = ? AND channel = 'whatsapp'",
    [accountId],
  );
}

/** What a customer's first message makes. */
export const oneCustomer = { contacts: 1, contact_identities: 1, conversations: 1, messages: 1 };

/** Rows of an account in the tables of `oneCustomer`. */
export async function countsOf(
  dataSource: DataSource,
  accountId: number,
): Promise<Record<string, number>> {
  const rows = Object.keys(oneCustomer).map(async (table): Promise<[string, number]> => {
    const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE account_id = ?`;
    const [row] = await dataSource.query<{ n: number }[]>(sql, [accountId]);
    return [table, Number(row?.n)];
  });
  return Object.fromEntries(await Promise.all(rows));
}
