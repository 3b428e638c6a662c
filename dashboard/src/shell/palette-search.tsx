import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { IconEdit } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { z } from "zod";
import type { inboxRow } from "../../../core/model/views/conversation.ts";
import type { ContactView } from "../../../core/model/contact.ts";
import { maxSearchLength } from "../../../core/model/wire.ts";
import { Avatar } from "../components/avatar.tsx";
import { ChannelIcon } from "../components/channel-icon.tsx";
import { callApi } from "../lib/api.ts";
import { liveKeys } from "../lib/live-changes.ts";
import { tellFailure } from "../lib/notify.ts";
import { useOpenConversation } from "../lib/open-conversation.ts";
import { previewWords } from "../lib/preview-words.ts";
import { contactPath, conversationPath } from "../paths.ts";

const shown = 5;
const pauseMs = 200;

/** Search results for the typed text. `searching`: more may arrive. */
interface Found {
  groups: SpotlightActionGroupData[];
  searching: boolean;
}

/**
 * Searches contacts and conversations once the typing pauses. Answers to an earlier text are
 * dropped.
 */
export function usePaletteSearch(query: string): Found {
  const { t } = useTranslation();
  const typed = query.trim().slice(0, maxSearchLength);
  const [text] = useDebouncedValue(typed, pauseMs);
  const current = typed !== "" && text === typed;
  const contacts = useQuery({ ...contactsQuery(text), enabled: current });
  const conversations = useQuery({ ...conversationsQuery(text), enabled: current });
  const toContact = useContactActions();
  const toConversation = useConversationActions();
  // Both results are shown at once. A group that arrives later above the selected action would move
  // Enter and the arrows to another action.
  const found = current && !contacts.isLoading && !conversations.isLoading;
  const groups = [
    { group: t("nav.contacts"), actions: toContact(found ? contacts.data?.data : undefined) },
    {
      group: t("inbox.list"),
      actions: toConversation(found ? conversations.data?.data : undefined),
    },
  ].filter(({ actions }) => actions.length > 0);
  const searching = typed !== "" && (!current || contacts.isFetching || conversations.isFetching);
  return { groups, searching };
}

/** The page of each contact, and a conversation with each contact that has a phone. */
function useContactActions() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const write = useOpenConversation();
  const tellNotOpened = (error: unknown): void => tellFailure(t("new_conversation.failed"), error);
  return (rows: ContactView[] = []): SpotlightActionData[] => [
    ...rows.map(({ id, name, phone, email }) => ({
      id: `contact-${id}`,
      label: name,
      description: [phone, email].filter((one) => one !== null).join(" · "),
      leftSection: <Avatar id={id} name={name} size={24} />,
      onClick: () => void navigate(contactPath(id)),
    })),
    ...rows.flatMap(({ id, name, phone }) =>
      phone === null
        ? []
        : [
            {
              id: `write-${id}`,
              label: t("palette.write_to", { name }),
              leftSection: <IconEdit size={18} aria-hidden />,
              onClick: () => write.mutate({ phone }, { onError: tellNotOpened }),
            },
          ],
    ),
  ];
}

type InboxRow = z.output<typeof inboxRow>;

function useConversationActions() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (rows: InboxRow[] = []): SpotlightActionData[] =>
    rows.map(({ id, channel, contact, status, last_message: last }) => ({
      id: `conversation-${id}`,
      label: contact?.name ?? t("inbox.no_contact"),
      description: [
        t(`status.${status}`),
        last === null ? t("inbox.no_message") : previewWords(t, last),
      ].join(" · "),
      leftSection: <ChannelIcon channel={channel} />,
      onClick: () => void navigate(conversationPath(id)),
    }));
}

function contactsQuery(search: string) {
  return queryOptions({
    queryKey: [...liveKeys.contactLists, "palette", search],
    queryFn: async () => await callApi("GET /contacts", { query: { search, limit: shown } }),
  });
}

function conversationsQuery(search: string) {
  return queryOptions({
    queryKey: [...liveKeys.conversationLists, "palette", search],
    queryFn: async () => await callApi("GET /conversations", { query: { search, limit: shown } }),
  });
}
