import { readDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { newToken } from "../../lib/token.ts";

/** Unconfirmed message of a draft. A retry of the same words sends the same message again. */
interface Sent {
  sent?: { id: string; words: string } | undefined;
}

interface FormDraftOptions<Form> {
  empty: Form;
  /** Parts of a form that make its message another one. */
  contentOf: (form: Form) => unknown;
}

/** A form that is stored in this browser until its message is sent. */
export function useFormDraft<Form extends object>(
  key: string,
  { empty, contentOf }: FormDraftOptions<Form>,
) {
  const parse = (stored: string): Form & Sent =>
    stored === "" ? empty : (JSON.parse(stored) as Form & Sent);
  const read = (): Form & Sent => parse(readDraft(key));
  const write = (draft: Form & Sent): void => writeDraft(key, JSON.stringify(draft));
  const drop = (): void => writeDraft(key, "");
  const wordsOf = (form: Form): string => JSON.stringify(contentOf(form));
  return {
    draft: parse(useDraft(key)),
    read,
    change: (part: Partial<Form>): void => write({ ...read(), ...part }),
    drop,
    /** Id of the message under which this form is sent. */
    startSending(form: Form): string {
      const draft = read();
      const words = wordsOf(form);
      const sent = draft.sent?.words === words ? draft.sent : { id: newToken(), words };
      // A template that has changed since leaves out values that were stored.
      write({ ...draft, ...form, sent });
      return sent.id;
    },
    /**
     * Drops the draft of a stored message, unless the person has changed the draft since. @returns
     * true where no words are left, also of a message that was sent twice
     */
    settle(messageId: string): boolean {
      const draft = read();
      if (draft.sent?.id !== messageId) return wordsOf(draft) === wordsOf(empty);
      const isSame = draft.sent.words === wordsOf(draft);
      if (isSame) drop();
      else write({ ...draft, sent: undefined });
      return isSame;
    },
  };
}
