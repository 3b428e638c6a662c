import { DateTime } from "luxon";
import type { AgentContext } from "../context.ts";
import type { ToolName } from "../tools.ts";
import { bookedInEnglish, bookedStems, movedInEnglish, movedStems } from "./deed-words.ts";
import { deedPatterns, type ClaimKind, type ClaimPattern } from "./deeds.ts";
import {
  foldText,
  isConditional,
  isOffer,
  isOpenQuestion,
  listStatements,
  type Statement,
} from "./statements.ts";
import { fitsAppointments, listTimesOfClaim, type LocalSpan } from "./stated-times.ts";
import { wordsOfEffectStart } from "../words.ts";

/** Tools of which one must have succeeded. */
const proofs: Record<ClaimKind, readonly ToolName[]> = {
  state: ["book_appointment", "reschedule_appointment", "list_appointments"],
  // "Quedó agendada para el viernes" is said of a move too.
  book: ["book_appointment", "reschedule_appointment"],
  move: ["reschedule_appointment"],
  cancel: ["cancel_appointment"],
  note: ["add_note", "update_contact", "book_appointment", "hand_off"],
  transfer: ["hand_off"],
  call_back: ["hand_off"],
  deed: [
    "book_appointment",
    "reschedule_appointment",
    "cancel_appointment",
    "update_contact",
    "move_stage",
    "add_note",
    "hand_off",
  ],
};

const booked = `(?:${bookedStems}|registrad)[oa]s?`;
const moved = `(?:${movedStems}|recorrid)[oa]s?`;
const cancelled = String.raw`(?:cancelad|anulad)[oa]s?`;
const noted = String.raw`(?:anotad|apuntad|guardad|actualizad)[oa]s?`;
const have = String.raw`(?:he|hemos|ha|han) (?:vuelto a )?(?:dejado )?`;
const is = String.raw`(?:ya )?(?:esta|estas|queda|quedas|quedo|quedaste|fue|ha sido|ha quedado|han quedado|ya) (?:ya |todo |debidamente )?`;
const your = String.raw`(?:tu|su|la|mi) (?:cita|reserva|reservacion|consulta|visita|turno|espacio|lugar|hora)\b`;
const just = String.raw`\b(?:(?:acabo|acabamos) de|(?:he|hemos) procedido a|procedi a|procedimos a|(?:he|hemos) logrado|logre|logramos|pude|pudimos) (?:\w+ )?`;
const made = String.raw`\b(?:hice|hicimos|realice|realizamos|complete|completamos|(?:he|hemos) (?:hecho|realizado|completado)) (?:ya )?(?:el|la|tu|su) `;
const start = String.raw`^(?:(?:listo|hecho|perfecto|ok|todo|ya|muy bien|claro|cita|done|great|all|appointment) )*`;
const iDid = String.raw`\b(?:i|we)(?: have| just| already|'ve)*(?: now| just| already| successfully| gone ahead and)* `;
const appointment = String.raw`(?:your|the|that|this) (?:\w+ )?(?:appointment|booking|reservation|visit|slot|spot|time)`;
const was = String.raw`(?:(?:is|are|was|were|has been|have been)|'s)(?: now| all| already| successfully)* `;
const you = String.raw`you(?: are|'re| have been)(?: now| all| already)* `;
const will = String.raw`(?:i|we|someone|somebody|a (?:colleague|person|member|teammate|human|agent)(?: of (?:the|our) team)?|(?:the|our|my) (?:team|colleague|staff)|they)(?: will|'ll| is going to| are going to| shall)(?: also| then| be)* `;
const person = String.raw`(?:una persona|un(?:a)? (?:companer[oa]|asesor[a]?|colega|agente|humano)|alguien|el equipo|mi equipo|nuestro equipo|recepcion)`;

