import { useSearchParams } from "react-router";
import { restChannels, type RestChannel } from "../../../../core/model/channels.ts";
import { cardOutcomes, type CardOutcome } from "../../../../core/model/pipeline.ts";
import { maxSearchLength } from "../../../../core/model/wire.ts";

/** The filter of the board in the shape of the API. */
export interface BoardQuery {
  outcome: CardOutcome;
  assigned_to?: string;
  tag?: string;
  channel?: RestChannel;
  appointment?: "true" | "false";
  search?: string;
}

/** Parameters of the URL that narrow the board. `outcome` chooses a board instead. */
const narrowing = ["assigned_to", "tag", "channel", "appointment", "search"] as const;

/** A part of the filter that the URL keeps. */
export type BoardParam = (typeof narrowing)[number] | "outcome";

/** Filter of the board in the URL, so that a view can be shared and the Back button keeps it. */
export function useBoardQuery() {
  const [params, setParams] = useSearchParams();
  const set = (name: BoardParam, value: string | null): void => {
    const next = new URLSearchParams(params);
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  const clear = (): void => {
    const next = new URLSearchParams(params);
    for (const name of narrowing) next.delete(name);
    setParams(next, { replace: true });
  };
  const filter = filterIn(params);
  const isNarrowed = narrowing.some((name) => filter[name] !== undefined);
  return { filter, isNarrowed, set, clear };
}

/** Reads the filter. A value that the API would refuse counts as absent. */
function filterIn(params: URLSearchParams): BoardQuery {
  const text = (name: BoardParam, length: number) =>
    (params.get(name) ?? "").slice(0, length).trim();
  const assignee = text("assigned_to", 16);
  const channel = restChannels.find((one) => one === params.get("channel"));
  const appointment = (["true", "false"] as const).find((one) => one === params.get("appointment"));
  const [tag, search] = [text("tag", 50), text("search", maxSearchLength)];
  return {
    outcome: cardOutcomes.find((one) => one === params.get("outcome")) ?? "open",
    ...(/^(me|nobody|[1-9]\d{0,14})$/.test(assignee) ? { assigned_to: assignee } : {}),
    ...(tag === "" ? {} : { tag }),
    ...(channel === undefined ? {} : { channel }),
    ...(appointment === undefined ? {} : { appointment }),
    ...(search === "" ? {} : { search }),
  };
}
