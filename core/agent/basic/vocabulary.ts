import {
  monthNumbers,
  numberWords,
  otherDateWords,
  partWords,
  weekdayNumbers,
} from "./date-words.ts";
import { intentWords } from "./intents.ts";
import { createCorrector, listWords, type Word } from "./text.ts";

// Words one letter away from a word of the vocabulary. They are no typos.
const guarded = new Set(
  (
    "puedas puedan podamos quieras quieran tengas tengan hagas hagan hables luces nuevo nueva nuevos junto junta juntos coche coches leche abrir marco marca marcar " +
    "cuanto cuadro cuanta cuantos tarda tardo tardan medir noble ochos right night light " +
    "fight weight there these those match watch batch reach truth forth worth mouth month months " +
    "money funny parte parto carta corte corta morado jugar dinero martha marta marte " +
    "mangana hacia hasta vierte moverla dices veces trece pasada pasados pesado prueba siento " +
    "ciento nieve quiere quieren querer quiera entra entran cinta cintas quita listo lista " +
    "corto forma firma cobro cambia cambie cambios abrimos puedes debes vienen siente sienten " +
    "ahora horas horno honra adonde donde hello house horse could would their where were weeks " +
    "thank think thing while whole write wrote table cable later water boot book books look looks"
  ).split(" "),
);

const vocabulary = [
  ...weekdayNumbers.keys(),
  ...monthNumbers.keys(),
  ...numberWords.keys(),
  ...partWords.keys(),
  ...otherDateWords.split(" "),
  ...intentWords,
];

const correct = createCorrector(vocabulary, guarded);

/** The words of a text, with typos in words that the agent knows mended. */
export function readWords(text: string): Word[] {
  return listWords(text).map((word) =>
    word.kind === "word" ? { ...word, text: correct(word.text) } : word,
  );
}
