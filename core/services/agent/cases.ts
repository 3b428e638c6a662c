import { In } from "typeorm";
import { AgentCase } from "../../../db/entities/agent-case.ts";
import { KnowledgeItem } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import {
  maxAgentCases,
  type AgentCaseCreateBody,
  type AgentCasePatchBody,
} from "../../model/agent-case.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { AgentCaseView } from "../../model/views/agent-case.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";
import { findPage, insertRow, lockOwned } from "../sql.ts";
import { readDraftDigest } from "./draft-digest.ts";

const audit = auditOf("agent_case");
const noun = "agent_case";

/** The account's test cases, newest first. */
export async function listAgentCases(tx: Tx, page: PageBounds): Promise<Page<AgentCase>> {
  return await findPage(tx, AgentCase, page, {
    where: { accountId: tx.actor.accountId },
    order: { id: "DESC" },
  });
}

/** Adds a test case. @throws AppError `validation_error` with `too_many_cases`. */
export async function createAgentCase(
  tx: Tx,
  { lines, channel, expected }: AgentCaseCreateBody,
  contactId: number | null = null,
): Promise<AgentCase> {
  const { accountId } = tx.actor;
  if ((await tx.manager.countBy(AgentCase, { accountId })) >= maxAgentCases) {
    const message = `An account has at most ${maxAgentCases} test cases. Delete one first.`;
    throw invalidField("body", "too_many_cases", message);
  }
  const row = tx.manager.create(AgentCase, {
    accountId,
    contactId,
    channel,
    customerLines: lines,
    expected,
    ...notRun,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, AgentCase, row);
  await record(tx, "created", row.id, {});
  return row;
}

/** A case whose lines or expectation changed has no result. */
const notRun = {
  state: "new" as const,
  result: null,
  draftDigest: null,
  queuedAt: null,
  ranAt: null,
};

/** Changes the fields sent, and drops the result. @throws AppError `agent_case_not_found` */
export async function updateAgentCase(
  tx: Tx,
  id: number,
  patch: AgentCasePatchBody,
): Promise<AgentCase> {
  const row = await lockOwned(tx, AgentCase, noun, { id });
  const columns = {
    channel: patch.channel ?? row.channel,
    customerLines: patch.lines ?? row.customerLines,
    expected: patch.expected ?? row.expected,
    ...notRun,
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await tx.manager.update(AgentCase, id, columns);
  await record(tx, "updated", id, { fields: Object.keys(patch).toSorted() });
  return Object.assign(row, columns);
}

/** @throws AppError `agent_case_not_found` */
export async function deleteAgentCase(tx: Tx, id: number): Promise<void> {
  const { accountId } = await lockOwned(tx, AgentCase, noun, { id });
  await tx.manager.delete(AgentCase, { id, accountId });
  await record(tx, "deleted", id, {});
}

/** Requests a run of all cases. @returns number of cases that wait for it. */
export async function requestCases(tx: Tx): Promise<number> {
  const { accountId } = tx.actor;
  await tx.manager.query(
    "UPDATE agent_cases SET queued_at = ? WHERE account_id = ? AND queued_at IS NULL",
    [tx.now, accountId],
  );
  const queued = await tx.manager.countBy(AgentCase, { accountId });
  if (queued > 0) await request(tx, casesCommand(accountId));
  await recordChange(tx, { kind: "agent.updated" });
  return queued;
}

/** Command that wakes the run of an account's test cases, and starts it where there is none. */
export function casesCommand(accountId: number): WorkflowCommand {
  return {
    op: "signal",
    workflow: "agentCases",
    workflowId: `agent-cases-${accountId}`,
    taskQueue: "agents",
    input: { accountId },
    signal: "casesQueued",
    again: true,
    summary: `test cases of account ${accountId}`,
  };
}

/** Test cases in the Dashboard's API. */
export async function presentCases(tx: Tx, rows: readonly AgentCase[]): Promise<AgentCaseView[]> {
  const digest = await readDraftDigest(tx);
  const questions = await loadQuestions(tx, rows);
  return rows.map((row) => present(row, { digest, questions }));
}

/** A test case in the Dashboard's API. */
export async function presentCase(tx: Tx, row: AgentCase): Promise<AgentCaseView> {
  const digest = await readDraftDigest(tx);
  return present(row, { digest, questions: await loadQuestions(tx, [row]) });
}

/** Facts beside the row of a case: the digest of the present draft, and questions by item. */
interface CaseFacts {
  digest: string;
  questions: ReadonlyMap<number, string>;
}

function present(row: AgentCase, { digest, questions }: CaseFacts): AgentCaseView {
  const item = row.expected.item_id;
  return {
    id: row.id,
    channel: row.channel,
    lines: row.customerLines,
    expected: row.expected,
    item_question: item === null ? null : (questions.get(item) ?? null),
    state: row.state,
    queued: row.queuedAt !== null,
    stale: row.draftDigest !== null && row.draftDigest !== digest,
    result: row.result,
    ran_at: row.ranAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

/** Questions of the items that cases expect, by id. */
async function loadQuestions(tx: Tx, rows: readonly AgentCase[]): Promise<Map<number, string>> {
  const ids = rows.flatMap(({ expected }) => expected.item_id ?? []);
  if (ids.length === 0) return new Map();
  const items = await tx.manager.find(KnowledgeItem, {
    select: { id: true, question: true },
    where: { accountId: tx.actor.accountId, id: In(ids) },
  });
  return new Map(items.map(({ id, question }) => [id, question]));
}

async function record(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  id: number,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, audit(action, id, details));
  await recordChange(tx, { kind: "agent.updated" });
}
