import type { DetectedColumn, ImportField } from "../model/import.ts";

/**
 * Titles of columns in English, Spanish and Portuguese, without accents, in lower case and with
 * spaces between words. A field takes the first title of its list that the table has.
 */
const lists: Readonly<Record<ImportField, readonly string[]>> = {
  name: [
    "name, full name, contact name, customer name, client name, display name",
    "nombre, nombre completo, nombre y apellido, nombre y apellidos, nombres",
    "nombre del cliente, nombre cliente, nombre del contacto, nombre contacto",
    "nome, nome completo, nome do cliente, nome cliente, nome do contato",
    "customer, client, contact, cliente, contacto, contato",
    "first name, given name, primer nombre, primeiro nome",
  ],
  phone: [
    "phone, phone number, telephone, tel, mobile, mobile phone, mobile number",
    "cell, cell phone, cellphone, whatsapp, whatsapp number, phone 1 value",
    "telefono, telefonos, numero de telefono, numero telefonico, telefono movil",
    "celular, numero de celular, movil, telefono celular, telefono 1, tel celular",
    "telefone, numero de telefone, telemovel, fone, numero do whatsapp",
    "numero de whatsapp, no do whatsapp, no de whatsapp, no de telefono",
    "no de celular, numero, number, primary phone, home phone",
  ],
  email: [
    "email, e mail, email address, e mail address, mail, e mail 1 value",
    "correo, correo electronico, direccion de correo, direccion de email",
    "endereco de email, endereco de e mail, correio eletronico, email 1",
  ],
  tags: [
    "tags, tag, labels, label, groups, group, group membership, categories",
    "etiquetas, etiqueta, grupos, grupo, categorias, categoria, category",
    "marcadores, segmento, segment",
  ],
  stage: [
    "stage, pipeline stage, deal stage, lead status, status",
    "etapa, fase, etapa del embudo, estado, estatus, etapa do funil, estagio",
  ],
  note: [
    "note, notes, comment, comments, remarks, description",
    "nota, notas, comentario, comentarios, observaciones, observacion",
    "descripcion, observacoes, observacao, descricao",
  ],
};

const titles = Object.entries(lists).map(([field, lines]) => ({
  field: field as ImportField,
  names: lines.flatMap((line) => line.split(", ")),
}));

const marks = /\p{M}/gu;

/** A title as the lists have it. */
export function plainTitle(title: string): string {
  return title
    .normalize("NFKD")
    .replace(marks, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Proposes a field for each title. A field is proposed once. */
export function proposeFields(header: readonly string[]): DetectedColumn[] {
  const plain = header.map(plainTitle);
  const fields = new Map<number, ImportField>();
  for (const { field, names } of titles) {
    const index = names.map((name) => plain.indexOf(name)).find((found) => found !== -1);
    if (index !== undefined) fields.set(index, field);
  }
  return header.map((title, index) => ({
    index,
    title: title.trim(),
    field: fields.get(index) ?? null,
  }));
}

/** @returns true if a cell is a known title of a column */
export function isKnownTitle(cell: string): boolean {
  const plain = plainTitle(cell);
  return titles.some(({ names }) => names.includes(plain));
}
