import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowBackUp,
  IconCoin,
  IconDotsVertical,
  IconThumbDown,
  IconTrophy,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Swatch } from "../../components/hue-picker.tsx";
import styles from "./board.module.css";
import type { Card, MoveCard, Stage } from "./columns.ts";

/** Everything that can be done with a card. `stageId` is the stage where the card stands. */
export interface CardActions {
  move: MoveCard;
  askValue: (card: Card, stageId: number) => void;
  askLost: (card: Card, stageId: number) => void;
  win: (card: Card, stageId: number) => void;
  reopen: (card: Card, stageId: number) => void;
}

interface CardMenuProps {
  card: Card;
  name: string;
  stage: Stage;
  stages: Stage[];
  actions: CardActions;
}

/** Menu of a card. Its stages replace dragging on a phone and for the keyboard. */
export function CardMenu({ card, name, stage, stages, actions }: CardMenuProps) {
  const { t } = useTranslation();
  const isOpen = card.outcome === "open";
  const icon = { size: 15, stroke: 1.75, "aria-hidden": true };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          className={styles["dots"] ?? ""}
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t("pipelines.actions", { name })}
        >
          <IconDotsVertical size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={styles["menu"] ?? ""}>
        <Menu.Item
          leftSection={<IconCoin {...icon} />}
          onClick={() => actions.askValue(card, stage.id)}
        >
          {t("pipelines.edit_value")}
        </Menu.Item>
        {isOpen ? (
          <>
            <Menu.Item
              leftSection={<IconTrophy {...icon} />}
              onClick={() => actions.win(card, stage.id)}
            >
              {t("pipelines.win")}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconThumbDown {...icon} />}
              onClick={() => actions.askLost(card, stage.id)}
            >
              {t("pipelines.lose")}
            </Menu.Item>
            <MoveItems card={card} stage={stage} stages={stages} onMove={actions.move} />
          </>
        ) : (
          <Menu.Item
            leftSection={<IconArrowBackUp {...icon} />}
            onClick={() => actions.reopen(card, stage.id)}
          >
            {t("pipelines.reopen")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface MoveItemsProps extends Pick<CardMenuProps, "card" | "stage" | "stages"> {
  onMove: MoveCard;
}

function MoveItems({ card, stage, stages, onMove }: MoveItemsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t("pipelines.move_to")}</Menu.Label>
      {stages.map(({ id, name: label, hue }) => (
        <Menu.Item
          key={id}
          disabled={id === stage.id}
          leftSection={<Swatch hue={hue} />}
          onClick={() => onMove(card, stage.id, id, null)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}
