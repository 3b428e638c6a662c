import {
  IconActivityHeartbeat,
  IconAddressBook,
  IconArrowBarToDown,
  IconBell,
  IconCalendarEvent,
  IconInbox,
  IconKey,
  IconLayoutKanban,
  IconSettings,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import type { Role } from "../../../core/model/principal.ts";
import { paths } from "../paths.ts";

/** A page in the sidebar and the command palette. */
export interface PageLink {
  label:
    | "nav.inbox"
    | "nav.contacts"
    | "nav.pipelines"
    | "nav.appointments"
    | "nav.webhooks"
    | "nav.inbound"
    | "nav.api_keys"
    | "nav.notifications"
    | "nav.settings"
    | "nav.users"
    | "nav.profile"
    | "nav.system";
  to: string;
  icon: Icon;
  /** Agents would see nothing on this page. */
  forAdmins?: true;
}

/** Groups of the sidebar for a role, from the top. */
export function pageGroupsFor(role: Role): PageLink[][] {
  return pageGroups.map((group) => group.filter((page) => !page.forAdmins || role === "admin"));
}

/** Every page for the command palette, including the page that the bell opens. */
export function pagesFor(role: Role): PageLink[] {
  const bell = { label: "nav.notifications", to: paths.notifications, icon: IconBell } as const;
  return [...pageGroupsFor(role).flat(), bell];
}

const pageGroups: PageLink[][] = [
  [
    { label: "nav.inbox", to: paths.inbox, icon: IconInbox },
    { label: "nav.contacts", to: paths.contacts, icon: IconAddressBook },
    { label: "nav.pipelines", to: paths.pipelines, icon: IconLayoutKanban },
    { label: "nav.appointments", to: paths.appointments, icon: IconCalendarEvent },
  ],
  [
    { label: "nav.webhooks", to: paths.webhooks, icon: IconWebhook },
    { label: "nav.inbound", to: paths.inbound, icon: IconArrowBarToDown },
    { label: "nav.api_keys", to: paths.apiKeys, icon: IconKey },
  ],
  [
    { label: "nav.settings", to: paths.account, icon: IconSettings },
    { label: "nav.users", to: paths.users, icon: IconUsers },
    { label: "nav.profile", to: paths.profile, icon: IconUserCircle },
    { label: "nav.system", to: paths.system, icon: IconActivityHeartbeat, forAdmins: true },
  ],
];
