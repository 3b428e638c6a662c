import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  invitationView,
  invitationWithUrl,
  memberView,
} from "../../../../core/model/views/user.ts";
import type { Role } from "../../../../core/model/principal.ts";
import { callApi } from "../../lib/api.ts";

/** A member of the account. */
export type Member = z.output<typeof memberView>;
/** An open invitation. */
export type Invitation = z.output<typeof invitationView>;
/**
 * An invitation after it was sent. `url` is null for a mailed invitation, else the link to pass on.
 */
export type SentInvitation = z.output<typeof invitationWithUrl>;

const membersKey = ["members"];
const invitationsKey = ["invitations"];

/** A page of the members, by name. */
export function membersQuery(offset: number) {
  return queryOptions({
    queryKey: [...membersKey, offset],
    queryFn: async () => await callApi("GET /users", { query: { limit: 50, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** A page of the open invitations, for admins. */
export function invitationsQuery(offset: number) {
  return queryOptions({
    queryKey: [...invitationsKey, offset],
    queryFn: async () => await callApi("GET /invitations", { query: { limit: 50, offset } }),
    placeholderData: keepPreviousData,
    // Refetches while a mail is queued.
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ mail }) => mail === "queued") === true ? 3_000 : false,
  });
}

/** Invites a person. Only the answer contains the link. */
export function useInvite() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { email: string; role: Role; name: string | null }) =>
      await callApi("POST /invitations", { body }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: invitationsKey }),
  });
}

/** Sends an invitation again, with a new link. */
export function useSendAgain(on: {
  onSuccess: (sent: SentInvitation) => void;
  onError: (error: Error) => void;
}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => await callApi("POST /invitations/:id/send-again", { id }),
    ...on,
    onSettled: async () => await client.invalidateQueries({ queryKey: invitationsKey }),
  });
}

/** Withdraws an invitation. */
export function useWithdraw() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => await callApi("DELETE /invitations/:id", { id }),
    onSettled: async () => await client.invalidateQueries({ queryKey: invitationsKey }),
  });
}

/** Changes a member's role, or disables or enables them. */
export function useChangeMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, ...body }: { id: number; role?: Role; disabled?: boolean }) =>
      await callApi("PATCH /users/:id", { id, body }),
    onSettled: async () => await client.invalidateQueries({ queryKey: membersKey }),
  });
}

/** Creates a link with which a member sets a new password. Only the answer contains the link. */
export function useResetPassword() {
  return useMutation({
    mutationFn: async (id: number) => await callApi("POST /users/:id/password-reset", { id }),
  });
}
