import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { conversationPath } from "../paths.ts";
import { callApi } from "./api.ts";
import { placeChanged } from "./inbox-queue.ts";

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
    onSuccess: async ({ id, contact_id: contactId }) => {
      void placeChanged(client, [contactId]);
      await navigate(conversationPath(id), how);
    },
  });
}
