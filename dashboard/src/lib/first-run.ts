import { useLocalStorage } from "@mantine/hooks";
import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { firstRunView } from "../../../core/model/views/dashboard.ts";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";
import { useSession } from "./session.ts";

/** Progress of the account in its first steps. */
export type FirstRun = z.output<typeof firstRunView>;

interface FirstStep {
  key: string;
  done: boolean;
}

/** Steps that the owner of an account takes in its settings. */
export function ownerStepsOf(run: FirstRun) {
  return [
    { key: "zone", done: run.zone_set },
    { key: "team", done: run.team_invited },
    { key: "hours", done: run.hours_set },
    { key: "service", done: run.service_added },
    { key: "link", done: run.link_added },
  ] as const;
}

/** Steps of somebody who answers customers. */
export function agentStepsOf(run: FirstRun) {
  return [
    { key: "wrote", done: run.customer_wrote },
    { key: "replied", done: run.replied },
  ] as const;
}

/** Progress of the first steps. Once `stepsOf` gives no open step, the query stops. */
export function firstRunQuery(stepsOf: (run: FirstRun) => readonly FirstStep[]) {
  return queryOptions({
    queryKey: liveKeys.firstRun,
    queryFn: async () => await callApi("GET /first-run"),
    staleTime: 0,
    enabled: ({ state }) =>
      state.data === undefined || stepsOf(state.data).some(({ done }) => !done),
  });
}

/** A dismissed card with first steps, or a step that the browser alone knows of. */
type OwnMark = "first_run" | "developer_steps" | "signature_checked";

/** A mark that this browser keeps for a person in an account. */
export function useOwnMark(name: OwnMark) {
  const { account, user } = useSession();
  return useLocalStorage({
    key: `parley.${name}.${account.id}.${user.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
}
