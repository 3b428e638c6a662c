import type { WidgetLocale } from "../../core/model/widget.ts";

/** Words of the launcher. The panel has more, in files of its own. */
export const words: Record<
  WidgetLocale,
  { open: string; close: string; frame: string; dismiss: string; unread: string }
> = {
  en: {
    open: "Open chat",
    close: "Close chat",
    frame: "Chat with",
    dismiss: "Dismiss greeting",
    unread: "unread",
  },
  es: {
    open: "Abrir chat",
    close: "Cerrar chat",
    frame: "Chat con",
    dismiss: "Descartar saludo",
    unread: "sin leer",
  },
  pt: {
    open: "Abrir chat",
    close: "Fechar chat",
    frame: "Chat com",
    dismiss: "Dispensar saudação",
    unread: "não lidas",
  },
};
