import { useState } from "react";
import { maxBulk } from "../../../../core/model/inbox-queue.ts";
import type { ContactRow } from "../../lib/contact.ts";

/** A contact that is selected, with its name as it was then. */
export type SelectedContact = Pick<ContactRow, "id" | "name">;

/** Contacts that are selected for a bulk action, also on other pages of the list. */
export interface Selection {
  contacts: SelectedContact[];
  has: (id: number) => boolean;
  /** Selects or deselects contacts. Beyond 100 none is selected. */
  set: (contacts: SelectedContact[], selected: boolean) => void;
  clear: () => void;
}

/** State of a selection of contacts. */
export function useSelection(): Selection {
  const [contacts, setContacts] = useState<SelectedContact[]>([]);
  return {
    contacts,
    has: (id) => contacts.some((one) => one.id === id),
    set: (changed, selected) =>
      setContacts((before) => {
        const ids = new Set(changed.map(({ id }) => id));
        const others = before.filter(({ id }) => !ids.has(id));
        const chosen = changed.map(({ id, name }) => ({ id, name }));
        return selected ? [...others, ...chosen].slice(0, maxBulk) : others;
      }),
    clear: () => setContacts([]),
  };
}