/** Patterns over folded text, and over text with its accents, which tell a deed from a wish. */
const patterns: readonly ClaimPattern[] = [
  ...deedPatterns,
  {
    kind: "state",
    folded: String.raw`\b(?:tu|su) (?:nueva )?cita es (?:el|manana|hoy)\b|${your}(?: \w+){0,3}? (?:esta|sigue) (?:ya )?${booked}|tienes (?:ya )?(?:una|tu) (?:cita|reserva)|you (?:already )?have an appointment|${appointment} (?:is|'s)(?: still| already)? (?:confirmed|booked|scheduled|set|on)\b`,
  },
  {
    kind: "book",
    folded: String.raw`${have}${booked}|${your}(?: \w+){0,3}? (?:queda|quedo|fue|ha sido|ha quedado) (?:ya )?${booked}|\b${is}${booked}|${start}${booked}(?: (?:para|el|la|con|a)\b|$)|^cita confirmada|te (?:la |lo )?(?:agendo|reservo|aparto)\b|\bya (?:te )?(?:la |lo )?(?:agende|reserve|aparte)\b`,
    accented: String.raw`(?:agendé|agendamos|reservé|reservamos|aparté|apartamos|programé|confirmé|registré)(?![\p{L}])`,
  },
  {
    kind: "book",
    folded: String.raw`${iDid}(?:${bookedInEnglish}|made (?:you )?(?:an|the|your) (?:appointment|booking|reservation)|got you\b|put you down)|${appointment}(?: \w+){0,4}? ?${was}(?:${bookedInEnglish}|set)\b|${you}(?:booked|confirmed|scheduled|set for|down for|in for)|${start}(?:${bookedInEnglish})(?: (?:for|on|you|with|at)\b|$)|^appointment confirmed|\b(?:it|that)(?: is|'s| has been)(?: all| now)? (?:booked|confirmed|scheduled)`,
  },
  {
    kind: "book",
    folded: String.raw`${just}(?:agendar|reservar|apartar|confirmar|programar|registrar)|\b(?:deje|dejamos) (?:\w+ ){0,2}?${booked}|${your}(?: \w+){0,4}? (?:esta|quedo|queda) (?:ya )?(?:list|hech|asegurad|garantizad)[oa]|${your}(?: \w+){0,4}? (?:ya )?quedo(?: para\b|$)|${made}(?:reserva|reservacion|cita|registro|turno)`,
    accented: String.raw`(?:se|te|la|lo) (?:agendó|reservó|apartó|confirmó|programó)(?![\p{L}])`,
  },
  {
    kind: "move",
    folded: String.raw`\bquedo (?:hecho |listo )?(?:el|tu) cambio|${just}(?:mover|cambiar|reagendar|reprogramar)|${made}(?:cambio|modificacion)|\b(?:deje|dejamos) (?:\w+ ){0,2}?${moved}`,
    accented: String.raw`(?:se|te|la|lo) (?:movió|cambió|reagendó|reprogramó)(?![\p{L}])`,
  },
  {
    kind: "cancel",
    folded: String.raw`${just}(?:cancelar|anular)|${made}(?:cancelacion|anulacion)|\b(?:deje|dejamos) (?:\w+ ){0,2}?${cancelled}`,
    accented: String.raw`(?:se|te|la|lo) (?:canceló|anuló)(?![\p{L}])`,
  },
  {
    kind: "note",
    folded: String.raw`${just}(?:anotar|guardar|actualizar|apuntar)|\b(?:guardamos|apuntamos|registramos) (?:tu|su)\b|\b(?:deje|dejamos|agregue|agregamos) (?:una )?nota|\b(?:put|left|wrote|placed|entered|logged|added) (?:\w+ ){0,3}(?:note|to your (?:file|profile|record))`,
    accented: String.raw`(?:se|te|la|lo) (?:guardó|anotó|actualizó|registró)(?![\p{L}])`,
  },
  {
    kind: "transfer",
    folded: String.raw`\b(?:te|le) (?:voy|vamos) a (?:comunicar|transferir|pasar|conectar|canalizar)|${just}(?:avisar|pasar|transferir|informar|notificar)|\b(?:pedi|pedimos|solicite) a (?:un|una|la|el|mi)\b|${person}(?: \w+){0,4}? (?:te|le) (?:atiende|responde|contacta|llama|escribe|ayuda|toma)|\b(?:en (?:un momento|breve|seguida|unos minutos)|ahora|enseguida) (?:te|le) (?:atiende|responde|contacta|llama|escribe|toma)|\b(?:the|our|my) (?:team|staff|colleague)s? ${was}(?:notified|informed|alerted)|\blet me (?:transfer|connect|pass|hand|put) you`,
  },
  {
    kind: "call_back",
    folded: String.raw`\b(?:te|le) devolver(?:e|emos|a|an) la llamada|${will}(?:have (?:someone|somebody|a \w+) |give you a|ring you|be (?:calling|contacting|writing))|\bexpect (?:a|our) (?:call|message|reply|email)|\byou(?: will|'ll) (?:hear from|get a (?:call|message|reply)|receive a (?:call|message|reply)|be (?:contacted|called))|\b(?:recibiras|tendras) (?:una|nuestra|un) (?:llamada|respuesta|mensaje|correo)`,
  },
  {
    kind: "book",
    folded: String.raw`\beverything(?: is|'s) (?:all )?(?:booked|confirmed|set)|\b(?:i|we) have you (?:down|in|scheduled)|${iDid}(?:put you (?:in|down)|secured|arranged|set (?:it|that|you) up|locked|saved (?:you|your (?:spot|slot|place)))|\byour (?:\w+ ){1,4}?${was}(?:${bookedInEnglish}|secured|set for)`,
  },
  {
    kind: "move",
    folded: String.raw`${iDid}(?:switched|swapped|made the change|put you on)|\byour (?:\w+ ){1,4}?${was}(?:moved|rescheduled|switched|changed)`,
  },
  {
    kind: "cancel",
    folded: String.raw`${iDid}(?:taken care of the cancell?ation|removed|deleted|called off|processed the cancell?ation)|\byour (?:\w+ ){1,4}?${was}(?:cancell?ed|removed|called off)`,
  },
  {
    kind: "move",
    folded: String.raw`${have}${moved}|\b${is}${moved}|${start}${moved}(?: (?:para|al|a)\b|$)|^cita movida|te (?:la )?(?:muevo|cambio|reagendo) (?:al|para|la|tu)\b`,
    accented: String.raw`(?:reagendé|reagendamos|reprogramé|moví|movimos|cambié|cambiamos) `,
  },
  {
    kind: "move",
    folded: String.raw`${iDid}(?:${movedInEnglish}|pushed|shifted)|${appointment}(?: \w+){0,4}? ?${was}(?:${movedInEnglish})|${start}(?:moved|rescheduled)(?: (?:to|for|from|your)\b|$)|^appointment moved|\b(?:it|that)(?: is|'s| has been)(?: all| now)? (?:moved|rescheduled)`,
  },
  {
    kind: "cancel",
    folded: String.raw`${have}${cancelled}|\b${is}${cancelled}|${start}${cancelled}(?: (?:tu|la)\b|$)|^cita cancelada|\bya no tienes (?:la |esa |ninguna )?cita`,
    accented: String.raw`(?:cancelé|cancelamos|anulé|anulamos)(?![\p{L}])`,
  },
  {
    kind: "cancel",
    folded: String.raw`${iDid}cancell?ed|${appointment}(?: \w+){0,4}? ?${was}cancell?ed|${start}cancell?ed(?: (?:your|the|it)\b|$)|^appointment cancell?ed|\b(?:it|that)(?: is|'s| has been)(?: all| now)? cancell?ed`,
  },
  {
    kind: "note",
    folded: String.raw`${have}(?:${noted}|tomado nota)|\b${is}(?:${noted})|${start}${noted}$|\btomo nota\b|\btome nota de (?:tu|su|eso|ello|que)\b`,
    accented: String.raw`(?:anoté|anotamos|apunté|guardé|actualicé|actualizamos|registré tu)(?![\p{L}])|tomé nota`,
  },
  {
    kind: "note",
    folded: String.raw`${iDid}(?:noted|saved|updated|recorded|written|made a note|taken note|added)|^(?:\w+ )?noted$|\bi(?: am|'m) (?:noting|making a note)|${was}(?:noted|saved|updated|recorded)\b`,
  },
  {
    kind: "transfer",
    folded: String.raw`\b(?:te|le|los?|la) (?:paso|comunico|transfiero|conecto|canalizo|derivo|estoy (?:pasando|transfiriendo|comunicando))\b|${have}(?:transferid|pasad|avisad|canalizad|derivad|informad|notificad|comunicad)[oa]|\b(?:paso|pase|envio) (?:tu|su) (?:mensaje|caso|solicitud|conversacion)|\bya avise a|${person} (?:ya )?(?:esta|fue) (?:avisad|informad|enterad)[oa]`,
    accented: String.raw`(?:te|le) (?:transferí|pasé|comuniqué|canalicé)|(?:avisé|pasé tu|notifiqué|informé) `,
  },
  {
    kind: "transfer",
    folded: String.raw`\b(?:i|we)(?: am|'m| are|'re) (?:now )?(?:transferring|connecting|handing|passing|putting|forwarding)|${iDid}(?:transferred|passed|handed|forwarded|notified|alerted|informed|told|let (?:the|my|our) (?:team|colleague)|asked (?:a|the|my) (?:colleague|team))|\b(?:transferring|connecting) you\b|${you}(?:transferred|connected)`,
  },
  {
    kind: "call_back",
    folded: String.raw`\b(?:te|le|nos) (?:llamare|llamaremos|llamara|llamaran|marcare|marcaremos|marcara|contactare|contactaremos|contactara|contactaran|escribire|escribiremos|escribira|avisare|avisaremos|avisara|respondera|responderemos|atendera|confirmaremos|confirmare|pondremos en contacto|pondre en contacto)\b|\b(?:te|le) (?:llamo|llamamos|marco|marcamos|contactamos|aviso|avisamos)\b|\b(?:me|nos|se) (?:pondre|pondremos|pondra|pondran|comunicare|comunicaremos|comunicara) (?:en contacto|con)|\b(?:te|le) (?:voy|vamos|va|van) a (?:llamar|marcar|contactar|escribir|avisar)`,
  },
  {
    kind: "call_back",
    folded: String.raw`${will}(?:call|phone|ring|contact|reach out|get back|follow up|message|email|write|text|let you know|in touch|contacting|calling|reply)`,
  },
];

