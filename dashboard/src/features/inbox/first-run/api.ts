import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { firstRunView } from "../../../../../core/model/views/dashboard.ts";
import { callApi } from "../../../lib/api.ts";
import { liveKeys } from "../../../lib/live-changes.ts";
import type { Session } from "../../../lib/session.ts";

/** Progress of the account in its first steps. */
export type FirstRun = z.output<typeof firstRunView>;

/** The steps in order. Only admins have the steps about webhooks. */
export function stepsOf(run: FirstRun, role: Session["role"]) {
  const inbox = [
    { key: "wrote", done: run.customer_wrote },
    { key: "replied", done: run.replied },
  ] as const;
  if (role !== "admin") return inbox;
  return [
    ...inbox,
    { key: "webhook", done: run.webhook_added },
    { key: "test", done: run.test_sent },
  ] as const;
}

/** Progress of the first steps. Once every step is done, the query stops. */
export function firstRunQuery(role: Session["role"]) {
  return queryOptions({
    queryKey: liveKeys.firstRun,
    queryFn: async () => await callApi("GET /first-run"),
    staleTime: 0,
    enabled: ({ state }) =>
      state.data === undefined || stepsOf(state.data, role).some(({ done }) => !done),
  });
}

/** Adds a webhook for every event. Only the answer contains the secret. */
export function useAddWebhook() {
  return useFirstStep(
    async (url: string) =>
      await callApi("POST /subscriptions", { body: { url, events: ["*"], channels: null } }),
  );
}

/** Sends `test.ping` to a subscription. @returns the id of the delivery */
export function useSendFirstTest() {
  return useFirstStep(
    async (subscriptionId: number) =>
      (await callApi("POST /subscriptions/:id/test", { id: subscriptionId })).delivery_id,
  );
}

function useFirstStep<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.firstRun }),
        client.invalidateQueries({ queryKey: liveKeys.subscriptions }),
      ]),
  });
}
