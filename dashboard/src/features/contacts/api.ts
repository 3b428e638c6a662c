import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { ContactAction } from "../../../../core/model/contact-bulk.ts";
import type { duplicateView } from "../../../../core/model/views/contact.ts";
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

/** Contacts that may be the same person. */
export type Duplicate = z.output<typeof duplicateView>;

/** Merges contacts into another contact, one after the other. The first refusal ends it. */
export function useMergeContacts() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ into, ids }: { into: number; ids: number[] }) => {
      for (const id of ids) {
        await callApi("POST /contacts/:id/merge", { id, body: { into_contact_id: into } });
      }
    },
    onSettled: () => void readAgain(client),
  });
}

/** An action on each selected contact. */
export type BulkWork = ContactAction | { type: "erase" };

/** Does one action on several contacts, with a result for each. */
export function useContactBulk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, work }: { ids: number[]; work: BulkWork }) =>
      work.type === "erase"
        ? await callApi("POST /contacts/bulk/erase", { body: { ids } })
        : await callApi("POST /contacts/bulk", { body: { ids, action: work } }),
    onSettled: () => void readAgain(client),
  });
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
    client.invalidateQueries({ queryKey: liveKeys.duplicates }),
    client.invalidateQueries({ queryKey: liveKeys.conversationLists }),
    client.invalidateQueries({ queryKey: ["conversation"] }),
  ]);
}
