import { updateContact } from "../../contacts/contacts.ts";
import { addNote } from "../../conversation-records/conversation-notes.ts";
import { moveConversation } from "../../pipelines/stage-moves.ts";
import { requireWrittenEmail, requireWrittenName } from "./customer-words.ts";
import { ToolRefused } from "./refusals.ts";
import type { Tool } from "./tool-run.ts";

/** Stores the name and the email that the customer wrote. */
export const changeContactData: Tool<"update_contact"> = async (run, { name, email }) => {
  if (name === undefined && email === undefined) {
    throw new ToolRefused("invalid_input", "Give a name, an email or both.");
  }
  if (name !== undefined) await requireWrittenName(run, name);
  if (email !== undefined) await requireWrittenEmail(run, email);
  const { id, contactId, channel } = run.conversation;
  const conversation = { conversationId: id, channel };
  const { row } = await updateContact(run.tx, contactId, { name, email }, conversation);
  return { result: { name: row.name, email: row.email } };
};

/** Moves the contact to a stage that the account allows. */
export const moveToAllowedStage: Tool<"move_stage"> = async (run, { stage_id: stageId }) => {
  if (!run.settings.allowed_stage_ids.includes(stageId)) throw new ToolRefused("not_allowed");
  await moveConversation(run.tx, run.conversation.id, { stage_id: stageId });
  return { result: { stage_id: stageId } };
};

/** Writes a note for the team. */
export const writeNote: Tool<"add_note"> = async (run, { text }) => {
  // A customer's text must not notify members, so that a note of the agent mentions nobody.
  const plain = text.replaceAll("@[", "@ [");
  const { row } = await addNote(run.tx, run.conversation.id, { text: plain });
  return { result: { note_id: row.id } };
};
