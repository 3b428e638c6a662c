import { Anchor, Box, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconCalendarEvent, IconHourglass } from "@tabler/icons-react";
import { useEffect, useRef, type DragEvent, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { dayMs } from "../../../../core/model/durations.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { previewWords } from "../../lib/preview-words.ts";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { dayAndTime, exactTime, useNow } from "../../lib/time.ts";
import { conversationPath } from "../../paths.ts";
import styles from "./board.module.css";
import { CardMenu, type CardActions } from "./card-menu.tsx";
import type { Card, Stage } from "./columns.ts";
import { useMoneyText } from "./use-money-text.ts";

interface BoardCardProps {
  card: Card;
  stage: Stage;
  stages: Stage[];
  canDrag: boolean;
  focused: boolean;
  onDrag: () => void;
  /** Runs also where the card was dropped nowhere, or on itself. */
  onDragEnd: () => void;
  onDrop: (event: DragEvent) => void;
  actions: CardActions;
}

/** Card of a contact: value, last message, appointment, tags, time in the stage and assignee. */
export function BoardCard({ card, stage, stages, canDrag, focused, ...on }: BoardCardProps) {
  const { t } = useTranslation();
  const name = card.contact?.name ?? t("inbox.no_contact");
  const { actions } = on;
  return (
    <Box
      component="li"
      className={styles["card"] ?? ""}
      draggable={canDrag}
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.setData("text/plain", name);
        on.onDrag();
      }}
      onDragEnd={on.onDragEnd}
      onDrop={on.onDrop}
    >
      <div className={styles["cardHead"]}>
        <Avatar id={card.contact_id} name={name} size={28} channel={card.channel} />
        <CardLink
          card={card}
          name={name}
          focused={focused}
          onStep={(distance) => {
            const to = stages[stages.indexOf(stage) + distance];
            if (canDrag && to !== undefined) actions.move(card, stage.id, to.id, null);
          }}
        />
        <Value card={card} name={name} onEdit={() => actions.askValue(card, stage.id)} />
        <CardMenu card={card} name={name} stage={stage} stages={stages} actions={actions} />
      </div>
      <LastMessage card={card} />
      {card.lost_reason !== null && (
        <Text size="xs" c="var(--parley-ink-2)" truncate title={card.lost_reason} mb={6}>
          {t("pipelines.lost_because", { reason: card.lost_reason })}
        </Text>
      )}
      <div className={styles["cardFoot"]}>
        <Facts card={card} />
        <Age card={card} stage={stage} />
        <Assignee id={card.assigned_to_user_id} />
      </div>
    </Box>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

interface CardLinkProps {
  card: Card;
  name: string;
  focused: boolean;
  /** Runs for Shift and an arrow key, with the number of stages to go on. */
  onStep: (distance: number) => void;
}

function CardLink({ card, name, focused, onStep }: CardLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // Somebody who went on to a field stays there.
    if (focused && document.activeElement === document.body) link.current?.focus();
  }, [focused]);
  const step = (event: KeyboardEvent): void => {
    const distance = steps[event.key];
    if (!event.shiftKey || distance === undefined) return;
    event.preventDefault();
    onStep(distance);
  };
  return (
    <Anchor
      ref={link}
      component={Link}
      to={conversationPath(card.id)}
      className={styles["name"] ?? ""}
      c="inherit"
      fw={500}
      size="sm"
      dir="auto"
      title={name}
      draggable={false}
      aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
      onKeyDown={step}
    >
      {name}
    </Anchor>
  );
}

function Value({ card, name, onEdit }: { card: Card; name: string; onEdit: () => void }) {
  const { t } = useTranslation();
  const text = useMoneyText();
  if (card.value === null) return null;
  const value = text([card.value]);
  return (
    <UnstyledButton
      className={`${styles["value"]} tabular`}
      aria-label={t("pipelines.change_value", { name, value })}
      onClick={onEdit}
    >
      {value}
    </UnstyledButton>
  );
}

function LastMessage({ card: { last_message: last, last_message_at: at } }: { card: Card }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const colleague = useColleagueName(last?.sender_user_id ?? null);
  if (last === null) return <p className={styles["message"]}>{t("inbox.no_message")}</p>;
  const who = last.sender_user_id === user.id ? t("pipelines.you") : colleague;
  const preview = previewWords(t, last);
  const sender = last.sender_type === "contact" ? null : (who ?? t(`sender.${last.sender_type}`));
  return (
    <p className={styles["message"]}>
      <span className={styles["preview"]} dir="auto" title={preview}>
        {sender !== null && <span className={styles["sender"]}>{sender}: </span>}
        {preview}
      </span>
      <span className={styles["when"]}>
        <Moment at={at} />
      </span>
    </p>
  );
}

/** Next appointment and first tags; `Unassigned` where there is nothing else to tell. */
function Facts({ card }: { card: Card }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { next_appointment_at: next, tags, assigned_to_user_id: assignee } = card;
  return (
    <div className={styles["facts"]}>
      {next !== null && (
        <span className={`${styles["appointment"]} tabular`} title={t("pipelines.appointment")}>
          <IconCalendarEvent size={13} stroke={1.75} aria-hidden />
          <time dateTime={next}>{dayAndTime(next, account.time_zone)}</time>
        </span>
      )}
      {tags.slice(0, next === null ? 3 : 1).map((tag) => (
        <Chip key={tag}>{tag}</Chip>
      ))}
      {next === null && tags.length === 0 && assignee === null && (
        <Chip outline>{t("inbox.nobody")}</Chip>
      )}
    </div>
  );
}

/** Days in the stage, amber with an hourglass where the stage's limit is passed. */
function Age({ card: { stage_entered_at: at, outcome }, stage }: { card: Card; stage: Stage }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const ms = Math.max(0, useNow(60_000) - new Date(at).getTime());
  const limit = stage.slow_after_days;
  const isSlow = outcome === "open" && limit !== null && ms > limit * dayMs;
  const days = Math.floor(ms / dayMs);
  return (
    <span
      className={`${styles["age"]} tabular`}
      data-slow={isSlow || undefined}
      title={t("pipelines.since", { moment: exactTime(at, account.time_zone) })}
    >
      {isSlow && <IconHourglass size={12} stroke={1.75} aria-hidden />}
      {days === 0 ? t("pipelines.today") : t("pipelines.days", { count: days })}
      {isSlow && <VisuallyHidden>{t("pipelines.slow", { count: limit })}</VisuallyHidden>}
    </span>
  );
}

function Assignee({ id }: { id: number | null }) {
  const { t } = useTranslation();
  const name = useColleagueName(id);
  if (id === null || name === null) return null;
  const label = t("pipelines.assigned_to", { name });
  return (
    <span title={label} className={styles["assignee"]}>
      <Avatar id={id} name={name} size={20} />
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}
