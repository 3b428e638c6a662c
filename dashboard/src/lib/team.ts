import { queryOptions, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { memberView } from "../../../core/model/views/user.ts";
import { callApi, readAll } from "./api.ts";

/** A colleague. */
export type Colleague = z.output<typeof memberView>;

const teamQuery = queryOptions({
  queryKey: ["members", "team"],
  queryFn: async () => await readAll(async (query) => await callApi("GET /users", { query })),
  staleTime: 300_000,
});

/** The people of the account by name, for names in lists and for assignments. */
export function useTeam(): Colleague[] {
  return useQuery(teamQuery).data?.data ?? [];
}

/** The name of a colleague; null for nobody, and while the people are loading. */
export function useColleagueName(id: number | null): string | null {
  return useTeam().find((one) => one.id === id)?.name ?? null;
}
