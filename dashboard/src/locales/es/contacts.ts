export const contacts = {
  contacts: {
    title: "Contactos",
    text: "Todas las personas que tu cuenta conoce, las más nuevas primero.",
    tag: "Etiqueta",
    add: "Contacto nuevo",
    add_text: "Con teléfono, correo o ambos. Si un contacto ya los tiene, se actualiza ese.",
    empty: "Aún no hay nadie",
    empty_text:
      "Los contactos aparecen solos cuando los clientes escriben. También puedes agregar uno.",
    no_match: "Ningún contacto coincide",
    no_match_text: "Busca parte de un nombre, un correo o un teléfono, u otra etiqueta.",
    known_as: "En los canales es",
    conversations: "Conversaciones",
    no_conversations: "Aún no hay conversaciones.",
    stages: "Embudos",
    no_stages: "No está en ningún embudo.",
    appointments: "Citas",
    no_appointments: "Aún no hay citas.",
    merge: "Unir",
    merge_title: "Unir a {{name}} con otro contacto",
    merge_text:
      "El otro contacto recibe las conversaciones, citas, etiquetas y canales de este, y los datos que le falten. Después este ya no existe; no se puede deshacer.",
    merge_into: "El contacto que queda",
    merged: "Se unieron; este es el contacto que queda.",
    not_merged: "Los dos contactos siguen como antes",
    erase: "Borrar",
    erase_title: "¿Borrar a {{name}}?",
    erase_text: "La persona se borra para siempre. Nadie puede recuperarla:",
    erase_kept:
      "Se van sus conversaciones, mensajes, notas, citas, etiquetas y etapas; en el registro de entregas solo quedan los conteos.",
    erase_deliveries: "Se cancelan las entregas de webhooks sobre la persona que sigan abiertas.",
    erase_receivers:
      "Lo que ya recibieron tus propios sistemas se queda allí; bórralo también allí.",
    erase_submit: "Borrar para siempre",
    erased: "El contacto se borró.",
    not_erased: "El contacto sigue como antes",
  },
};
