import { Contact } from "../../../db/entities/contact.ts";
import { ConversationNote, type Conversation } from "../../../db/entities/conversation.ts";
import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import type { MacroStep } from "../../model/macro.ts";
import { contentInput } from "../../model/message.ts";
import { fillVariables, variableValues } from "../../model/text-variables.ts";
import { getAccount } from "../accounts/accounts.ts";
import { requireUserId } from "../accounts/actor.ts";
import { addContactTag } from "../contacts/contact-tags.ts";
import { assignConversation } from "../conversations/conversation-assignee.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import {
  getConversationRow,
  lockWithContact,
} from "../conversation-records/conversation-records.ts";
import { setConversationStatus } from "../conversations/conversations.ts";
import { sendMessage } from "../conversations/messages.ts";
import { moveConversation } from "../pipelines/stage-moves.ts";
import { getAnswer } from "./answer-rows.ts";
import { macros } from "./macros.ts";

/** Conversation, macro and id of a run. */
export interface MacroRun {
  conversationId: number;
  macroId: number;
  /** The caller's id of the run. A second run of this id does nothing. */
  externalId: string;
}

/**
 * Takes the steps of a macro in a conversation, by the services that each step alone would use. So
 * events, the pause by a person's reply and the messaging window are the same. The caller's
 * transaction takes all steps or none.
 *
 * A note records the run under its id. The lock of the conversation lets a double click find it.
 * @throws AppError `conversation_not_found`, `macro_not_found`; `macro_step_failed` with the number
 * and the type of the step, and the code of its refusal.
 */
export async function runMacro(
  tx: Tx,
  { conversationId, macroId, externalId }: MacroRun,
): Promise<{ row: Conversation; repeated: boolean }> {
  // Contact first, as every function that locks both: a step may change the contact.
  const locked = await lockWithContact(tx, conversationId);
  const macro = await getAnswer(tx, macros, macroId);
  const run = { conversationId, externalId: `macro:${externalId}` };
  if (await tx.manager.existsBy(ConversationNote, run)) return { row: locked, repeated: true };
  await recordNote(tx, locked, {
    kind: "macro_run",
    params: { macro: macro.name },
    externalId: run.externalId,
  });
  for (const [index, step] of macro.steps.entries()) {
    await takeStep(tx, locked, step).catch((error: unknown) => {
      throw failureOf(error, index + 1, step);
    });
  }
  return { row: await getConversationRow(tx, conversationId), repeated: false };
}

async function takeStep(
  tx: Tx,
  { id, contactId, channel }: Conversation,
  step: MacroStep,
): Promise<void> {
  switch (step.type) {
    case "reply": {
      const content = await fillReply(tx, contactId, step.text);
      await sendMessage(tx, id, { type: "text", content });
      return;
    }
    case "add_tag":
      await addContactTag(tx, contactId, step.tag, {
        conversation: { conversationId: id, channel },
      });
      return;
    case "move_to_stage":
      await moveConversation(tx, id, { stage_id: step.stage_id });
      return;
    case "assign":
      await assignConversation(tx, id, assigneeOf(tx, step.to));
      return;
    case "resolve":
      await setConversationStatus(tx, id, "resolved");
  }
}

function assigneeOf(tx: Tx, to: "me" | "nobody" | number): number | null {
  if (to === "me") return requireUserId(tx.actor);
  return to === "nobody" ? null : to;
}

/** Values may be missing or long, so the filled text is checked like a text that is typed. */
async function fillReply(tx: Tx, contactId: number, text: string): Promise<string> {
  const contact = await tx.manager.findOneByOrFail(Contact, { id: contactId });
  const agent = await tx.manager.findOneByOrFail(User, { id: requireUserId(tx.actor) });
  const values = variableValues({ contact, agent, account: await getAccount(tx) });
  const filled = contentInput.safeParse(fillVariables(text, values));
  if (filled.success) return filled.data;
  const [issue] = filled.error.issues;
  throw invalidField("text", "invalid_text", `With its variables filled: ${issue?.message}`);
}

/** Every refusal of a step names the step. Our own faults and conflicts of writes stay as they are. */
function failureOf(error: unknown, number: number, { type }: MacroStep): unknown {
  if (!(error instanceof AppError)) return error;
  const [issue] = Array.isArray(error.details) ? error.details : [];
  const { code, message } = issue ?? error;
  return new AppError("macro_step_failed", {
    message: `Step ${number} (${type.replaceAll("_", " ")}) cannot run, so nothing was done. ${message}`,
    details: { step: number, type, code, message },
  });
}
