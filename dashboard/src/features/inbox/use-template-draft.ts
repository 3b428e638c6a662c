import { readDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { newToken } from "../../lib/token.ts";
import type { Conversation, ListedTemplate } from "./api.ts";
import type { HeadingFile } from "./template-file.tsx";
import { useDraftKey } from "./use-draft-key.ts";

/** A template that a person fills in. An empty text is no value. */
interface TemplateDraft {
  /** Null while the person chooses one. */
  template: ListedTemplate | null;
  /** Values by field of the form. */
  values: Record<string, string>;
  file: HeadingFile | null;
}

/** A template of the provider, by its name. Null where the person has typed nothing yet. */
interface NamedDraft {
  values: { name: string; language: string; params: string } | null;
}

/** Unconfirmed message of a draft. A retry of the same words sends the same message again. */
interface Sent {
  sent?: { id: string; words: string };
}

/** The begun template of a conversation, chosen from the list of its channel. */
export function useTemplateDraft(conversation: Conversation) {
  return useFormDraft<TemplateDraft>(useDraftKey(conversation.id, "template"), {
    template: null,
    values: {},
    file: null,
  });
}

/** The begun template of a conversation whose channel has no list. */
export function useNamedDraft(conversation: Conversation) {
  return useFormDraft<NamedDraft>(useDraftKey(conversation.id, "named_template"), { values: null });
}

/** A form that is stored in this browser until its message is sent. */
function useFormDraft<Form extends object>(key: string, empty: Form) {
  const parse = (stored: string): Form & Sent =>
    stored === "" ? empty : (JSON.parse(stored) as Form & Sent);
  const write = (draft: Form & Sent): void => writeDraft(key, JSON.stringify(draft));
  const read = (): Form & Sent => parse(readDraft(key));
  return {
    draft: parse(useDraft(key)),
    read,
    change: (part: Partial<Form>): void => write({ ...read(), ...part }),
    /** Id of the message under which this content is sent. */
    startSending(content: object): string {
      const draft = read();
      const words = JSON.stringify(content);
      const sent = draft.sent?.words === words ? draft.sent : { id: newToken(), words };
      write({ ...draft, sent });
      return sent.id;
    },
    /** Drops the draft of a stored message. A newer message of the person stays. */
    settle(messageId: string): void {
      if (read().sent?.id === messageId) writeDraft(key, "");
    },
    drop: (): void => writeDraft(key, ""),
  };
}
