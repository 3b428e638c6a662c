import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callForData } from "../../lib/api.ts";
import { contactQuery, type ContactCard } from "../../lib/contact.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** What a new contact is made of; one with the same phone or email is updated instead. */
export interface NewContact {
  name: string;
  phone: string;
  email: string;
}

/** Makes a contact. */
export function useCreateContact() {
  return useContactWrite(
    async (input: NewContact) => await callForData<ContactCard>("POST", "/contacts", input),
  );
}

/** Merges a contact into another one, which gets all it has. */
export function useMergeContact(id: number) {
  return useContactWrite(
    async (into: number) =>
      await callForData<ContactCard>("POST", `/contacts/${id}/merge`, { into_contact_id: into }),
  );
}

/** Erases a contact. */
export function useEraseContact(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await callForData("DELETE", `/contacts/${id}`),
    onSuccess: () => void readAgain(client),
  });
}

function useContactWrite<Input>(mutationFn: (input: Input) => Promise<ContactCard>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    // Not waited for: the page of a contact that is gone leads on at once.
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
