import { useMantineColorScheme } from "@mantine/core";
import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightFilterFunction,
} from "@mantine/spotlight";
import {
  IconCalendarPlus,
  IconEdit,
  IconFileDownload,
  IconFileUpload,
  IconKey,
  IconLanguage,
  IconLogout,
  IconMailPlus,
  IconMoon,
  IconSearch,
  IconSun,
  IconUserPlus,
  IconWebhook,
} from "@tabler/icons-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { tellFailure } from "../lib/notify.ts";
import { usePageActions } from "../lib/page-actions.ts";
import { useChangeProfile } from "../lib/own-profile.ts";
import type { Session } from "../lib/session.ts";
import { paths } from "../paths.ts";
import { pagesFor } from "./pages.ts";
import { usePaletteSearch } from "./palette-search.tsx";
import { logOut } from "./session-actions.ts";

/** Opens the palette, also where it is about to be mounted. */
export const openPalette = spotlight.open;

/** Ctrl-K: every page, commands for everywhere, and the contacts and conversations that match. */
export function CommandPalette({ session }: { session: Session }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const { groups, searching } = usePaletteSearch(query);
  const plain = [
    ...useOpenedPage(),
    ...usePages(session),
    ...useTasks(session),
    ...useCommands(session),
  ];
  const input = useRef<HTMLInputElement>(null);
  const onlyFound = groups.length > 0 && fitting(query, plain).length === 0;
  useFirstSelected(input, onlyFound);
  return (
    <Spotlight
      actions={[...plain, ...groups]}
      query={query}
      onQueryChange={setQuery}
      filter={fitting}
      scrollable
      transitionProps={{ duration: 100 }}
      attributes={{ content: { "aria-label": t("palette.placeholder") } }}
      shortcut={["mod + K"]}
      nothingFound={t(searching ? "palette.searching" : "palette.nothing")}
      highlightQuery
      searchProps={{
        ref: input,
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t("palette.placeholder"),
        "aria-label": t("palette.placeholder"),
      }}
    />
  );
}

/**
 * The palette selects its first action as the text changes. Where the list is filled only by later
 * answers, this effect sends an arrow key. That selects the first action, so that Enter opens it.
 */
function useFirstSelected(input: RefObject<HTMLInputElement | null>, onlyFound: boolean): void {
  useEffect(() => {
    const down = { code: "ArrowDown", bubbles: true, cancelable: true };
    if (onlyFound) input.current?.dispatchEvent(new KeyboardEvent("keydown", down));
  }, [input, onlyFound]);
}

/**
 * Groups of search results match already. They are below all actions, so that the selected action
 * keeps its place.
 */
const fitting: SpotlightFilterFunction = (query, actions) => {
  const text = query.trim().toLowerCase();
  return actions.filter((one) => {
    return "actions" in one || one.label?.toLowerCase().includes(text);
  });
};

/** Actions on the subject of the opened page, such as a conversation. */
function useOpenedPage(): SpotlightActionData[] {
  const actions = new Map(usePageActions().map((action) => [action.id, action]));
  return [...actions.values()].map(({ id, label, icon: Icon, run }) => ({
    id: `page-${id}`,
    label,
    leftSection: <Icon size={18} aria-hidden />,
    onClick: run,
  }));
}

/** Tasks that begin on a page of their own. Their pages open the dialog for `?new=1`. */
const tasks = [
  { label: "new_conversation.title", to: paths.inbox, icon: IconEdit, forAdmins: false },
  {
    label: "palette.new_appointment",
    to: paths.appointments,
    icon: IconCalendarPlus,
    forAdmins: false,
  },
  { label: "palette.new_contact", to: paths.contacts, icon: IconUserPlus, forAdmins: false },
  { label: "palette.invite", to: paths.users, icon: IconMailPlus, forAdmins: true },
  { label: "palette.add_webhook", to: paths.webhooks, icon: IconWebhook, forAdmins: true },
  { label: "palette.create_key", to: paths.apiKeys, icon: IconKey, forAdmins: true },
] as const;

function useTasks({ role }: Session): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return tasks
    .filter(({ forAdmins }) => !forAdmins || role === "admin")
    .map(({ label, to, icon: Icon }) => ({
      id: label,
      label: t(label),
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate(`${to}?new=1`),
    }));
}

/** Pages that only the settings lead to, beside those of the sidebar. */
const filePages = [
  { label: "imports.title", to: paths.imports, icon: IconFileUpload },
  { label: "exports.list.title", to: paths.exports, icon: IconFileDownload },
] as const;

function usePages({ role }: Session): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const pages = [...pagesFor(role), ...(role === "admin" ? filePages : [])];
  return pages.map(({ label, to, icon: Icon }) => ({
    id: to,
    label: t(label),
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => void navigate(to),
  }));
}

function useCommands({ user }: Session): SpotlightActionData[] {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const change = useChangeProfile();
  const other = i18n.language === "es" ? "en" : "es";
  return [
    {
      id: "light",
      label: t("palette.light"),
      leftSection: <IconSun size={18} aria-hidden />,
      onClick: () => setColorScheme("light"),
    },
    {
      id: "dark",
      label: t("palette.dark"),
      leftSection: <IconMoon size={18} aria-hidden />,
      onClick: () => setColorScheme("dark"),
    },
    {
      id: "language",
      label: t("palette.language"),
      leftSection: <IconLanguage size={18} aria-hidden />,
      onClick: () => change.mutate({ locale: other }),
    },
    {
      id: "logout",
      label: t("account.logout"),
      description: user.email,
      leftSection: <IconLogout size={18} aria-hidden />,
      onClick: () =>
        void logOut().catch((error: unknown) => tellFailure(t("account.logout_failed"), error)),
    },
  ];
}
