import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type MutationKey,
} from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { z } from "zod";
import type { RestChannel } from "../../../core/model/channels.ts";
import type { ContactOrder } from "../../../core/model/contact-list.ts";
import type { contactCard, contactRow } from "../../../core/model/views/contact.ts";
import { callApi, isGone } from "./api.ts";
import { liveKeys } from "./live-changes.ts";
import { mutationsDone } from "./mutations-done.ts";

/** A contact with all that is shown beside a conversation. */
export type ContactCard = z.output<typeof contactCard>;

/** A contact in a list. */
export type ContactRow = z.output<typeof contactRow>;

/** Filter of a contact list. */
export interface ContactFilter {
  search?: string;
  tag?: string;
  stage_id?: number;
  channel?: RestChannel;
  /** Id of a person, `me` or `nobody`. */
  assigned_to?: "me" | "nobody" | number;
}

/** Changes of a contact. A field that is null is cleared. */
export interface ContactChange {
  name?: string | null;
  phone?: string | null;
  email?: string | null;
}

/** A contact. */
export function contactQuery(id: number) {
  return queryOptions({
    queryKey: liveKeys.contact(id),
    queryFn: async ({ client, signal }) => {
      await mutationsDone(client, editKey(id), signal);
      return await callApi("GET /contacts/:id", { id });
    },
  });
}

/** Key of the edits that a page shows before the server has answered. */
function editKey(id: number): MutationKey {
  return ["edit-contact", id];
}

/** Query of a contact. A contact that is gone has no data, even where it was loaded before. */
export function useContact(id: number) {
  const { data, error, refetch } = useQuery(contactQuery(id));
  return { data: isGone(error) ? undefined : data, error, refetch };
}

/** A page of the contacts, newest first. */
export function contactsQuery(filter: ContactFilter, offset: number, limit = 50) {
  return queryOptions({
    queryKey: [...liveKeys.contactLists, filter, offset, limit],
    queryFn: async () => await callApi("GET /contacts", { query: { ...filter, limit, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** A page of the contacts by last activity. `cursor` is null for the first page. */
export function activeContactsQuery(
  filter: ContactFilter,
  order: ContactOrder,
  cursor: string | null,
) {
  const place = cursor === null ? {} : { cursor };
  return queryOptions({
    queryKey: [...liveKeys.contactLists, filter, order, cursor],
    queryFn: async () =>
      await callApi("GET /contacts", { query: { ...filter, order, ...place, limit: 50 } }),
    placeholderData: keepPreviousData,
  });
}

/** Contacts that may be the same person. */
export const duplicatesQuery = queryOptions({
  queryKey: liveKeys.duplicates,
  queryFn: async () => await callApi("GET /contacts/duplicates"),
});

/** Changes a contact's name, phone or email. */
export function useChangeContact(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: ContactChange) =>
      await callApi("PATCH /contacts/:id", { id, body: change }),
    onSuccess: async (card) => {
      client.setQueryData(contactQuery(card.id).queryKey, card);
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.conversationLists }),
        client.invalidateQueries({ queryKey: ["conversation"] }),
      ]);
    },
  });
}

/** An edit of one field, or of all tags. */
export type ContactEdit = ContactChange | { tags: string[] };

/**
 * Edits a contact. The page shows the edit at once, and a refusal takes it back. A card that is
 * newer than the answer stays.
 */
export function useEditContact(id: number) {
  const client = useQueryClient();
  const { queryKey } = contactQuery(id);
  return useMutation({
    mutationKey: editKey(id),
    // One request after another, so that the last edit wins.
    scope: { id: `contact-${id}` },
    mutationFn: async (edit: ContactEdit) =>
      "tags" in edit
        ? await callApi("PUT /contacts/:id/tags", { id, body: edit })
        : await callApi("PATCH /contacts/:id", { id, body: edit }),
    onMutate: async (edit) => {
      await client.cancelQueries({ queryKey, exact: true });
      const before = client.getQueryData(queryKey);
      if (before !== undefined) client.setQueryData(queryKey, { ...before, ...expected(edit) });
      return before;
    },
    onError: (_error, edit, before) => {
      if (before === undefined) return;
      // Only what this edit has shown goes back; another edit may have come meanwhile.
      const fields = Object.keys(expected(edit)) as (keyof ContactCard)[];
      const old = Object.fromEntries(fields.map((field) => [field, before[field]]));
      client.setQueryData(queryKey, (now) => (now === undefined ? now : { ...now, ...old }));
    },
    onSuccess: (card) =>
      client.setQueryData(queryKey, (now) =>
        now === undefined || now.updated_at <= card.updated_at ? card : now,
      ),
    // Not awaited, because the query of the contact itself waits for the end of this mutation.
    onSettled: () => {
      void client.invalidateQueries({ queryKey });
      void client.invalidateQueries({ queryKey: liveKeys.conversationLists });
      void client.invalidateQueries({ queryKey: ["conversation"] });
    },
  });
}

/**
 * Tags of a contact as a field shows them, and their change. `onFailure` tells of a refusal. A
 * change is shown within the event that makes it, because the next one is made from it.
 */
export function useContactTags(card: ContactCard, onFailure: (error: Error) => void) {
  const { mutateAsync } = useEditContact(card.id);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const newest = useRef<string[]>([]);
  const change = (tags: string[]): void => {
    setChosen(tags);
    newest.current = tags;
    // Not an onError of the call: the field may be unmounted before the answer arrives.
    mutateAsync({ tags }, { onSettled: () => setChosen(null) }).catch((error: Error) => {
      // A later change has these tags too.
      if (newest.current === tags) onFailure(error);
    });
  };
  return { tags: chosen ?? card.tags, change };
}

/** Fields as the API will most likely answer them. */
function expected(edit: ContactEdit): Partial<ContactCard> {
  if ("tags" in edit) return { tags: edit.tags };
  const { name, phone, email } = edit;
  return {
    ...(name === undefined ? {} : { has_name: name !== null }),
    ...(name === undefined || name === null ? {} : { name }),
    ...(phone === undefined ? {} : { phone: phone?.replace(/\D/gu, "") ?? null }),
    ...(email === undefined ? {} : { email: email?.toLowerCase() ?? null }),
  };
}
