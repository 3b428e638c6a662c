import { ActionIcon, Button, Menu, Text, Tooltip } from "@mantine/core";
import { IconAddressBook, IconDots, IconPhone } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Avatar } from "../../components/avatar.tsx";
import { BookButton } from "../../components/book-button.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { useContact, type ContactCard } from "../../lib/contact.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { phoneUrl } from "../../lib/phone.ts";
import { useSession } from "../../lib/session.ts";
import { exactTime, monthText } from "../../lib/time.ts";
import { contactPath } from "../../paths.ts";
import type { Conversation } from "./api.ts";
import styles from "./contact-panel.module.css";
import { ContactName, ContactData } from "./contact-data.tsx";
import { EarlierConversations } from "./earlier-conversations.tsx";
import { FoldBlock } from "./fold-block.tsx";
import { PersonAppointments } from "./person-appointments.tsx";
import { StageBlock } from "./stage-block.tsx";

const ContactTimeline = lazyPart(
  async () => (await import("../../components/contact-timeline.tsx")).ContactTimeline,
);
const ContactFiles = lazyPart(async () => (await import("./contact-files.tsx")).ContactFiles);
const VisitsBlock = lazyPart(async () => (await import("./visits-block.tsx")).VisitsBlock);
const ReferralBlock = lazyPart(async () => (await import("./referral-block.tsx")).ReferralBlock);

/** Card of the contact: data, visits, stage, appointments, earlier conversations, files and activity. */
export function ContactPanel({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const contact = useContact(conversation.contact_id);
  return (
    <QueryState query={contact} rows={4}>
      {(card) => (
        <div className={styles["panel"]} key={card.id}>
          <Person card={card} conversationId={conversation.id} />
          {conversation.referral !== null && (
            <Suspense fallback={null}>
              <ReferralBlock referral={conversation.referral} />
            </Suspense>
          )}
          {conversation.channel === "web" && (
            <Suspense fallback={null}>
              <VisitsBlock contactId={card.id} />
            </Suspense>
          )}
          <StageBlock conversation={conversation} card={card} />
          <PersonAppointments card={card} />
          <EarlierConversations contactId={card.id} openId={conversation.id} />
          <FoldBlock title={t("inbox.files")}>
            <ContactFiles contactId={card.id} />
          </FoldBlock>
          <FoldBlock title={t("inbox.person_events")}>
            <ContactTimeline contactId={card.id} compact />
          </FoldBlock>
        </div>
      )}
    </QueryState>
  );
}

function Person({ card, conversationId }: { card: ContactCard; conversationId: number }) {
  const { t } = useTranslation();
  const { account } = useSession();
  return (
    <div className={styles["block"]}>
      <div className={styles["head"]}>
        <Avatar id={card.id} name={card.name} size={44} />
        <div className={styles["names"]}>
          <ContactName card={card} />
          <Text size="xs" c="dimmed" title={exactTime(card.created_at, account.time_zone)}>
            {t("contact.since_month", { month: monthText(card.created_at, account.time_zone) })}
          </Text>
        </div>
      </div>
      <div className={styles["actions"]}>
        <BookButton
          contact={card}
          conversationId={conversationId}
          size="xs"
          variant="default"
          flex={1}
        />
        {card.phone !== null && (
          <Button
            size="xs"
            variant="default"
            flex={1}
            component="a"
            href={phoneUrl(card.phone)}
            leftSection={<IconPhone size={15} aria-hidden />}
          >
            {t("contact.call")}
          </Button>
        )}
        <PersonMenu contactId={card.id} />
      </div>
      <ContactData card={card} />
    </div>
  );
}

function PersonMenu({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Tooltip label={t("contact.more")}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="var(--parley-control-small)"
            aria-label={t("contact.more")}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconAddressBook size={16} aria-hidden />}
          component={Link}
          to={contactPath(contactId)}
        >
          {t("contact.open")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
