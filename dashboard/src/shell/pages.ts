import {
  IconActivityHeartbeat,
  IconArrowBarToDown,
  IconBell,
  IconCalendarEvent,
  IconInbox,
  IconKey,
  IconLayoutKanban,
  IconPlugConnected,
  IconSettings,
  IconSparkles,
  IconUserCircle,
  IconUsers,
  IconUsersGroup,
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
    | "nav.agent"
    | "nav.channels"
    | "nav.webhooks"
    | "nav.inbound"
    | "nav.api_keys"
    | "nav.notifications"
    | "nav.settings"
    | "nav.users"
    | "nav.calendars"
    | "nav.profile"
    | "nav.system";
  to: string;
  icon: Icon;
  /** Agents would see nothing on this page. */
  forAdmins?: true;
}

const inbox: PageLink = { label: "nav.inbox", to: paths.inbox, icon: IconInbox };
const contacts: PageLink = { label: "nav.contacts", to: paths.contacts, icon: IconUsers };
const pipelines: PageLink = { label: "nav.pipelines", to: paths.pipelines, icon: IconLayoutKanban };
const appointments: PageLink = {
  label: "nav.appointments",
  to: paths.appointments,
  icon: IconCalendarEvent,
};

/** Title of a section of the sidebar. */
export type SectionTitle = "nav.work" | "nav.automation" | "nav.developers";

interface Section {
  title: SectionTitle;
  pages: PageLink[];
}

const sections: Section[] = [
  { title: "nav.work", pages: [inbox, contacts, pipelines, appointments] },
  {
    title: "nav.automation",
    pages: [
      { label: "nav.agent", to: paths.agent, icon: IconSparkles },
      { label: "nav.channels", to: paths.channels, icon: IconPlugConnected, forAdmins: true },
    ],
  },
  {
    title: "nav.developers",
    pages: [
      { label: "nav.webhooks", to: paths.webhooks, icon: IconWebhook },
      { label: "nav.inbound", to: paths.inbound, icon: IconArrowBarToDown },
      { label: "nav.api_keys", to: paths.apiKeys, icon: IconKey },
    ],
  },
];

/** Sections of the sidebar, from the top, with the pages that a role may open. */
export function sectionsFor(role: Role): Section[] {
  return sections.map(({ title, pages }) => ({ title, pages: pages.filter(isFor(role)) }));
}

/** Pages in the bottom bar of a phone; the others are behind "More". */
export const phonePages: PageLink[] = [inbox, pipelines, appointments];

/** Link at the foot of the sidebar. Its page leads to the other settings. */
export const settingsPage: PageLink = {
  label: "nav.settings",
  to: paths.account,
  icon: IconSettings,
};

const further: PageLink[] = [
  settingsPage,
  { label: "nav.users", to: paths.users, icon: IconUsersGroup },
  { label: "nav.calendars", to: paths.calendars, icon: IconCalendarEvent, forAdmins: true },
  { label: "nav.profile", to: paths.profile, icon: IconUserCircle },
  { label: "nav.system", to: paths.system, icon: IconActivityHeartbeat, forAdmins: true },
  { label: "nav.notifications", to: paths.notifications, icon: IconBell },
];

/** Every page for the command palette. */
export function pagesFor(role: Role): PageLink[] {
  return [...sections.flatMap(({ pages }) => pages), ...further].filter(isFor(role));
}

function isFor(role: Role): (page: PageLink) => boolean {
  return (page) => !page.forAdmins || role === "admin";
}
