import type { Texts } from "../en/index.ts";
import type { optionMessage as en } from "../en/option-message.ts";

/** A message with options, and the menu of the composer that leads to it. */
export const optionMessage: Texts<typeof en> = {
  option_message: {
    menu: "Más tipos de mensaje",
    title: "Mensaje con opciones",
    body: "Mensaje",
    body_text: "La pregunta que contestan las opciones.",
    kind: "Tipo",
    kind_text:
      "El chat web dibuja el tipo. En otros canales deciden sus límites, y tus programas leen el tipo.",
    kinds: { buttons: "Botones", list: "Lista", cards: "Tarjetas" },
    options: "Opciones",
    option: "Opción {{number}}",
    description: "Descripción de la opción {{number}}",
    description_hint: "Descripción (opcional)",
    add: "Agregar opción",
    remove: "Quitar la opción {{number}}",
    limits: "Lo que muestra este canal",
    limit: {
      buttons:
        "Botones: hasta {{options}} opciones con títulos de {{title}} caracteres, sin descripciones, y un mensaje de {{body, number}} caracteres.",
      list: "Una lista: hasta {{options}} opciones con títulos de {{title}} caracteres y descripciones de {{description}}.",
      quick_replies:
        "Respuestas rápidas: hasta {{options}} opciones con títulos de {{title}} caracteres. Las descripciones van en el mensaje.",
      text: "Líneas numeradas: todo lo demás. El cliente contesta con un número.",
      web: "El chat web muestra cada tipo, con hasta {{options}} opciones, títulos de {{title}} caracteres y descripciones de {{description}}.",
      only_text: "Líneas numeradas. El cliente contesta con un número.",
    },
    form: {
      buttons: "Se envía como botones",
      list: "Se envía como lista",
      quick_replies: "Se envía como respuestas rápidas",
      text: "Se envía como líneas numeradas",
    },
    excess: {
      options: "hay más de {{max}} opciones",
      title: "un título pasa de {{max}} caracteres",
      description: "una descripción pasa de {{max}} caracteres",
      described: "una opción tiene descripción",
      body: "el mensaje pasa de {{max}} caracteres",
    },
    because: "{{form}}: {{reasons}}.",
    preview: "Vista previa",
    preview_empty: "Escribe el mensaje y una opción para verlos aquí.",
    no_title: "Ponle un título a la opción.",
    same_title: "Otra opción tiene este título.",
    too_long: "El canal acepta {{count, number}} {{unit}} como máximo, con todas las opciones.",
    unit: { characters: "caracteres", bytes: "bytes" },
  },
};
