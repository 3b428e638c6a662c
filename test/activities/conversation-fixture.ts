import type { HandoffInput } from "../../core/model/workflow/handoff.ts";
import type { Principal, Role } from "../../core/model/principal.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { createMember } from "../../core/services/accounts/users.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { receive, tracesOf } from "../support/conversations.ts";
import type { AttemptFixture } from "./attempt-fixture.ts";

let members = 0;

/** An account with one admin, and conversations that a test can hand over. */
export interface ConversationFixture {
  accountId: number;
  adminId: number;
  apiKey: string;
  /** One more person. @returns the user's id. */
  addMember(role: Role): Promise<number>;
  /** A customer writes. @returns the id of a new conversation, with the agent on. */
  openConversation(): Promise<number>;
  /** Pauses the agent, as a program would unless `actor` says otherwise. */
  pause(conversationId: number, actor?: Principal): Promise<HandoffInput>;
  /** Opens a conversation and pauses the agent there. */
  handOver(): Promise<HandoffInput>;
  run<T>(work: (tx: Tx) => Promise<T>, actor?: Principal): Promise<T>;
  /** Who has the conversation. */
  assigneeOf(input: { conversationId: number }): Promise<number | null>;
  notifications(input: { conversationId: number }): Promise<NotificationRow[]>;
  /** Kinds of the conversation's notes, in their order. */
  notes(input: { conversationId: number }): Promise<string[]>;
  /** What some work left behind in the account. */
  traces<T>(work: () => Promise<T>): ReturnType<typeof tracesOf<T>>;
  sql<Row = Record<string, unknown>>(statement: string, values?: unknown[]): Promise<Row[]>;
}

export interface NotificationRow {
  kind: string;
  user_id: number | null;
  admins_only: number;
  params: Record<string, unknown>;
  group_key: string;
}

/** Makes a desk with an account of its own. */
export async function createConversationFixture({
  database,
}: AttemptFixture): Promise<ConversationFixture> {
  const { dataSource } = database;
  const account = await createTestAccount(dataSource);
  const { accountId, userId: adminId, apiKey, apiKeyId } = account;
  const program: Principal = { type: "api_key", accountId, apiKeyId, scopes: ["bot:manage"] };
  const sql = async <Row>(statement: string, values: unknown[] = []): Promise<Row[]> =>
    await dataSource.query<Row[]>(statement, values);
  const run = async <T>(work: (tx: Tx) => Promise<T>, actor: Principal = program): Promise<T> =>
    await transaction(dataSource, { actor }, work);
  const conversations: ConversationFixture = {
    accountId,
    adminId,
    apiKey,
    run,
    sql,
    traces: (work) => tracesOf(dataSource, accountId, work),
    async addMember(role) {
      const email = `member${(members += 1)}-${process.pid}@example.com`;
      const person = { email, name: "Member", passwordHash: "-", role };
      const { userId } = await asSystem(dataSource, accountId, (tx) => createMember(tx, person));
      return userId;
    },
    async openConversation() {
      const { row } = await receive(dataSource, accountId, { from: freshPhone() });
      return row.conversationId;
    },
    async pause(conversationId, actor) {
      const off = { enabled: false, reason: "asks for a person" };
      const { botEpoch } = await run((tx) => setBot(tx, conversationId, off), actor);
      return { accountId, conversationId, epoch: botEpoch };
    },
    handOver: async () => await conversations.pause(await conversations.openConversation()),
    async assigneeOf({ conversationId }) {
      const select = "SELECT assigned_to_user_id AS id FROM conversations WHERE id = ?";
      const [row] = await sql<{ id: number | null }>(select, [conversationId]);
      return row?.id ?? null;
    },
    notifications: ({ conversationId }) =>
      sql(
        `SELECT kind, user_id, admins_only, params, group_key FROM notifications
          WHERE account_id = ? AND conversation_id = ? ORDER BY id`,
        [accountId, conversationId],
      ),
    async notes({ conversationId }) {
      const select = "SELECT kind FROM conversation_notes WHERE conversation_id = ? ORDER BY id";
      return (await sql<{ kind: string }>(select, [conversationId])).map(({ kind }) => kind);
    },
  };
  return conversations;
}
