import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { conversationPath } from "../paths.ts";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** Person to open a conversation with. The name is used for a new contact only. */
export interface NewConversation {
  phone: string;
  name?: string;
}

/**
 * Opens the WhatsApp conversation with a phone, new or known, and navigates to it. @param how
 * `replace`: the present page leaves the browser history.
 */
export function useOpenConversation(how = { replace: false }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (wanted: NewConversation) =>
      await callApi("POST /conversations", { body: wanted }),
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: liveKeys.conversationLists });
      await navigate(conversationPath(id), how);
    },
  });
}
