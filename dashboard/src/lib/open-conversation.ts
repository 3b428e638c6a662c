import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { conversationPath } from "../paths.ts";
import { callForData } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** Whom a conversation is opened with; the name is for a new contact. */
export interface NewConversation {
  phone: string;
  name?: string;
}

/**
 * Opens the WhatsApp conversation with a phone, new or known, and goes there.
 * @param how `replace`: the page that is left is not one to go back to.
 */
export function useOpenConversation(how = { replace: false }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (wanted: NewConversation) =>
      await callForData<{ id: number }>("POST", "/conversations", wanted),
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: liveKeys.conversationLists });
      await navigate(conversationPath(id), how);
    },
  });
}
