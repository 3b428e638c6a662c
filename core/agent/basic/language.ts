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
      "aceptan cobran venden vale soy llamo nombre correo adios claro ahora luego esta este doctora"
    ).split(" "),
  ),
  en: new Set(
    (
      "the an of to for with my your you is are do does did can could would want need have has " +
      "i im id ill please thanks thank hello hi hey what when where how much which who why " +
      "appointment appointments tomorrow today monday tuesday wednesday thursday friday saturday " +
      "sunday morning afternoon evening cancel move reschedule book change price cost hours open " +
      "close yes not and or at on in there this that it me we some someone person speak talk " +
      "get make next week name bye okay sure available doctor"
    ).split(" "),
  ),
};

/**
 * The language of a burst: the one with more marker words. The language of the conversation stays
 * until a burst is clearly in the other one, so a lone "ok" or "yes" changes nothing.
 * @param before language of the conversation; null before the first turn.
 */
export function detectLanguage(text: string, before: Locale | null, account: Locale): Locale {
  const words = listWords(text).filter(({ kind }) => kind === "word");
  const count = (language: Locale) =>
    words.filter((word) => markers[language].has(word.text)).length;
  const [es, en] = [count("es"), count("en")];
  const needed = before === null ? 1 : 2;
  if (es >= en + needed) return "es";
  if (en >= es + needed) return "en";
  return before ?? account;
}
