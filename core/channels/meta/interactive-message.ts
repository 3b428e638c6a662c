import type { SentInteractive } from "../../model/interactive.ts";

/** `interactive` of a message of WhatsApp: reply buttons or a list. The ids are those of the options. */
export function whatsAppInteractive({ body, options, sent_as: form, button }: SentInteractive) {
  const text = { body: { text: body } };
  if (form === "buttons") {
    const buttons = options.map(({ id, title }) => ({ type: "reply", reply: { id, title } }));
    return { type: "button", ...text, action: { buttons } };
  }
  return { type: "list", ...text, action: { button, sections: [{ rows: options }] } };
}

/** `quick_replies` of a message of Messenger or Instagram. The answer repeats the payload. */
export function quickReplies({ options }: SentInteractive) {
  return options.map(({ id, title }) => ({ content_type: "text", title, payload: id }));
}
