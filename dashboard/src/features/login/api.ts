import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { linkView } from "../../../../core/model/views/user.ts";
import { callForData } from "../../lib/api.ts";
import { startSession, type Session } from "../../lib/session.ts";
import { adoptBrowser } from "./adopt-browser.ts";

/** What a one-time link is for. */
export type LinkFacts = z.output<typeof linkView>;

/** What a person proves who they are with. */
export interface Credentials {
  email: string;
  password: string;
}

/** What a one-time link asks for. */
export interface LinkAnswer {
  token: string;
  name?: string;
  password: string;
  /** The password is of a login that exists. */
  existing?: boolean;
}

/** Logs in. */
export function useLogin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (credentials: Credentials) =>
      await adoptBrowser(await callForData<Session>("POST", "/session", credentials)),
    onSuccess: async (session) => await startSession(client, session),
  });
}

/** Has a link for a new password mailed. */
export function useForgottenPassword() {
  return useMutation({
    mutationFn: async (email: string) =>
      await callForData<null>("POST", "/links/forgotten-password", { email }),
  });
}

/** What a link is for. Its token travels in a body, which nobody logs. @throws ApiError `link_not_found` */
export async function readLink(token: string): Promise<LinkFacts> {
  return await callForData("POST", "/links/read", { token });
}

/** Uses a link up and logs in. */
export function useAcceptLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (answer: LinkAnswer) =>
      await adoptBrowser(await callForData<Session>("POST", "/links/accept", answer)),
    onSuccess: async (session) => await startSession(client, session),
  });
}
