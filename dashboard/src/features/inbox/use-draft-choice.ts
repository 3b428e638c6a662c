import { useEffect } from "react";
import { ApiError } from "../../lib/api.ts";
import { readDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import type { ApprovedDraft, Conversation } from "./api.ts";

/** Choices of a person about the open draft of the agent. */
export interface DraftChoice {
  /** The text went into the field for editing. */
  isUsed: boolean;
  use: () => void;
  /** Ids of the ticked changes. */
  ticked: number[];
  toggle: (id: number) => void;
  /** The change that could not be made, with the code of the reason. */
  refused: { proposalId: number; reason: string } | null;
  /**
   * Begins to send texts of the field, of which one may be the draft that went there.
   * @param ids idempotency ids of the texts, oldest first.
   */
  begin: (ids: readonly string[]) => SentDraft | undefined;
  /** Begins to send the draft as it is; undefined where none is open or it is on its way. */
  beginWhole: () => SentDraft | undefined;
  /** Keeps the reason of a draft that was not sent, which may then be sent again. */
  noteFailure: (sent: SentDraft, error: unknown) => void;
}

/** A draft with the id of the text that sends it. */
interface SentDraft {
  textId: string;
  draft: ApprovedDraft;
}

interface Chosen {
  draftId: number;
  isUsed: boolean;
  unticked: number[];
  refused: DraftChoice["refused"];
  /** Id of the text that was to send the draft last. */
  textId: string | null;
}

const fresh: Omit<Chosen, "draftId"> = {
  isUsed: false,
  unticked: [],
  refused: null,
  textId: null,
};

/** Ids of the drafts that this page sends or has sent. A further text is a reply of its own. */
const underWay = new Set<number>();

/**
 * Choices about the open draft. The next draft begins without any. They are stored under a key
 * beside the text of the field: a draft whose text is in the field after a reload is still the
 * agent's draft, and its edit counts.
 */
export function useDraftChoice(key: string, { agent_draft: draft }: Conversation): DraftChoice {
  const text = useDraft(key);
  const draftId = draft?.id ?? 0;
  const chosen = choiceIn(text, draftId);
  const isOver = text !== "" && chosen === null;
  useEffect(() => {
    if (isOver) writeDraft(key, "");
  }, [isOver, key]);
  const { isUsed, unticked, refused, textId: lastId } = chosen ?? fresh;
  // Of what is stored now: a failure may come after further choices.
  const change = (next: Partial<Chosen>): void => {
    const before = choiceIn(readDraft(key), draftId) ?? fresh;
    writeDraft(key, JSON.stringify({ ...before, ...next, draftId }));
  };
  const ids = draft?.proposals.map(({ id }) => id) ?? [];
  const ticked = ids.filter((id) => !unticked.includes(id));
  const beginAs = (textId: string | undefined): SentDraft | undefined => {
    if (draft === null || textId === undefined || underWay.has(draftId)) return undefined;
    underWay.add(draftId);
    return { textId, draft: { id: draftId, proposal_ids: ticked } };
  };
  return {
    isUsed,
    use: () => change({ isUsed: true }),
    ticked,
    toggle: (id) => {
      const others = unticked.filter((one) => one !== id);
      change({ unticked: ticked.includes(id) ? [...others, id] : others });
    },
    refused,
    begin: (ids) => {
      if (!isUsed) return undefined;
      // A text that came back is the draft still. Texts that came back with it are not.
      const sent = beginAs(ids.find((id) => id === lastId) ?? ids.at(-1));
      if (sent !== undefined) change({ textId: sent.textId });
      return sent;
    },
    // One id for one draft, so that a second try never makes a second message.
    beginWhole: () => beginAs(`agent-draft-${draftId}`),
    noteFailure: ({ draft: { id } }, error) => {
      underWay.delete(id);
      if (!(error instanceof ApiError) || error.code !== "proposal_refused") return;
      const details = error.details as { proposal_id: number; reason: string };
      change({ refused: { proposalId: details.proposal_id, reason: details.reason } });
    },
  };
}

/** The stored choices about a draft; null where there are none, or those about another draft. */
function choiceIn(text: string, draftId: number): Chosen | null {
  if (text === "") return null;
  const stored = JSON.parse(text) as Chosen;
  return stored.draftId === draftId ? stored : null;
}
