import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { linkView } from "../../../../core/model/views/user.ts";
import { callApi } from "../../lib/api.ts";
import { startSession } from "../../lib/session.ts";
import { adoptBrowser } from "./adopt-browser.ts";

/** Purpose and account of a one-time link. */
export type LinkFacts = z.output<typeof linkView>;

/** Email and password of a login. */
export interface Credentials {
  email: string;
  password: string;
}

/** Answer to the form of a one-time link. */
export interface LinkAnswer {
  token: string;
  name?: string;
  password: string;
  /** True where the password belongs to an existing login. */
  existing?: boolean;
}

/** Logs in. */
export function useLogin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (credentials: Credentials) =>
      await adoptBrowser(await callApi("POST /session", { body: credentials })),
    onSuccess: async (session) => await startSession(client, session),
  });
}

/** Requests a mail with a link for a new password. */
export function useForgottenPassword() {
  return useMutation({
    mutationFn: async (email: string) =>
      await callApi("POST /links/forgotten-password", { body: { email } }),
  });
}

/**
 * Reads the purpose of a link. The token is sent in a body, because bodies are not logged. @throws
 * ApiError `link_not_found`
 */
export async function readLink(token: string): Promise<LinkFacts> {
  return await callApi("POST /links/read", { body: { token } });
}

/** Uses a one-time link and logs in. */
export function useAcceptLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (answer: LinkAnswer) =>
      await adoptBrowser(await callApi("POST /links/accept", { body: answer })),
    onSuccess: async (session) => await startSession(client, session),
  });
}
