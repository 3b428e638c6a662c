import { useState } from "react";
import { ApiError } from "../../lib/api.ts";
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
  /** Keeps the reason of a draft that was not sent. */
  noteFailure: (error: unknown) => void;
  /** The draft as a reply sends it; undefined where none is open. */
  approved: ApprovedDraft | undefined;
}

interface Chosen {
  draftId: number;
  isUsed: boolean;
  unticked: number[];
  refused: DraftChoice["refused"];
}

/** Choices about the open draft. The next draft begins without any. */
export function useDraftChoice({ agent_draft: draft }: Conversation): DraftChoice {
  const [stored, store] = useState<Chosen | null>(null);
  const fresh = { draftId: draft?.id ?? 0, isUsed: false, unticked: [], refused: null };
  const chosen: Chosen = stored?.draftId === draft?.id && stored !== null ? stored : fresh;
  const change = (next: Partial<Chosen>): void => store({ ...chosen, ...next });
  const ids = draft?.proposals.map(({ id }) => id) ?? [];
  const ticked = ids.filter((id) => !chosen.unticked.includes(id));
  return {
    isUsed: chosen.isUsed,
    use: () => change({ isUsed: true }),
    ticked,
    toggle: (id) => {
      const others = chosen.unticked.filter((one) => one !== id);
      change({ unticked: ticked.includes(id) ? [...others, id] : others });
    },
    refused: chosen.refused,
    noteFailure: (error) => {
      if (!(error instanceof ApiError) || error.code !== "proposal_refused") return;
      const details = error.details as { proposal_id: number; reason: string };
      change({ refused: { proposalId: details.proposal_id, reason: details.reason } });
    },
    approved: draft === null ? undefined : { id: draft.id, proposal_ids: ticked },
  };
}
