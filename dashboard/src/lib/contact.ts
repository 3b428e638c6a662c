import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import type { contactCard } from "../../../core/model/views/contact.ts";
import type { ContactView } from "../../../core/model/contact.ts";
import { callApi, isGone } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** A contact with all that is shown beside a conversation. */
export type ContactCard = z.output<typeof contactCard>;

/** A contact in a list. */
export type ContactRow = ContactView;

/** Filter of a contact list. */
export interface ContactFilter {
  search?: string;
  tag?: string;
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
    queryFn: async () => await callApi("GET /contacts/:id", { id }),
  });
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

/** Changes a contact's name, phone or email. */
export function useChangeContact(id: number) {
  return useContactMutation(
    async (change: ContactChange) => await callApi("PATCH /contacts/:id", { id, body: change }),
  );
}

/** Replaces all tags of a contact. */
export function useReplaceTags(id: number) {
  return useContactMutation(
    async (tags: string[]) => await callApi("PUT /contacts/:id/tags", { id, body: { tags } }),
    // Runs one call after another. Each call sends all tags, so the last call must arrive last.
    { id: `tags-${id}` },
  );
}

function useContactMutation<Input>(
  mutationFn: (input: Input) => Promise<ContactCard>,
  scope?: { id: string },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    ...(scope === undefined ? {} : { scope }),
    onSuccess: async (card) => {
      client.setQueryData(contactQuery(card.id).queryKey, card);
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.conversationLists }),
        client.invalidateQueries({ queryKey: ["conversation"] }),
      ]);
    },
  });
}