const compiled = patterns.map(({ kind, folded, accented }) => ({
  kind,
  folded: folded === undefined ? null : new RegExp(folded, "u"),
  accented: accented === undefined ? null : new RegExp(accented, "u"),
}));

const negation =
  /(?:^| )(?:no|nunca|ni|tampoco|sin|not|never|nothing|none|cannot|yet to|falta|unable)(?: |$)|n't /u;
const conditionAfter =
  /^\W*(?:solo |only )?(?:si|cuando|en cuanto|una vez|hasta que|al (?:pagar|confirmar|recibir)|if|once|when|unless|until|as soon as|after you)(?: |$)/u;

/** The time belongs to somebody else. */
const ofOthers = /^ (?:por otr|hasta|todo el|all day|by (?:another|someone|somebody))/u;

/** A deed that a statement claims, with the statement behind it. */
interface Claim {
  kind: ClaimKind;
  said: string;
  next: string;
}

/** Deeds that a text claims. Questions, offers, conditions and negations claim nothing. */
export function listClaims(text: string): Claim[] {
  const statements = listStatements(text);
  return statements.flatMap((statement, index) => {
    const next = statements[index + 1]?.text ?? "";
    return kindsOf(statement).map((kind) => ({ kind, said: statement.text, next }));
  });
}

