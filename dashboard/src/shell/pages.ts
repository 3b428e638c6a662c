import {
  IconAddressBook,
  IconCalendarEvent,
  IconInbox,
  IconKey,
  IconLayoutKanban,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import { paths } from "../paths.ts";

/** A page that the sidebar and the command palette lead to. */
export interface PageLink {
  label:
    | "nav.inbox"
    | "nav.contacts"
    | "nav.pipelines"
    | "nav.appointments"
    | "nav.webhooks"
    | "nav.api_keys"
    | "nav.users"
    | "nav.profile";
  to: string;
  icon: Icon;
}

/** The sidebar's groups, from the top. */
export const pageGroups: PageLink[][] = [
  [
    { label: "nav.inbox", to: paths.inbox, icon: IconInbox },
    { label: "nav.contacts", to: paths.contacts, icon: IconAddressBook },
    { label: "nav.pipelines", to: paths.pipelines, icon: IconLayoutKanban },
    { label: "nav.appointments", to: paths.appointments, icon: IconCalendarEvent },
  ],
  [
    { label: "nav.webhooks", to: paths.webhooks, icon: IconWebhook },
    { label: "nav.api_keys", to: paths.apiKeys, icon: IconKey },
  ],
  [
    { label: "nav.users", to: paths.users, icon: IconUsers },
    { label: "nav.profile", to: paths.profile, icon: IconUserCircle },
  ],
];
