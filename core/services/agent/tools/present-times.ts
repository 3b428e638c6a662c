import { wordsOfTime } from "../../../agent/words.ts";
import { readResourceNames } from "../resource-names.ts";
import type { ToolRun } from "./tool-run.ts";

/** A time of an agenda that a tool shows. */
interface AgendaTime {
  startTime: Date;
  resourceId: number;
}

/**
 * Reads the names of the agendas of these times.
 * @returns a function that presents one of the times, as results of tools show it
 */
export async function readTimePresenter(
  { tx, language, timeZone }: ToolRun,
  times: readonly AgendaTime[],
) {
  const names = await readResourceNames(tx, times);
  return ({ startTime, resourceId }: AgendaTime, serviceId: number | null) => {
    const resourceName = names.get(resourceId) ?? "";
    return {
      start: startTime.toISOString(),
      service_id: serviceId,
      resource_id: resourceId,
      words: wordsOfTime({ startTime, resourceName, language, timeZone }),
    };
  };
}
