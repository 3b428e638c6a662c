import { Box, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState, type DragEvent } from "react";
import { useTranslation } from "react-i18next";
import type { BoardTotals } from "../../../../core/model/pipeline.ts";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { columnQuery } from "./api.ts";
import { BoardCard } from "./board-card.tsx";
import type { BoardQuery } from "./board-query.ts";
import styles from "./board.module.css";
import type { CardActions } from "./card-menu.tsx";
import { cardsOf, type Card, type Dragged, type Near, type Stage } from "./columns.ts";
import { useMoneyText } from "./use-money-text.ts";

type StageTotals = BoardTotals["stages"][number];

interface BoardColumnProps {
  stage: Stage;
  stages: Stage[];
  filter: BoardQuery;
  /** Undefined while the totals are loading. */
  totals: StageTotals | undefined;
  canDrag: boolean;
  /** Contact that was moved last; its card gets the keyboard focus. */
  movedId: number | null;
  dragged: Dragged | null;
  onDrag: (dragged: Dragged | null) => void;
  actions: CardActions;
}

/** Column of a stage with its cards. A card that is dropped beside other cards goes to the top. */
export function BoardColumn(props: BoardColumnProps) {
  const { stage, filter, totals, dragged, actions } = props;
  const [over, setOver] = useState(false);
  const { query, readMore } = useColumn(stage.id, filter);
  const drop = (event: DragEvent, near: Near | null): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (dragged !== null) actions.move(dragged.card, dragged.from, stage.id, near);
  };
  return (
    <Box
      component="section"
      className={styles["column"] ?? ""}
      aria-label={stage.name}
      data-hue={stage.hue}
      data-over={over && dragged !== null}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => drop(event, null)}
    >
      <ColumnHead stage={stage} totals={totals} />
      <div className={styles["scroll"]}>
        <QueryState query={query} rows={2} height={84}>
          {(column) => (
            <Cards
              {...props}
              cards={cardsOf(column)}
              onDrop={(event, card) => drop(event, { above_contact_id: card.contact_id })}
            />
          )}
        </QueryState>
        {query.hasNextPage && <MoreButton pending={query.isFetchingNextPage} onMore={readMore} />}
      </div>
    </Box>
  );
}

function ColumnHead({ stage, totals }: Pick<BoardColumnProps, "stage" | "totals">) {
  const text = useMoneyText();
  const sum = totals === undefined ? "" : text(totals.values);
  return (
    <div className={styles["columnHead"]}>
      <Title order={2} size="h4" className={styles["cut"] ?? ""} dir="auto" title={stage.name}>
        {stage.name}
      </Title>
      <Text span size="xs" c="dimmed" className="tabular" flex="none">
        {totals?.cards}
      </Text>
      <Text span size="xs" className={`${styles["sum"]} tabular`} title={sum}>
        {sum}
      </Text>
    </div>
  );
}

/**
 * Loads pages of a column. A refetch drops a page that is still loading, so the hook then requests
 * that page again.
 */
function useColumn(stageId: number, filter: BoardQuery) {
  const query = useInfiniteQuery(columnQuery(stageId, filter));
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

function Cards({ cards, stage, movedId, dragged, onDrag, onDrop, ...props }: CardsProps) {
  const { t } = useTranslation();
  if (cards.length === 0) {
    return (
      <Text size="xs" c="dimmed" px={4}>
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
          stages={props.stages}
          canDrag={props.canDrag}
          actions={props.actions}
          focused={card.id === movedId}
          onDrag={() => onDrag({ card, from: stage.id })}
          onDragEnd={() => onDrag(null)}
          onDrop={(event) => {
            if (dragged?.card.id === card.id) event.stopPropagation();
            else onDrop(event, card);
          }}
        />
      ))}
    </ul>
  );
}

function MoreButton({ pending, onMore }: { pending: boolean; onMore: () => unknown }) {
  const { t } = useTranslation();
  return (
    <PendingButton
      size="xs"
      mt="xs"
      variant="default"
      pending={pending}
      onClick={() => void onMore()}
    >
      {t("pipelines.more")}
    </PendingButton>
  );
}
