import { Box, Group, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState, type DragEvent } from "react";
import { useTranslation } from "react-i18next";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { columnQuery } from "./api.ts";
import { BoardCard } from "./board-card.tsx";
import styles from "./board.module.css";
import {
  cardsOf,
  type Card,
  type Dragged,
  type MoveCard,
  type Near,
  type Stage,
} from "./columns.ts";

interface BoardColumnProps {
  stage: Stage;
  stages: Stage[];
  /** Contact that was moved last; its card gets the keyboard focus. */
  movedId: number | null;
  dragged: Dragged | null;
  onDrag: (dragged: Dragged | null) => void;
  onMove: MoveCard;
}

/** Column of a stage with its cards. A card that is dropped beside other cards goes to the top. */
export function BoardColumn(props: BoardColumnProps) {
  const { stage, dragged, onMove } = props;
  const [over, setOver] = useState(false);
  const { query, readMore } = useColumn(stage.id);
  const drop = (event: DragEvent, near: Near | null): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (dragged !== null) onMove(dragged.card, dragged.from, stage.id, near);
  };
  return (
    <Box
      component="section"
      className={styles["column"] ?? ""}
      aria-label={stage.name}
      data-over={over && dragged !== null}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => drop(event, null)}
    >
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h4" dir="auto" lineClamp={2}>
          {stage.name}
        </Title>
        <Text span size="xs" c="dimmed" className="tabular" style={{ flexShrink: 0 }}>
          {query.data?.pages[0]?.meta.total ?? stage.cards}
        </Text>
      </Group>
      <QueryState query={query} rows={2}>
        {(column) => (
          <Cards
            {...props}
            cards={cardsOf(column)}
            onDrop={(event, card) => drop(event, { above_contact_id: card.contact_id })}
          />
        )}
      </QueryState>
      {query.hasNextPage && <MoreButton pending={query.isFetchingNextPage} onMore={readMore} />}
    </Box>
  );
}

/**
 * Loads pages of a column. A refetch drops a page that is still loading, so the hook then requests
 * that page again.
 */
function useColumn(stageId: number) {
  const query = useInfiniteQuery(columnQuery(stageId));
  const [wanted, setWanted] = useState(1);
  const { data, fetchNextPage, hasNextPage, isError, isFetching } = query;
  const read = data?.pages.length ?? 0;
  useEffect(() => {
    if (read > 0 && read < wanted && hasNextPage && !isError && !isFetching) void fetchNextPage();
  }, [read, wanted, fetchNextPage, hasNextPage, isError, isFetching]);
  const readMore = (): void => {
    setWanted(read + 1);
    void fetchNextPage();
  };
  return { query, readMore };
}

interface CardsProps extends BoardColumnProps {
  cards: Card[];
  /** Runs when another card is dropped on `card`. */
  onDrop: (event: DragEvent, card: Card) => void;
}

function Cards({ cards, stage, stages, movedId, dragged, onDrag, onMove, onDrop }: CardsProps) {
  const { t } = useTranslation();
  if (cards.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("pipelines.no_cards")}
      </Text>
    );
  }
  return (
    <ul className={styles["cards"]}>
      {cards.map((card) => (
        <BoardCard
          key={card.id}
          card={card}
          stage={stage}
          stages={stages}
          focused={card.id === movedId}
          onDrag={() => onDrag({ card, from: stage.id })}
          onDrop={(event) => {
            if (dragged?.card.id === card.id) event.stopPropagation();
            else onDrop(event, card);
          }}
          onMove={(to) => onMove(card, stage.id, to, null)}
        />
      ))}
    </ul>
  );
}

function MoreButton({ pending, onMore }: { pending: boolean; onMore: () => unknown }) {
  const { t } = useTranslation();
  return (
    <PendingButton size="xs" variant="default" pending={pending} onClick={() => void onMore()}>
      {t("pipelines.more")}
    </PendingButton>
  );
}
