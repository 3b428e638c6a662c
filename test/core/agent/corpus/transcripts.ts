import type { Transcript } from "../transcripts.ts";
import { t } from "./transcript-turn.ts";
import { bookSpanish } from "./transcripts-of-bookings.ts";

const changeSpanish: readonly Transcript[] = [
  {
    name: "cancels after one question",
    language: "es",
    scene: "booked",
    turns: [
      t("quiero cancelar mi cita", [], ["¿Cancelo tu cita", "jueves 26 de noviembre, 10:00"]),
      t("sí", ['cancel_appointment {"appointment_id":501}'], ["Listo"]),
    ],
  },
  {
    name: "keeps the appointment",
    language: "es",
    scene: "booked",
    turns: [t("cancela mi cita", [], ["¿Cancelo"]), t("no, déjala", [], ["ningún cambio"])],
  },
  {
    name: "moves instead of cancelling",
    language: "es",
    scene: "booked",
    turns: [
      t("ya no puedo ir el jueves", [], ["¿Cancelo"]),
      t(
        "mejor muévela al viernes a las 11",
        ['find_slots {"appointment_id":501,"from_day":"2026-11-27"}'],
        ["¿Cambio", "viernes 27 de noviembre, 11:00"],
      ),
      t(
        "sí",
        ['reschedule_appointment {"appointment_id":501,"day":"2026-11-27","time":"11:00"}'],
        ["Listo, Ana"],
      ),
    ],
  },
  {
    name: "moves from one day to another",
    language: "es",
    scene: "booked",
    turns: [
      t(
        "quiero mover mi cita del jueves al viernes a las 5",
        ['find_slots {"from_day":"2026-11-27","to_day":"2026-11-27","time":"17:00"}'],
        ["viernes 27 de noviembre, 17:00"],
      ),
      t("si", ["reschedule_appointment"], ["Listo"]),
    ],
  },
  {
    name: "moves the hour alone",
    language: "es",
    scene: "booked",
    turns: [
      t(
        "puedo cambiar mi cita a las 12?",
        ['find_slots {"from_day":"2026-11-26","time":"12:00"}'],
        ["jueves 26 de noviembre, 12:00"],
      ),
      t("sí por favor", ['reschedule_appointment {"time":"12:00"}'], ["Listo"]),
    ],
  },
  {
    name: "asks for the new day",
    language: "es",
    scene: "booked",
    turns: [
      t("necesito reagendar", [], ["para qué día", "jueves 26"]),
      t("el lunes por la mañana", ['find_slots {"part":"morning"}'], ["lunes 30 de noviembre"]),
      t("la 2", [], ["¿Cambio"]),
      t("claro", ["reschedule_appointment"], ["Listo"]),
    ],
  },
  {
    name: "chooses among two by number",
    language: "es",
    scene: "booked twice",
    turns: [
      t("cancelar cita", [], ["cuál de tus citas", "1.", "2."]),
      t("la 2", [], ["¿Cancelo", "Ortodoncia"]),
      t("si", ['cancel_appointment {"appointment_id":502}'], ["Listo"]),
    ],
  },
  {
    name: "chooses among two by day",
    language: "es",
    scene: "booked twice",
    turns: [
      t("cancela mi cita del jueves", [], ["¿Cancelo", "Limpieza dental"]),
      t("sí", ['cancel_appointment {"appointment_id":501}'], ["Listo"]),
    ],
  },
  {
    name: "chooses among two by service",
    language: "es",
    scene: "booked twice",
    turns: [
      t("quiero mover mi cita de ortodoncia", [], ["para qué día", "Ortodoncia"]),
      t(
        "el miercoles 2 a las 4",
        ['find_slots {"appointment_id":502}'],
        ["miércoles 2 de diciembre, 16:00"],
      ),
      t("va", ['reschedule_appointment {"appointment_id":502}'], ["Listo"]),
    ],
  },
  {
    name: "nothing to cancel",
    language: "es",
    turns: [t("quiero cancelar mi cita", [], ["no encuentro citas"])],
  },
  {
    name: "tells the appointments",
    language: "es",
    scene: "booked twice",
    turns: [t("qué citas tengo?", [], ["jueves 26", "martes 1 de diciembre"])],
  },
  {
    name: "tells one appointment",
    language: "es",
    scene: "booked",
    turns: [t("cuándo es mi cita?", [], ["jueves 26 de noviembre, 10:00"])],
  },
];

