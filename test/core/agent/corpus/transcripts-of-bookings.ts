import type { Transcript } from "../transcripts.ts";
import { t } from "./transcript-turn.ts";

export const bookSpanish: readonly Transcript[] = [
  {
    name: "books step by step",
    language: "es",
    turns: [
      t("hola quiero una cita", [], ["servicio", "Limpieza dental"]),
      t("limpieza dental", [], ["qué día"]),
      t(
        "el jueves",
        ['find_slots {"service_id":11,"from_day":"2026-11-26"}'],
        ["jueves 26 de noviembre", "1.", "3."],
        ["4."],
      ),
      t("la 1", [], ["a nombre de quién"]),
      t("Ana López", ['update_contact {"name":"Ana López"}'], ["sí o no", "Limpieza dental"]),
      t("sí", ['book_appointment {"service_id":11,"day":"2026-11-26"}'], ["Listo, Ana"]),
    ],
  },
  {
    name: "books in one sentence",
    language: "es",
    scene: "known",
    turns: [
      t(
        "quiero una limpieza dental el jueves a las 5 de la tarde",
        ['find_slots {"time":"17:00"}'],
        ["jueves 26 de noviembre, 17:00", "sí o no"],
      ),
      t("si porfa", ['book_appointment {"time":"17:00","day":"2026-11-26"}'], ["Listo, Ana"]),
    ],
  },
  {
    name: "asks for the agenda where two give the service",
    language: "es",
    scene: "known",
    turns: [
      t("necesito cita para consulta general", [], ["Dra. Soto", "Dr. Ramírez"]),
      t("con el doctor ramirez", [], ["qué día"]),
      t(
        "mañana por la mañana",
        ['find_slots {"resource_id":2,"part":"morning"}'],
        ["miércoles 25 de noviembre", "Dr. Ramírez"],
      ),
      t("la última", [], ["sí o no"]),
      t("va", ['book_appointment {"resource_id":2}'], ["Listo"]),
    ],
  },
  {
    name: "any agenda will do",
    language: "es",
    scene: "known",
    turns: [
      t("cita para consulta general", [], ["cualquiera"]),
      t("me da igual", [], ["qué día"]),
      t(
        "el viernes a las 10",
        ['find_slots {"service_id":13,"time":"10:00"}'],
        ["viernes 27 de noviembre, 10:00"],
      ),
      t("sí", ["book_appointment"], ["Listo"]),
    ],
  },
  {
    name: "corrects the day",
    language: "es",
    scene: "known",
    turns: [
      t(
        "quiero cita de limpieza el miercoles a las 4",
        ["find_slots"],
        ["miércoles 25 de noviembre, 16:00"],
      ),
      t(
        "no, mejor el jueves",
        ['find_slots {"from_day":"2026-11-26","time":"16:00"}'],
        ["jueves 26 de noviembre, 16:00"],
      ),
      t("si", ['book_appointment {"day":"2026-11-26","time":"16:00"}'], ["Listo"]),
    ],
  },
  {
    name: "corrects the hour",
    language: "es",
    scene: "known",
    turns: [
      t("agendame una limpieza mañana a las 11", ["find_slots"], ["11:00"]),
      t("mejor a las 12", ['find_slots {"time":"12:00"}'], ["12:00"]),
      t("ok", ['book_appointment {"time":"12:00"}'], ["Listo"]),
    ],
  },
  {
    name: "a question in the middle",
    language: "es",
    scene: "known",
    turns: [
      t("quiero cita para limpieza", [], ["qué día"]),
      t("aceptan tarjeta?", [], ["efectivo, tarjeta", "qué día"]),
      t("el viernes en la tarde", ['find_slots {"part":"afternoon"}'], ["viernes 27"]),
      t("a las 4", ['find_slots {"time":"16:00"}'], ["16:00", "sí o no"]),
      t("sí, cuánto cuesta la limpieza?", ["book_appointment"], ["800 pesos", "Listo"]),
    ],
  },
  {
    name: "two wishes in one burst",
    language: "es",
    scene: "known",
    turns: [
      t(
        "hola, cuánto cuesta la limpieza? y quiero cita el jueves a las 10",
        ['find_slots {"time":"10:00"}'],
        ["800 pesos", "jueves 26 de noviembre, 10:00"],
      ),
      t("perfecto", ["book_appointment"], ["Listo"]),
    ],
  },
  {
    name: "two wishes dictated",
    language: "es",
    scene: "known",
    turns: [
      t(
        "hola quiero una limpieza el jueves a las diez y aceptan tarjeta",
        ["find_slots"],
        ["efectivo, tarjeta", "jueves 26 de noviembre, 10:00"],
      ),
    ],
  },
  {
    name: "an hour that may be morning or evening",
    language: "es",
    scene: "known",
    turns: [
      t("quiero limpieza el jueves a las 8", [], ["08:00", "20:00"]),
      t("de la mañana", ['find_slots {"time":"08:00"}'], ["no tengo espacio", "09:00"]),
      t("a las 9", [], ["09:00", "sí o no"]),
      t("si", ['book_appointment {"time":"09:00"}'], ["Listo"]),
    ],
  },
  {
    name: "the slot was taken",
    language: "es",
    scene: "taken",
    turns: [
      t("limpieza el jueves a las 10", ["find_slots"], ["10:00"]),
      t("si", ["book_appointment"], ["ya no está libre", "1."], ["Listo"]),
      t("la primera", [], ["sí o no"]),
      t("sí", ["book_appointment"], ["Listo"]),
    ],
  },
  {
    name: "no room at all",
    language: "es",
    scene: "full",
    turns: [t("quiero limpieza el jueves", ["find_slots", "find_slots"], ["otro día"], ["1."])],
  },
  {
    name: "forgets the booking",
    language: "es",
    turns: [
      t("quiero una cita", [], ["servicio"]),
      t("olvídalo", [], ["lo dejamos así"]),
      t("gracias", [], ["con gusto"]),
    ],
  },
  {
    name: "stops a booking with cancela",
    language: "es",
    turns: [
      t("quiero cita de limpieza", [], ["qué día"]),
      t("cancela", [], ["lo dejamos así"], ["cancelo tu cita"]),
    ],
  },
  {
    name: "two misses hand over",
    language: "es",
    turns: [
      t("quiero una cita", [], ["servicio"]),
      t("asdf qwer", [], ["no te entendí", "servicio"]),
      t("zxcv poiu", ["hand_off"], ["persona"]),
    ],
  },
  {
    name: "excludes a day",
    language: "es",
    scene: "known",
    turns: [
      t(
        "cita para limpieza, mañana no puedo, el jueves sí",
        ['find_slots {"from_day":"2026-11-26"}'],
        ["jueves 26"],
        ["miércoles 25"],
      ),
    ],
  },
  {
    name: "a range of hours",
    language: "es",
    scene: "known",
    turns: [
      t(
        "una limpieza el viernes entre las 10 y las 12",
        ["find_slots"],
        ["10:00", "11:00"],
        ["09:00", "16:00"],
      ),
    ],
  },
  {
    name: "next week",
    language: "es",
    scene: "known",
    turns: [
      t(
        "quiero ortodoncia la semana que viene",
        ['find_slots {"from_day":"2026-11-30","to_day":"2026-12-06"}'],
        ["noviembre", "Dr. Ramírez"],
      ),
      t("el martes", ['find_slots {"from_day":"2026-12-01"}'], ["martes 1 de diciembre"]),
    ],
  },
  {
    name: "a past day",
    language: "es",
    scene: "known",
    turns: [t("limpieza el lunes pasado", [], ["ya pasó"])],
  },
  {
    name: "no such day",
    language: "es",
    scene: "known",
    turns: [t("limpieza el 31 de febrero", [], ["no existe"])],
  },
  {
    name: "an account without services",
    language: "es",
    scene: "plain",
    turns: [
      t(
        "buenas, tienen cita para mañana a las 10?",
        ['find_slots {"from_day":"2026-11-25"}'],
        ["a nombre de quién"],
      ),
      t(
        "soy Luis Pérez",
        ['update_contact {"name":"Luis Pérez"}'],
        ["miércoles 25 de noviembre, 10:00"],
      ),
      t("confirmo", ["book_appointment"], ["Listo, Luis"]),
    ],
  },
  {
    name: "refuses the confirmation",
    language: "es",
    scene: "known",
    turns: [
      t("limpieza mañana a las 9", ["find_slots"], ["09:00"]),
      t("no", [], ["otro día"]),
      t("el viernes a las 6 de la tarde", ['find_slots {"time":"18:00"}'], ["18:00"]),
      t("si", ["book_appointment"], ["Listo"]),
    ],
  },
  {
    name: "repeats the question",
    language: "es",
    turns: [
      t("quiero cita", [], ["servicio"]),
      t("cómo? no entendí", [], ["servicio", "Ortodoncia"]),
    ],
  },
];