function kindsOf({ text, question }: Statement): ClaimKind[] {
  const found: ClaimKind[] = [];
  let before = "";
  for (const part of text
    .replaceAll(/[.!]$/gu, "")
    .split(/[,;:—]| y (?=ya |te )|\bbut\b|\bpero\b/u)) {
    const accented = part.trim().replaceAll(/\s+/gu, " ");
    const folded = foldText(accented);
    const kinds: ClaimKind[] = [];
    for (const { kind, folded: plain, accented: marked } of compiled) {
      const hit = plain?.exec(folded) ?? marked?.exec(accented);
      if (!hit) continue;
      const lead = folded.slice(0, hit.index);
      const end = hit.index + hit[0].length;
      const rest = folded.slice(end);
      if (negation.test(lead) || ((kind === "state" || kind === "deed") && negation.test(hit[0])))
        continue;
      if (ofOthers.test(rest)) continue;
      const isOffered = kind === "call_back" || isOffer(accented.slice(0, end));
      if (isOffered && isOpenQuestion(question)) continue;
      if (isConditional({ before, clause: folded, lead, isOffer: isOffered })) continue;
      // "We call you once …" is a promise all the same.
      if (kind !== "call_back" && conditionAfter.test(rest)) continue;
      kinds.push(kind);
    }
    // A kind of its own says more than that anything was done, and needs its own proof.
    const specific = kinds.filter((kind) => kind !== "deed");
    found.push(...(specific.length > 0 ? specific : kinds));
    before = `${before} ${folded}`;
  }
  return found;
}

