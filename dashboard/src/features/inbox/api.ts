import { keepPreviousData, queryOptions, type MutationKey } from "@tanstack/react-query";
import type { z } from "zod";
import type { inboxConversation, noteView } from "../../../../core/model/views/conversation.ts";
import type { Interactive, SentInteractive } from "../../../../core/model/interactive.ts";
import type { RestChannel } from "../../../../core/model/channels.ts";
import type { MessageView, Template } from "../../../../core/model/message.ts";
import type { TemplateView } from "../../../../core/model/template-list.ts";
import { callApi, type Listed, type LogMeta } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";

/** A conversation in the shape of the conversation page. */
export type Conversation = z.output<typeof inboxConversation>;
/** A note, or an entry about a change between messages. */
export type Note = z.output<typeof noteView>;

/** Key of the mutations of a conversation. */
export function changeKey(id: number): MutationKey {
  return ["change-conversation", id];
}

/**
 * One conversation, resolved or not. The end of its messaging window sends no change event, so the
 * query refetches then.
 */
export function conversationQuery(id: number) {
  return queryOptions({
    queryKey: liveKeys.conversation(id),
    queryFn: async ({ client, signal }) => {
      await mutationsDone(client, changeKey(id), signal);
      return await callApi("GET /conversations/:id", { id });
    },
    refetchInterval: ({ state }) => msUntilWindowEnds(state.data),
  });
}

/** At least 1 s, because the clock of this machine may be ahead of the server's. */
function msUntilWindowEnds(conversation: Conversation | undefined): number | false {
  if (conversation === undefined) return false;
  const { open, expires_at: end, human_expires_at: humanEnd } = conversation.messaging_window;
  const msTo = (moment: string): number => new Date(moment).getTime() - Date.now();
  if (open) return end !== null && Math.max(msTo(end), 1_000);
  return humanEnd !== null && msTo(humanEnd) > 0 && msTo(humanEnd);
}

/** A page of a conversation's messages, newest first. `previous` leads to newer ones. */
export type MessagePage = Listed<MessageView, LogMeta & { previous: number | null }>;

/** Place of a page in a conversation; without a name the newest messages. */
export interface MessagePlace {
  before_id?: number;
  after_id?: number;
  around_id?: number;
  /** A moment: the messages around the first one from it on. */
  at?: string;
}

/** Query key of a conversation's messages. It begins with the key of the conversation. */
export function messagesKey(id: number) {
  return [...liveKeys.conversation(id), "messages"];
}

/** Messages at a place, newest first. */
export async function readMessages(id: number, place: MessagePlace): Promise<MessagePage> {
  return await callApi("GET /conversations/:id/messages", { id, query: { limit: 50, ...place } });
}

/** Query key of a conversation's notes. */
export function notesKey(id: number) {
  return [...liveKeys.conversation(id), "notes"];
}

/** A page of notes, newest first. */
export async function readNotes(id: number, offset: number): Promise<Listed<Note>> {
  return await callApi("GET /conversations/:id/notes", { id, query: { limit: 100, offset } });
}

/** A draft of the agent that a reply sends, with the changes that the person approves. */
export interface ApprovedDraft {
  id: number;
  proposal_ids: number[];
}

/** A reply of a person. The same `external_id` makes a retry the same message. */
export type Reply = { external_id: string } & (
  | { content: string; draft?: ApprovedDraft | undefined }
  | { file: FileReply }
  | { options: OptionsReply }
  | { type: "template"; template: Template; upload_id?: number }
);

/** An uploaded file. `content` is its caption. */
export interface FileReply {
  type: "image" | "audio" | "video" | "document";
  upload_id: number;
  content?: string;
  /** Name, type and bytes, to show until the message is stored. */
  shown: Pick<File, "name" | "type" | "size">;
}

/** A message with options. */
export interface OptionsReply {
  interactive: Interactive;
  /** As the channel shows it, until the message is stored. */
  shown: { content: string; interactive: SentInteractive };
}

/** Sends a reply. */
export async function sendReply(id: number, reply: Reply): Promise<MessageView> {
  if ("file" in reply) {
    const { shown: _shown, ...file } = reply.file;
    const body = { ...file, external_id: reply.external_id };
    return await callApi("POST /conversations/:id/messages", { id, body });
  }
  if ("options" in reply) {
    const { external_id, options } = reply;
    const body = { type: "interactive" as const, interactive: options.interactive, external_id };
    return await callApi("POST /conversations/:id/messages", { id, body });
  }
  if (!("draft" in reply) || reply.draft === undefined) {
    const { draft: _none, ...body } = { draft: undefined, ...reply };
    return await callApi("POST /conversations/:id/messages", { id, body });
  }
  const { content: text, external_id, draft } = reply;
  const body = { text, external_id, proposal_ids: draft.proposal_ids };
  return await callApi("POST /agent-drafts/:id/send", { id: draft.id, body });
}

/**
 * Sends a failed message again. `confirm`: also where the customer may already have the message.
 */
export async function retryMessage(id: number, confirm: boolean): Promise<MessageView> {
  return await callApi("POST /messages/:id/retry", { id, body: { confirm } });
}

/** Body of a new note. The same `external_id` makes a retry the same note. */
export interface NewNote {
  external_id: string;
  text: string;
}

/** Adds a note, which the customer never sees. */
export async function addNote(id: number, note: NewNote): Promise<Note> {
  return await callApi("POST /conversations/:id/notes", { id, body: note });
}

/** A template of the channel of a conversation. */
export type ListedTemplate = TemplateView;

/**
 * Templates of the channel of a conversation. While the list is read for the first time, it is
 * asked for again every 3 s.
 */
export function templatesQuery(conversationId: number, search: string) {
  return queryOptions({
    queryKey: ["templates", conversationId, search],
    queryFn: async () => {
      const query = { conversation_id: String(conversationId), search, limit: "100" };
      return await callApi("GET /templates", { query });
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    refetchInterval: ({ state: { data } }) =>
      data?.meta.sync.state === "reading" && data.meta.sync.synced_at === null && 3_000,
  });
}

/** Marks the customer's messages as seen up to one of them; null where the page shows none. */
export async function markRead(id: number, upTo: number | null): Promise<void> {
  const body = upTo === null ? {} : { up_to_message_id: upTo };
  await callApi("POST /conversations/:id/read", { id, body });
}

/** Body of a customer's message in the sandbox. */
export interface SandboxMessage {
  channel: RestChannel;
  from: string;
  name?: string;
  text: string;
}

/** Writes a message to the account like a customer. */
export async function writeAsCustomer(message: SandboxMessage): Promise<MessageView> {
  return await callApi("POST /sandbox/messages", { body: message });
}
