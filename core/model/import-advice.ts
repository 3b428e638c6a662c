import type { ImportReason, RowPlan, RowState } from "./import.ts";
import type { Locale } from "./user.ts";

/** Codes in the file of errors: the reason of a row, else its outcome, else its plan. */
export type RowFault = ImportReason | RowPlan | Exclude<RowState, "pending">;

/** Text for the person who corrects a file: why a row is in the file of errors, and what to do. */
export function adviceOn(fault: RowFault, locale: Locale): string {
  return texts[locale][fault];
}

const texts: Record<Locale, Record<RowFault, string>> = {
  en: {
    no_identifier: "The row has no phone and no email. Add one of them.",
    phone_scientific:
      "A spreadsheet has rounded the phone. Format the column as text, and write the whole number again.",
    cell_error: "A cell holds an error, such as #N/A. Correct the cell, or empty it.",
    invalid_phone:
      "This is no phone. Write 8 to 15 digits with the country code, such as +52 55 1234 5678.",
    invalid_email: "This is no email address. Correct it, or empty the cell.",
    name_too_long: "The name is longer than 200 characters. Shorten it.",
    invalid_tag: "A tag is longer than 50 characters. Shorten it, or put semicolons between tags.",
    too_many_tags: "A contact has 100 tags at most. Remove some of them.",
    note_too_long: "The note is longer than 4,096 characters. Shorten it.",
    unknown_stage: "The pipeline has no such stage. Correct the name, or add the stage.",
    contact_conflict:
      "Phone and email belong to two contacts. Merge these, or take one of the two out of the row.",
    system_line: "This is a notice of WhatsApp and no message. Nothing is to be done.",
    empty_message: "The message is empty. Nothing is to be done.",
    too_old: "The message is older than messages are kept. Nothing is to be done.",
    media_missing: "The export lacks this file. Export the chat again with its media.",
    person_erased: "The person was deleted permanently. Nothing is to be done.",
    row_failed:
      "The row could not be written. Import it again. If it fails again, ask for support.",
    changed_since: "Somebody has changed the contact since. Change it by hand.",
    has_conversation: "The contact has a conversation by now, and stays. Delete it by hand.",
    has_appointment: "The contact has an appointment by now, and stays. Delete it by hand.",
    has_identity: "The contact is known on a channel by now, and stays. Delete it by hand.",
    has_note: "The contact has a note by now, and stays. Delete it by hand.",
    has_tag: "The contact has another tag by now, and stays. Delete it by hand.",
    has_stage: "The contact stands in a pipeline by now, and stays. Delete it by hand.",
    merged: "The contact was merged into another one. Change that one by hand.",
    phone_taken: "Another contact has the former phone by now. Change one of them by hand.",
    email_taken: "Another contact has the former email by now. Change one of them by hand.",
    stage_gone: "The former stage was deleted. Move the contact by hand.",
    gone: "The contact was deleted before. Nothing is to be done.",
    create: "The row was planned as new, and was not imported yet.",
    update: "The row was planned as a change, and was not imported yet.",
    skip: "The row is left out. Correct it, and import it again.",
    created: "The row was not planned as new, but is new by now. Check it.",
    updated: "The row was not planned as a change, but has changed a contact. Check it.",
    unchanged: "All of the row was there already. Nothing is to be done.",
    skipped: "The row was left out. Correct it, and import it again.",
    conflict: "The row fits two contacts. Merge these, and import the row again.",
    failed: "The row could not be written. Import it again.",
    undone: "The row was taken back. Nothing is to be done.",
    kept: "The row could not be taken back. Change the contact by hand.",
  },
  es: {
    no_identifier: "La fila no tiene teléfono ni correo. Agrega uno de los dos.",
    phone_scientific:
      "Una hoja de cálculo redondeó el teléfono. Da formato de texto a la columna y escribe el número completo.",
    cell_error: "Una celda tiene un error, como #N/A. Corrige la celda o vacíala.",
    invalid_phone:
      "No es un teléfono. Escribe de 8 a 15 dígitos con el código del país, como +52 55 1234 5678.",
    invalid_email: "No es una dirección de correo. Corrígela o vacía la celda.",
    name_too_long: "El nombre pasa de 200 caracteres. Acórtalo.",
    invalid_tag:
      "Una etiqueta pasa de 50 caracteres. Acórtala o separa las etiquetas con punto y coma.",
    too_many_tags: "Un contacto tiene 100 etiquetas como máximo. Quita algunas.",
    note_too_long: "La nota pasa de 4,096 caracteres. Acórtala.",
    unknown_stage: "El embudo no tiene esa etapa. Corrige el nombre o agrega la etapa.",
    contact_conflict:
      "El teléfono y el correo son de dos contactos. Únelos o quita uno de los dos datos de la fila.",
    system_line: "Es un aviso de WhatsApp y no un mensaje. No hay nada que hacer.",
    empty_message: "El mensaje está vacío. No hay nada que hacer.",
    too_old: "El mensaje es más antiguo de lo que se guardan. No hay nada que hacer.",
    media_missing:
      "Falta este archivo en la exportación. Exporta el chat otra vez con sus archivos.",
    person_erased: "La persona se eliminó definitivamente. No hay nada que hacer.",
    row_failed: "No se pudo guardar la fila. Impórtala otra vez. Si vuelve a fallar, pide ayuda.",
    changed_since: "Alguien cambió el contacto desde entonces. Cámbialo a mano.",
    has_conversation: "El contacto ya tiene una conversación y se queda. Elimínalo a mano.",
    has_appointment: "El contacto ya tiene una cita y se queda. Elimínalo a mano.",
    has_identity: "El contacto ya se conoce en un canal y se queda. Elimínalo a mano.",
    has_note: "El contacto ya tiene una nota y se queda. Elimínalo a mano.",
    has_tag: "El contacto ya tiene otra etiqueta y se queda. Elimínalo a mano.",
    has_stage: "El contacto ya está en un embudo y se queda. Elimínalo a mano.",
    merged: "El contacto se unió a otro. Cambia ese otro a mano.",
    phone_taken: "Otro contacto ya tiene el teléfono anterior. Cambia uno de los dos a mano.",
    email_taken: "Otro contacto ya tiene el correo anterior. Cambia uno de los dos a mano.",
    stage_gone: "La etapa anterior se eliminó. Mueve el contacto a mano.",
    gone: "El contacto ya se había eliminado. No hay nada que hacer.",
    create: "La fila está prevista como nueva y aún no se importó.",
    update: "La fila está prevista como cambio y aún no se importó.",
    skip: "La fila queda fuera. Corrígela e impórtala otra vez.",
    created: "La fila no estaba prevista como nueva, pero ya lo es. Revísala.",
    updated: "La fila no estaba prevista como cambio, pero cambió un contacto. Revísala.",
    unchanged: "Todo lo de la fila ya estaba. No hay nada que hacer.",
    skipped: "La fila quedó fuera. Corrígela e impórtala otra vez.",
    conflict: "La fila corresponde a dos contactos. Únelos e importa la fila otra vez.",
    failed: "No se pudo guardar la fila. Impórtala otra vez.",
    undone: "La fila se deshizo. No hay nada que hacer.",
    kept: "La fila no se pudo deshacer. Cambia el contacto a mano.",
  },
};
