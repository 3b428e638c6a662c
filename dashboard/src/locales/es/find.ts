import type { Texts } from "../en/index.ts";
import type { find as english } from "../en/find.ts";

export const find: Texts<typeof english> = {
  find: {
    field: "Buscar en esta conversación",
    count: "{{place}} de {{count}}",
    count_more: "{{place}} de {{count}}+",
    none: "Ningún mensaje tiene estas palabras",
    searching: "Buscando…",
    older: "Coincidencia anterior",
    newer: "Coincidencia siguiente",
    close: "Cerrar la búsqueda",
    newer_messages: "Mensajes más recientes",
    to_newest: "Ir al más reciente",
    day: "Ir a un día",
  },
  files: {
    title: "Archivos",
    all: "Todos",
    image: "Fotos",
    video: "Videos",
    document: "Documentos",
    audio: "Audio",
    kind: "Tipo de archivo",
    none: "Aquí no hay archivos.",
    more: "Archivos anteriores",
    open: "Ver en la conversación",
    referral: "Llegó por",
  },
};