/** The first deed that a text claims and nothing proves; null: none. */
export function findFalseClaim(text: string, context: AgentContext): ClaimKind | null {
  const done = new Set<string>([
    ...context.rounds
      .flatMap(({ calls }) => calls.filter(({ result }) => result.ok))
      .map((one) => one.tool),
    ...context.untold.map(({ tool }) => tool),
  ]);
  const spans = listSpans(context);
  const today = DateTime.fromJSDate(context.now, { zone: context.account.timeZone });
  const isProven = ({ kind, said, next }: Claim): boolean => {
    if (proofs[kind].some((tool) => done.has(tool))) return true;
    if (kind === "state" || kind === "book") {
      const times = listTimesOfClaim(said, kind === "book" ? next : "", today);
      return spans.length > 0 && fitsAppointments(times, spans);
    }
    const effect = kind === "move" ? "reschedule_appointment" : "cancel_appointment";
    if (kind !== "move" && kind !== "cancel") return false;
    // The service has told the customer of it in an earlier turn.
    const told = [wordsOfEffectStart("es", effect), wordsOfEffectStart("en", effect)];
    return context.messages.some(
      (one) => one.speaker === "agent" && told.some((start) => one.text.includes(`${start}:`)),
    );
  };
  return listClaims(text).find((claim) => !isProven(claim))?.kind ?? null;
}

/** Appointments ahead, by the clocks of the account and of their agendas. */
function listSpans({ account, resources, appointments, rounds }: AgentContext): LocalSpan[] {
  // A draft undoes the move, so that no row has the new time.
  const moved = rounds.flatMap(({ calls }) =>
    calls.flatMap(({ tool, result }) => {
      if (tool !== "reschedule_appointment" || !result.ok || !("start" in result)) return [];
      const startTime = new Date(result.start);
      return [{ startTime, endTime: startTime, resourceId: result.resource_id }];
    }),
  );
  return [...appointments, ...moved].flatMap(({ startTime, endTime, resourceId }) => {
    const own = resources.find(({ id }) => id === resourceId)?.timeZone ?? account.timeZone;
    return [...new Set([account.timeZone, own])].map((zone) => ({
      start: DateTime.fromJSDate(startTime, { zone }),
      end: DateTime.fromJSDate(endTime, { zone }),
    }));
  });
}