const answersSpanish: readonly Transcript[] = [
  { name: "greets", language: "es", turns: [t("hola buenas tardes", [], ["ayudar"])] },
  {
    name: "opening hours",
    language: "es",
    turns: [t("a qué hora abren?", [], ["09:00–19:00", "lunes a viernes"])],
  },
  {
    name: "open on a day",
    language: "es",
    turns: [t("abren el domingo?", [], ["domingo 29", "no abrimos"])],
  },
  {
    name: "services",
    language: "es",
    turns: [t("qué servicios tienen?", [], ["Limpieza dental", "Ortodoncia"])],
  },
  {
    name: "professionals",
    language: "es",
    turns: [t("quién atiende?", [], ["Dra. Soto", "Dr. Ramírez"])],
  },
  { name: "address", language: "es", turns: [t("dónde están ubicados?", [], ["Av. Juárez 120"])] },
  {
    name: "a stored answer",
    language: "es",
    turns: [t("cuánto cuesta la limpieza?", [], ["800 pesos"])],
  },
  {
    name: "no price is invented",
    language: "es",
    turns: [t("cuánto cuesta una endodoncia?", [], [], ["800", "500"])],
  },
  {
    name: "unknown, then a person",
    language: "es",
    turns: [
      t("venden helados de pistache", [], ["no tengo ese dato", "persona"]),
      t("sí", ["hand_off"], ["persona"]),
    ],
  },
  {
    name: "unknown twice",
    language: "es",
    turns: [
      t("venden helados de pistache", [], ["no tengo ese dato"]),
      t("y donas glaseadas", ["hand_off"], ["persona"]),
    ],
  },
  {
    name: "asks for a person",
    language: "es",
    turns: [t("quiero hablar con una persona", ["hand_off"], ["persona"])],
  },
  {
    name: "asks for a person in a flow",
    language: "es",
    turns: [
      t("quiero una cita", [], ["servicio"]),
      t("mejor pásame con un asesor", ["hand_off"], ["persona"]),
    ],
  },
  {
    name: "stores the email",
    language: "es",
    scene: "known",
    turns: [
      t("mi correo es ana@ejemplo.mx", ['update_contact {"email":"ana@ejemplo.mx"}'], ["Listo"]),
    ],
  },
  {
    name: "asks for the email",
    language: "es",
    scene: "known",
    turns: [
      t("quiero actualizar mi correo", [], ["cuál es tu correo"]),
      t("ana@ejemplo.mx", ["update_contact"], ["Listo"]),
    ],
  },
  { name: "audio asks for text", language: "es", turns: [t("[audio]", [], ["leer texto"])] },
];

