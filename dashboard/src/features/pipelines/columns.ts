import type { InfiniteData } from "@tanstack/react-query";
import type { z } from "zod";
import type { Money } from "../../../../core/model/money.ts";
import type { BoardTotals, PipelineView } from "../../../../core/model/pipeline.ts";
import type { cardView } from "../../../../core/model/views/conversation.ts";
import type { AnswerOf } from "../../lib/api.ts";

/** A card of the board: a contact, with the conversation in which it was last moved. */
export type Card = z.output<typeof cardView>;
/** A page of the cards of a column. */
export type CardPage = AnswerOf<"GET /stages/:id/cards">;
/** The pages of a column that are loaded. */
export type Column = InfiniteData<CardPage>;

/** A stage of a pipeline, shown as a column of the board. */
export type Stage = PipelineView["stages"][number];

/** Place of a card in a column, in the shape of the API. */
export type Near = { above_contact_id: number } | { below_contact_id: number };

/** A card that is being dragged, and the stage from which it comes. */
export interface Dragged {
  card: Card;
  from: number;
}

/** Moves a card from stage `from` to stage `to`. `near` is null for the top of the stage. */
export type MoveCard = (card: Card, from: number, to: number, near: Near | null) => void;

/** The loaded cards of a column, from top to bottom. */
export function cardsOf(column: Column | undefined): Card[] {
  return column?.pages.flatMap(({ data }) => data) ?? [];
}

/** The column without a card. */
export function withoutCard(column: Column | undefined, card: Card): Column | undefined {
  return changed(column, (cards) => cards.filter(({ id }) => id !== card.id));
}

/** The column with one more card, at the top where its neighbour is not loaded. */
export function withCard(
  column: Column | undefined,
  card: Card,
  near: Near | null,
): Column | undefined {
  const isNeighbour = (other: Card): boolean => other.contact_id === neighbourOf(near);
  if (!cardsOf(column).some(isNeighbour)) {
    return changed(column, (cards, page) => (page === 0 ? [card, ...cards] : cards));
  }
  const isAbove = near !== null && "above_contact_id" in near;
  return changed(column, (cards) =>
    cards.flatMap((other) => {
      if (!isNeighbour(other)) return [other];
      return isAbove ? [card, other] : [other, card];
    }),
  );
}

function neighbourOf(near: Near | null): number | null {
  if (near === null) return null;
  return "above_contact_id" in near ? near.above_contact_id : near.below_contact_id;
}

/** Place that would return a card to its present position in a column. */
export function nearOf(cards: Card[], card: Card): Near | null {
  const index = cards.findIndex(({ id }) => id === card.id);
  const after = cards[index + 1];
  if (after !== undefined) return { above_contact_id: after.contact_id };
  const before = cards[index - 1];
  return before === undefined ? null : { below_contact_id: before.contact_id };
}

function changed(
  column: Column | undefined,
  change: (cards: Card[], page: number) => Card[],
): Column | undefined {
  if (column === undefined) return undefined;
  const pages = column.pages.map((one, page) => ({ ...one, data: change(one.data, page) }));
  return { ...column, pages };
}

/** The totals after a card went from one stage to another; null stands for no stage. */
export function totalsAfter(
  totals: BoardTotals | undefined,
  { value }: Card,
  from: number | null,
  to: number | null,
): BoardTotals | undefined {
  if (totals === undefined || from === to) return totals;
  const stages = totals.stages.map((stage) => {
    const sign = Number(stage.stage_id === to) - Number(stage.stage_id === from);
    if (sign === 0) return stage;
    return {
      ...stage,
      cards: stage.cards + sign,
      values: value === null ? stage.values : withSum(stage.values, value, sign),
    };
  });
  return { ...totals, stages };
}

function withSum(values: Money[], { amount, currency }: Money, sign: number): Money[] {
  const others = values.filter((one) => one.currency !== currency);
  const before = values.find((one) => one.currency === currency)?.amount ?? 0;
  const after = before + sign * amount;
  return after > 0 ? [...others, { amount: after, currency }] : others;
}

/** Sums by currency over all stages, the highest first. */
export function sumOf(totals: BoardTotals): { cards: number; values: Money[] } {
  const cards = totals.stages.reduce((sum, stage) => sum + stage.cards, 0);
  const values = totals.stages
    .flatMap((stage) => stage.values)
    .reduce<Money[]>((sums, value) => withSum(sums, value, 1), []);
  return { cards, values: values.toSorted((one, other) => other.amount - one.amount) };
}
