import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../lib/api.ts";
import { contactQuery, type ContactCard } from "../../lib/contact.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Data of a new contact. A contact with the same phone or email is updated instead. */
export interface NewContact {
  name: string;
  phone: string;
  email: string;
}

/** Creates a contact. */
export function useCreateContact() {
  return useContactWrite(
    async (input: NewContact) => await callApi("POST /contacts", { body: input }),
  );
}

/** Merges a contact into another contact, which gets all its data. */
export function useMergeContact(id: number) {
  return useContactWrite(
    async (into: number) =>
      await callApi("POST /contacts/:id/merge", { id, body: { into_contact_id: into } }),
  );
}

/** Erases a contact. */
export function useEraseContact(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await callApi("DELETE /contacts/:id", { id }),
    onSuccess: () => void readAgain(client),
  });
}

function useContactWrite<Input>(mutationFn: (input: Input) => Promise<ContactCard>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    // Not awaited, so that the page of a merged contact can navigate on at once.
    onSuccess: (card) => {
      client.setQueryData(contactQuery(card.id).queryKey, card);
      void readAgain(client);
    },
  });
}

async function readAgain(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: liveKeys.contactLists }),
    client.invalidateQueries({ queryKey: liveKeys.conversationLists }),
    client.invalidateQueries({ queryKey: ["conversation"] }),
  ]);
}