const english: readonly Transcript[] = [
  {
    name: "books in English",
    language: "en",
    turns: [
      t("hi, I'd like to book an appointment", [], ["which service"]),
      t("limpieza dental", [], ["which day"]),
      t("Thursday at 5pm please", ['find_slots {"time":"17:00"}'], ["what name"]),
      t(
        "John Smith",
        ['update_contact {"name":"John Smith"}'],
        ["Thursday, November 26, 5:00 PM", "yes or no"],
      ),
      t("yes", ['book_appointment {"time":"17:00"}'], ["All set, John"]),
    ],
  },
  {
    name: "moves in English",
    language: "en",
    scene: "booked",
    turns: [
      t("I need to reschedule my appointment", [], ["which day"]),
      t("Friday morning", ['find_slots {"part":"morning"}'], ["Friday, November 27"]),
      t("the first one", [], ["Shall I move"]),
      t("yes please", ["reschedule_appointment"], ["All set"]),
    ],
  },
  {
    name: "cancels in English",
    language: "en",
    scene: "booked",
    turns: [
      t("please cancel my appointment", [], ["Shall I cancel", "Thursday, November 26"]),
      t("yes", ["cancel_appointment"], ["Done"]),
    ],
  },
  {
    name: "hours in English",
    language: "en",
    turns: [t("what are your opening hours?", [], ["09:00–19:00", "Monday to Friday"])],
  },
  {
    name: "a person in English",
    language: "en",
    turns: [t("can I talk to a human?", ["hand_off"], ["person"])],
  },
  {
    name: "address in English",
    language: "en",
    turns: [t("where are you located?", [], ["Av. Juárez 120"])],
  },
  {
    name: "unknown in English",
    language: "en",
    turns: [t("do you sell pistachio ice cream?", [], ["do not have that information"])],
  },
  {
    name: "corrects in English",
    language: "en",
    scene: "known",
    turns: [
      t(
        "can I book ortodoncia tomorrow at 3",
        ['find_slots {"time":"15:00"}'],
        ["Wednesday, November 25, 3:00 PM"],
      ),
      t(
        "actually make it Thursday",
        ['find_slots {"from_day":"2026-11-26"}'],
        ["Thursday, November 26, 3:00 PM"],
      ),
      t("yes", ["book_appointment"], ["All set"]),
    ],
  },
  {
    name: "forgets in English",
    language: "en",
    turns: [
      t("I want an appointment", [], ["which service"]),
      t("never mind", [], ["leave it there"]),
    ],
  },
  {
    name: "my appointments in English",
    language: "en",
    scene: "booked",
    turns: [t("when is my appointment?", [], ["Thursday, November 26, 10:00 AM"])],
  },
];

const mixedSpanish: readonly Transcript[] = [
  {
    name: "moves in one breath",
    language: "es",
    scene: "booked",
    turns: [
      t(
        "oye no voy a poder el jueves, me la cambias para el viernes?",
        ['find_slots {"from_day":"2026-11-27"}'],
        ["viernes 27"],
      ),
      t("a las 4", ['find_slots {"time":"16:00"}'], ["16:00", "sí o no"]),
      t("si", ['reschedule_appointment {"time":"16:00"}'], ["Listo"]),
    ],
  },
  {
    name: "books after cancelling",
    language: "es",
    scene: "booked",
    turns: [
      t("cancela mi cita", [], ["¿Cancelo"]),
      t("si", ["cancel_appointment"], ["Listo"]),
      t("el viernes", [], ["servicio"]),
    ],
  },
  {
    name: "wants other times",
    language: "es",
    scene: "known",
    turns: [
      t("limpieza mañana", ["find_slots"], ["09:00"]),
      t("tienes otros horarios?", [], ["otro día u hora"]),
    ],
  },
  {
    name: "a time instead of an agenda takes any agenda",
    language: "es",
    scene: "known",
    turns: [
      t("cita para consulta general el viernes", [], ["Dra. Soto", "Dr. Ramírez"]),
      t(
        "a las 10 si se puede",
        ['find_slots {"service_id":13,"time":"10:00","from_day":"2026-11-27"}'],
        ["viernes 27 de noviembre, 10:00"],
      ),
      t("sí", ["book_appointment"], ["Listo"]),
    ],
  },
  {
    name: "a part of the day instead of an agenda takes any agenda",
    language: "es",
    scene: "known",
    turns: [
      t("ocupo una consulta general para el lunes", [], ["Dra. Soto", "Dr. Ramírez"]),
      t(
        "pues en la mañana tempranito",
        ['find_slots {"service_id":13,"part":"morning","from_day":"2026-11-30"}'],
        ["lunes 30 de noviembre"],
      ),
      t("la primera", [], ["sí o no"]),
      t("así está bien", ["book_appointment"], ["Listo"]),
    ],
  },
];

/** Every third is held out: nobody looks at its result while the agent is tuned. */
export const transcripts: readonly Transcript[] = [
  ...bookSpanish,
  ...changeSpanish,
  ...answersSpanish,
  ...english,
  ...mixedSpanish,
].map((transcript, index) => (index % 3 === 1 ? { ...transcript, heldOut: true } : transcript));
