import type { KnowledgeHit } from "../context.ts";
import { answerScore, offerScore } from "../search.ts";
import { contentStems } from "../search-terms.ts";
import { ask, textsOf, type FlowTurn, type Said } from "./flow-turn.ts";
import { listQuestions } from "./reading.ts";

const maxOffered = 3;
const maxAnswers = 2;
/** From this score a stored answer is given although the account's rows answer the question too. */
const certainScore = 0.85;

/** Stored answers that fit the questions of the burst. */
export function answerFromKnowledge(turn: FlowTurn): string[] {
  const { context, reading } = turn;
  const { intents } = reading;
  // The appointment of the customer stands in no stored answer.
  if (intents.has("mine")) return [];
  const isFact = ["hours", "services", "agendas", "address"].some((one) =>
    intents.has(one as "hours"),
  );
  const hasTask = ["book", "move", "cancel"].some((one) => intents.has(one as "book"));
  const isBusy = hasTask || (turn.flow !== null && turn.flow !== "faq");
  const threshold = isFact ? certainScore : answerScore;
  const fitting = context.knowledge.filter(({ score }) => score >= threshold);
  const questions = listQuestions(reading.words);
  if (!isBusy && questions.length <= 1) return fitting.slice(0, 1).map(({ answer }) => answer);
  // In the middle of a task, or with several questions, an answer needs a question of its own.
  const answered = questions.flatMap((question) => {
    const stems = contentStems(question.map(({ raw }) => raw).join(" "), reading.language);
    const best = fitting.find((hit) => sharesStem(hit, stems));
    return best === undefined ? [] : [best];
  });
  return [...new Set(answered)].slice(0, maxAnswers).map(({ answer }) => answer);
}

function sharesStem({ question, language }: KnowledgeHit, stems: ReadonlySet<string>): boolean {
  return [...contentStems(question, language)].some((stem) => stems.has(stem));
}

/** The questions that are near to the burst, for the customer to choose from. */
export function offerQuestions(turn: FlowTurn): Said | null {
  const { context, reading } = turn;
  if (reading.intents.has("thanks") || (reading.words.length === 1 && reading.answer !== null))
    return null;
  const near = context.knowledge.filter(({ score }) => score >= offerScore).slice(0, maxOffered);
  if (near.length === 0) return null;
  const slots = { itemIds: near.map(({ id }) => id) };
  const say = textsOf(turn).didYouMean(near.map(({ question }) => question));
  return { ...ask(turn, "question", say, slots), flow: "faq" };
}

/** The item that the customer chose among the offered questions. */
export function offeredItem({ context, reading, slots }: FlowTurn): KnowledgeHit | null {
  const { itemIds = [] } = slots;
  const { choice, answer } = reading;
  const isOnly = answer === true && itemIds.length === 1;
  const id =
    choice !== null ? itemIds.at(choice > 0 ? choice - 1 : -1) : isOnly ? itemIds[0] : undefined;
  const items = [...(context.offeredItems ?? []), ...context.knowledge];
  return items.find((item) => item.id === id) ?? null;
}
