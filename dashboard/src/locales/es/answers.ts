/** Lists above the composer: canned answers and members. */
export const answers = {
  answers: {
    title: "Respuestas guardadas",
    members: "Menciona a una persona del equipo",
    keys: "Enter inserta, Tab muestra el texto",
    member_keys: "Enter inserta",
    none: "Aún no hay respuestas guardadas.",
    create_first: "Crea la primera en Configuración",
    looking_one: "{{name}} ve esta conversación",
    looking_other: "{{name}} ven esta conversación",
    typing_one: "{{name}} escribe…",
    typing_other: "{{name}} escriben…",
    somebody: "Alguien del equipo",
    macros: "Ejecutar una macro",
    macro_done: "Se ejecutó «{{name}}»",
    macro_failed: "«{{name}}» no se ejecutó",
    macro_step_failed: "El paso {{step}} de «{{name}}» no se puede ejecutar",
    former_member: "alguien que ya no está",
  },
  emoji: {
    title: "Emoji",
    search: "Buscar emoji",
    none: "No se encontró ningún emoji",
    skin_tone: "Tono de piel",
  },
};
