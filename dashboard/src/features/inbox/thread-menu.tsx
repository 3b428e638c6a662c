import { ActionIcon, Kbd, Menu, Tooltip } from "@mantine/core";
import {
  IconAddressBook,
  IconCalendar,
  IconCalendarPlus,
  IconDots,
  IconLink,
  IconMessage2Bolt,
  IconSearch,
  IconSparkles,
} from "@tabler/icons-react";
import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useBooking } from "../../components/book-button.tsx";
import { useContact } from "../../lib/contact.ts";
import { copyText } from "../../lib/copy.ts";
import { usePageAction } from "../../lib/page-actions.ts";
import { contactPath, conversationPath } from "../../paths.ts";
import type { AgentToggle } from "./agent-switch.tsx";
import type { Conversation } from "./api.ts";
import { useConversationKeys } from "./selection.ts";
import { ThreadTools } from "./thread-tools.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { useSuggestion } from "./use-suggestion.ts";

interface ThreadMenuProps {
  conversation: Conversation;
  agent: AgentToggle;
}

/** Menu of a conversation: the actions that have no button of their own at every width. */
export function ThreadMenu({ conversation, agent }: ThreadMenuProps) {
  const { contact_id } = conversation;
  const { t } = useTranslation();
  const suggestion = useSuggestion(conversation);
  const contact = useContact(contact_id).data ?? null;
  const booking = useBooking(contact, conversation.id);
  const openTool = useContext(ThreadTools);
  useShortcuts({ b: booking.open });
  useConversationKeys({ f: () => openTool("search"), d: () => openTool({ day: null }) });
  usePageAction({
    id: "book",
    label: t("inbox.book_appointment"),
    icon: IconCalendarPlus,
    run: booking.open,
  });
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <MenuOpener />
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconSparkles size={16} aria-hidden />}
            rightSection={<Kbd aria-hidden>p</Kbd>}
            onClick={agent.toggle}
          >
            {t(agent.enabled ? "inbox.pause_agent" : "inbox.resume_agent")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconMessage2Bolt size={16} aria-hidden />}
            rightSection={<Kbd aria-hidden>g</Kbd>}
            disabled={conversation.agent_drafting || conversation.agent_draft !== null}
            onClick={suggestion.ask}
          >
            {t("inbox.suggest")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCalendarPlus size={16} aria-hidden />}
            rightSection={<Kbd aria-hidden>b</Kbd>}
            disabled={contact === null}
            onClick={booking.open}
          >
            {t("inbox.book_appointment")}
          </Menu.Item>
          <Menu.Divider />
          <ToolItems />
          <Menu.Divider />
          <PlaceItems conversation={conversation} />
        </Menu.Dropdown>
      </Menu>
      {booking.drawer}
    </>
  );
}

/** Entries that lead to the contact and to this conversation. */
function PlaceItems({ conversation: { id, contact_id } }: Pick<ThreadMenuProps, "conversation">) {
  const { t } = useTranslation();
  const copyLink = (): void =>
    void copyText(new URL(conversationPath(id), window.location.origin).href);
  return (
    <>
      <Menu.Item
        leftSection={<IconAddressBook size={16} aria-hidden />}
        component={Link}
        to={contactPath(contact_id)}
      >
        {t("contact.open")}
      </Menu.Item>
      <Menu.Item leftSection={<IconLink size={16} aria-hidden />} onClick={copyLink}>
        {t("inbox.copy_link")}
      </Menu.Item>
    </>
  );
}

/** Entries that open a tool of the thread. */
function ToolItems() {
  const { t } = useTranslation();
  const openTool = useContext(ThreadTools);
  return (
    <>
      <Menu.Item
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd aria-hidden>f</Kbd>}
        onClick={() => openTool("search")}
      >
        {t("shortcuts.find")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconCalendar size={16} aria-hidden />}
        rightSection={<Kbd aria-hidden>d</Kbd>}
        onClick={() => openTool({ day: null })}
      >
        {t("shortcuts.day")}
      </Menu.Item>
    </>
  );
}

function MenuOpener() {
  const { t } = useTranslation();
  return (
    <Tooltip label={t("inbox.more")}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="var(--parley-control-small)"
          aria-label={t("inbox.more")}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
    </Tooltip>
  );
}
