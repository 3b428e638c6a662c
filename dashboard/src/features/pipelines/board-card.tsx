import { ActionIcon, Anchor, Box, Group, Menu, Text } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useEffect, useRef, type DragEvent, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { Moment } from "../../components/moment.tsx";
import { conversationPath } from "../../paths.ts";
import styles from "./board.module.css";
import type { Card, Stage } from "./columns.ts";

interface BoardCardProps {
  card: Card;
  stage: Stage;
  stages: Stage[];
  focused: boolean;
  onDrag: () => void;
  onDrop: (event: DragEvent) => void;
  onMove: (to: number) => void;
}

/** Card of a contact: name, channel, and time in the stage. */
export function BoardCard({ card, stage, stages, focused, ...on }: BoardCardProps) {
  const { t } = useTranslation();
  const link = useRef<HTMLAnchorElement>(null);
  const name = card.contact?.name ?? t("inbox.no_contact");
  useEffect(() => {
    if (focused) link.current?.focus();
  }, [focused]);
  const step = (event: KeyboardEvent): void => {
    const distance = steps[event.key];
    if (!event.shiftKey || distance === undefined) return;
    event.preventDefault();
    const to = stages[stages.indexOf(stage) + distance];
    if (to !== undefined) on.onMove(to.id);
  };
  return (
    <Box
      component="li"
      className={styles["card"] ?? ""}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", name);
        on.onDrag();
      }}
      onDrop={on.onDrop}
    >
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Anchor
          ref={link}
          component={Link}
          to={conversationPath(card.id)}
          c="inherit"
          fw={500}
          size="sm"
          dir="auto"
          lineClamp={2}
          draggable={false}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
          onKeyDown={step}
        >
          {name}
        </Anchor>
        <MoveMenu name={name} stage={stage} stages={stages} onMove={on.onMove} />
      </Group>
      <Group gap={6} mt={4} c="dimmed">
        <ChannelIcon channel={card.channel} />
        <Text size="xs">
          <Moment at={card.stage_entered_at} />
        </Text>
      </Group>
    </Box>
  );
}

interface MoveMenuProps {
  name: string;
  stage: Stage;
  stages: Stage[];
  onMove: (to: number) => void;
}

function MoveMenu({ name, stage, stages, onMove }: MoveMenuProps) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t("pipelines.move", { name })}
        >
          <IconArrowsExchange size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {stages.map(({ id, name: label }) => (
          <Menu.Item key={id} disabled={id === stage.id} onClick={() => onMove(id)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
