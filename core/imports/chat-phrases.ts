/**
 * Texts that WhatsApp writes into an export instead of a message, in English, Spanish and
 * Portuguese. Each is compared without marks, in lower case, and without a full stop at its end.
 */
const deleted: ReadonlySet<string> = new Set([
  "this message was deleted",
  "you deleted this message",
  "this message was deleted by admin",
  "se eliminó este mensaje",
  "este mensaje fue eliminado",
  "eliminaste este mensaje",
  "mensagem apagada",
  "esta mensagem foi apagada",
  "você apagou esta mensagem",
  "apagou esta mensagem",
  "apagaste esta mensagem",
  "esta mensagem foi eliminada",
  "eliminou esta mensagem",
]);

const omitted: ReadonlySet<string> = new Set([
  "<media omitted>",
  "<multimedia omitido>",
  "<archivo omitido>",
  "<archivo multimedia omitido>",
  "<mídia oculta>",
  "<mídia omitida>",
  "<arquivo de mídia oculto>",
  "<ficheiro não revelado>",
  "<ficheiro multimédia omitido>",
]);

/** iOS names the kind: `image omitted`, `audio omitido`, `figurinha omitida`. */
const omittedKind =
  /^(?:image|video|audio|sticker|gif|document|contact card|video note|imagen|imagem|vídeo|áudio|documento|figurinha|autocolante|tarjeta de contacto|cartão do contato|cartão de contacto|nota de video|recado de vídeo)s? (?:omitted|omitid[oa]|ocultad[oa]|ocult[oa])$/u;

const viewOnce: ReadonlySet<string> = new Set(["", "null"]);

const system = [
  /^messages and calls are end-to-end encrypted/u,
  /^(?:los mensajes y las llamadas|las llamadas y los mensajes|los mensajes) están cifrad[oa]s de extremo a extremo/u,
  /^as mensagens e (?:as )?(?:ligações|chamadas) são (?:protegidas|encriptadas)/u,
  /^as mensagens e (?:as )?(?:ligações|chamadas) (?:são|estão) (?:criptografadas|protegidas)/u,
  /security code .* changed/u,
  /código de seguridad .* cambió/u,
  /código de segurança .* mudou/u,
];

const edited =
  /\u200e?<(?:this message was edited|este mensaje fue editado|se editó este mensaje|mensaje editado|mensagem editada|esta mensagem foi editada)\.?>\s*$/iu;

/** Words that Android writes after the name of a file. */
const attached =
  /^(?:file attached|archivo adjunto|arquivo anexado|ficheiro anexado|anexado|datei angehängt|fichier joint|file allegato)$/iu;

/**
 * A location is a line with a link. The word before coordinates is translated: `location:`,
 * `ubicación:`. A place with a name has a link of Foursquare.
 */
const location =
  /^(?:[\p{L}\p{M} ]{1,40}: https:\/\/maps\.google\.com\/\?q=-?\d{1,3}(?:\.\d+)?,-?\d{1,3}(?:\.\d+)?|.{1,500}: https:\/\/foursquare\.com\/v\/[\w-]+)$/u;

/** Marks of direction and isolation that WhatsApp adds, which no person types. */
const addedMarks = /[\u200e\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Text without the marks that WhatsApp adds. */
export function withoutMarks(text: string): string {
  return text.replace(addedMarks, "");
}

/** Text without the note that its author has edited it. */
export function withoutEditMark(text: string): string {
  return text.replace(edited, "").trimEnd();
}

/** No phrase is longer. */
const maxPhrase = 300;

function phraseOf(text: string): string {
  return withoutMarks(text.slice(0, maxPhrase)).trim().toLowerCase().replace(/\.$/u, "");
}

/** The kind of placeholder that a text is, or null for a message. */
export function placeholderOf(text: string): "omitted" | "deleted" | "view_once" | null {
  const phrase = phraseOf(text);
  if (viewOnce.has(phrase)) return "view_once";
  if (deleted.has(phrase)) return "deleted";
  return omitted.has(phrase) || omittedKind.test(phrase) ? "omitted" : null;
}

/** @returns true for a line of WhatsApp itself that iOS writes under the name of the chat */
export function isSystemText(text: string): boolean {
  const phrase = phraseOf(text);
  return system.some((pattern) => pattern.test(phrase));
}

/** @returns true for the words after the name of a file, without their brackets */
export function isAttachedWord(text: string): boolean {
  return attached.test(text.trim());
}

/** @param text without marks and without spaces around it */
export function isLocationText(text: string): boolean {
  return location.test(text);
}
