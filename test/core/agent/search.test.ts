import { describe, expect, test } from "vitest";
import { detectLanguage } from "../../../core/agent/basic/language.ts";
import { answerScore, buildIndex, offerScore } from "../../../core/agent/search.ts";
import { clinicItems, faqQuestions, shopItems, type FaqQuestion } from "./corpus/faq.ts";

const searches = { clinic: buildIndex(clinicItems), shop: buildIndex(shopItems) };

/** Shares of right answers to known questions, and of wrong answers to all questions. */
function measure(questions: readonly FaqQuestion[]) {
  const results = questions.map(({ set, text, item }) => {
    const [best] = searches[set](text, detectLanguage(text, null, "es"));
    const answered = best !== undefined && best.score >= answerScore ? best.id : null;
    return { text, item, answered, score: best?.score ?? 0, best: best?.id };
  });
  const known = results.filter(({ item }) => item !== null);
  const right = known.filter(({ item, answered }) => answered === item);
  const wrong = results.filter(({ item, answered }) => answered !== null && answered !== item);
  return { right: right.length / known.length, wrong: wrong.length / results.length, results };
}

describe("search of stored answers", () => {
  test.each([
    ["tuned", faqQuestions.filter(({ heldOut }) => heldOut !== true)],
    ["held out", faqQuestions.filter(({ heldOut }) => heldOut === true)],
  ])("%s questions: most right, hardly any wrong", (part, questions) => {
    const { right, wrong, results } = measure(questions);
    if (process.env["SHOW"] === part) {
      for (const one of results) {
        if (one.answered !== one.item) process.stderr.write(`${JSON.stringify(one)}\n`);
      }
    }
    if (process.env["SHOW"] !== undefined)
      process.stderr.write(`${part}: right ${right}, wrong ${wrong}, of ${questions.length}\n`);
    expect(right).toBeGreaterThanOrEqual(0.8);
    expect(wrong).toBeLessThanOrEqual(0.02);
  });

  test("one of two questions is found", () => {
    const [best] = searches.clinic("quiero una cita el jueves a las cinco. aceptan tarjeta?");
    expect(best?.id).toBe(3);
    expect(best?.score).toBeGreaterThanOrEqual(answerScore);
  });

  test("a question in the other language finds no answer by chance", () => {
    const [best] = searches.clinic("is the moon made of cheese");
    expect(best?.score ?? 0).toBeLessThan(offerScore);
  });

  test("the item of the asked language comes first", () => {
    const both = buildIndex([
      { id: 1, question: "WiFi", phrasings: [], answer: "Sí", language: "es" },
      { id: 2, question: "WiFi", phrasings: [], answer: "Yes", language: "en" },
    ]);
    expect(both("wifi?", "en").map(({ id }) => id)).toEqual([2, 1]);
  });

  test("an empty index and a text without words find nothing", () => {
    expect(buildIndex([])("hola")).toEqual([]);
    expect(searches.shop("???")).toEqual([]);
  });
});
