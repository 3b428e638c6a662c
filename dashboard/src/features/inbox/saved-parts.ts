import type { BodyOf } from "../../lib/api.ts";
import type { ListState } from "./list-state.ts";

type SavedParts = Pick<BodyOf<"POST /inbox-views">, "view" | "order" | "filter">;

/** The parts of a list that a saved view keeps: not its search, its state or "unread only". */
export function savedParts({ view, order, filter }: ListState): SavedParts {
  const { channel, assigned_to: to, stage_id: stageId, tag } = filter;
  return {
    view,
    order,
    filter: {
      ...(channel && { channel }),
      ...(to && { assigned_to: to === "me" || to === "nobody" ? to : Number(to) }),
      ...(stageId && { stage_id: Number(stageId) }),
      ...(tag && { tag }),
    },
  };
}
