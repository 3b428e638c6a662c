import { expect, test } from "vitest";
import { detectLanguage } from "../../../core/agent/basic/language.ts";
import type { Locale } from "../../../core/model/user.ts";

/** First messages that name no wish: they tell what happened. */
const spanish = `
Me duele una muela desde ayer
Se me cayó un diente
Perdí mi carro anoche
El coche no arranca desde el lunes
Me llegó roto el paquete
Nadie me contesta
No me ha llegado nada
Tengo fiebre desde anoche
Mi hijo sigue con tos
Se me olvidó decirles algo
Ya pagué pero no aparece
Me cobraron dos veces
La pantalla quedó negra
Estoy esperando hace una hora
No funciona bien
Vengo de parte de Ana
Me recomendaron con ustedes
Hace ruido cuando freno
Todo mal
Le escribo por mi mamá
¿Están?
Llevamos semanas peleando con soporte
Urge factura
Paquete equivocado
Ayer fui y estaba cerrado
`;

const english = `
My tooth hurts since yesterday
A filling fell out last night
The car won't start since Monday
It came broken
Nobody answers me
I still haven't received anything
He has had a fever since last night
My son keeps coughing
I forgot to tell you something
I already paid but it doesn't show
They charged me twice
The screen went black
I've been waiting for an hour
It isn't working
Ana told me about you
Makes a noise when I brake
I lost my ticket
She says it was closed
Writing on behalf of my mom
Are you there?
Wrong parcel
Screen looks broken
`;

function misread(lines: string, language: Locale, account: Locale): string[] {
  const texts = lines.trim().split("\n");
  return texts.filter((text) => detectLanguage(text, null, account) !== language);
}

test("a first message tells its language, whatever the account's is", () => {
  expect(misread(spanish, "es", "en")).toEqual([]);
  expect(misread(english, "en", "es")).toEqual([]);
});

test("a first message that looks like neither language is in the account's", () => {
  for (const text of ["ok", "12345", "Zoe", "👍"]) {
    expect(detectLanguage(text, null, "es")).toBe("es");
    expect(detectLanguage(text, null, "en")).toBe("en");
  }
});

test("a word that both languages have tells nothing", () => {
  expect(detectLanguage("me", null, "es")).toBe("es");
  expect(detectLanguage("me", null, "en")).toBe("en");
});

test("a conversation stays in its language for a word of the other one", () => {
  expect(detectLanguage("ok, gracias", "en", "en")).toBe("en");
  expect(detectLanguage("thanks", "es", "es")).toBe("es");
  expect(detectLanguage("Me duele una muela desde ayer", "en", "en")).toBe("es");
});
