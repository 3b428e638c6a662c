import type { Locale } from "../../model/user.ts";
import { listWords } from "./text.ts";

const markers: Record<Locale, ReadonlySet<string>> = {
  es: new Set(
    (
      "el la los las un una de del que para por con mi su sus tu te se es son hay tienen tienes " +
      "quiero quisiera necesito puedo puede pueden gracias hola buenas buenos cita citas manana " +
      "cuanto cuesta cuanta donde cuando como cual horario horarios precio precios abren cierran " +
      "favor porfa si tambien pero y o al en hoy lunes martes miercoles jueves viernes sabado " +
      "domingo tarde noche cancelar cambiar mover agendar reservar alguien persona quien hacen " +
      "aceptan cobran venden vale soy llamo nombre correo adios claro ahora luego esta este doctora " +
      "desde ayer anoche hace hacia hasta sobre sin muy mucho mucha mas nada algo nos les le lo ya " +
      "aun todavia siempre nunca porque pues entonces tengo tenia tengan estoy estaba estan fue era " +
      "ser sido haber ha han eres somos voy va van puso hizo quedo llego duele duelen dolor " +
      "eso esa ese esto estos esas ellos ella usted ustedes nuestro nuestra otro otra mismo misma " +
      "aqui alla bien mal mejor ninguno ningun cada todo toda todos solo desean busco sigue"
    ).split(" "),
  ),
  en: new Set(
    (
      "the an of to for with my your you is are do does did can could would want need have has " +
      "i im id ill please thanks thank hello hi hey what when where how much which who why " +
      "appointment appointments tomorrow today monday tuesday wednesday thursday friday saturday " +
      "sunday morning afternoon evening cancel move reschedule book change price cost hours open " +
      "close yes not and or at on in there this that it we some someone person speak talk " +
      "get make next week name bye okay sure available doctor " +
      "was were been be am has had she they them his her us our hes its dont doesnt didnt " +
      "since yesterday still already very much because then than about from by so just only again " +
      "if but as out up down after before every all any nothing something really too also now " +
      "hurts hurt lost came got went says said wants keeps wont cant isnt wasnt ive"
    ).split(" "),
  ),
};

/** Endings and letters that words of one language have far more often; for bursts without a marker. */
const shapes: Record<Locale, RegExp> = {
  es: /.(?:[ao]s?|[ai]r|ron|ie|ces)$/u,
  en: /th|wh|sh|ck|gh|oo|ee|w|k|.(?:ed|ing|ly|[^aeiouns]t|y)$/u,
};

/**
 * The language of a burst: the one with more marker words, and for a first burst with as many of
 * both, the one that more of its words look like. The language of the conversation stays until a burst is
 * clearly in the other one, so a lone "ok" or "yes" changes nothing.
 * @param before language of the conversation; null before the first turn.
 */
export function detectLanguage(text: string, before: Locale | null, account: Locale): Locale {
  const words = listWords(text).filter(({ kind }) => kind === "word");
  const count = (language: Locale) =>
    words.filter((word) => markers[language].has(word.text)).length;
  const countShapes = (language: Locale) =>
    words.filter((word) => shapes[language].test(word.text)).length;
  const [es, en] = [count("es"), count("en")];
  const needed = before === null ? 1 : 2;
  if (es >= en + needed) return "es";
  if (en >= es + needed) return "en";
  if (before !== null) return before;
  // A lone word is a greeting or a name.
  if (words.length < 2) return account;
  const [likeEs, likeEn] = [countShapes("es"), countShapes("en")];
  return likeEs === likeEn ? account : likeEs > likeEn ? "es" : "en";
}
