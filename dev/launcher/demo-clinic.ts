import { KnowledgeItem } from "../../db/entities/knowledge.ts";
import type { Tx } from "../../db/transaction.ts";
import { serviceCreateBody } from "../../core/model/resource.ts";
import type { WeeklyHours } from "../../core/model/schedule.ts";
import type { Locale } from "../../core/model/user.ts";
import { publishAgent, updateAgent } from "../../core/services/agent/profile.ts";
import { createService } from "../../core/services/appointments/offered-services.ts";
import { createResource } from "../../core/services/appointments/resources.ts";
import { insertRow } from "../../core/services/sql.ts";

const workday = [
  { from: "09:00", to: "14:00" },
  { from: "15:00", to: "19:00" },
];
const weekdays: WeeklyHours = {
  monday: workday,
  tuesday: workday,
  wednesday: workday,
  thursday: workday,
  friday: workday,
  saturday: [{ from: "09:00", to: "13:00" }],
  sunday: [],
};

/** Question, other wordings, answer. */
type Item = [question: string, phrasings: string[], answer: string];

const items: Record<Locale, Item[]> = {
  en: [
    [
      "Where is the clinic?",
      ["Where are you?", "What is your address?", "How do I get there?"],
      "We are at 12 Garden Street, second floor, beside the park.",
    ],
    [
      "Is there parking?",
      ["Where can I park?", "Do you have a car park?"],
      "Yes. Parking behind the building is free for patients.",
    ],
    [
      "How much is a check-up?",
      ["Price of a check-up", "What does a consultation cost?"],
      "A check-up costs 40 dollars.",
    ],
    [
      "How much is a cleaning?",
      ["Price of a dental cleaning", "What do you charge for a cleaning?"],
      "A cleaning costs 60 dollars.",
    ],
    [
      "How can I pay?",
      ["Do you take cards?", "Can I pay by card or cash?", "Payment methods"],
      "You can pay in cash, by card or by bank transfer.",
    ],
    [
      "Do you work with insurance?",
      ["Which insurance do you accept?", "Does my insurance cover it?"],
      "We give you an invoice that you can hand in to your insurance.",
    ],
  ],
  es: [
    [
      "¿Dónde está la clínica?",
      ["¿Dónde están?", "¿Cuál es su dirección?", "¿Cómo llego?", "ubicación"],
      "Estamos en la calle Jardín 12, segundo piso, junto al parque.",
    ],
    [
      "¿Hay estacionamiento?",
      ["¿Dónde me puedo estacionar?", "¿Tienen parking?"],
      "Sí. El estacionamiento detrás del edificio es gratis para pacientes.",
    ],
    [
      "¿Cuánto cuesta una consulta?",
      ["precio de la consulta", "¿Qué precio tiene la revisión?"],
      "La consulta cuesta 40 dólares.",
    ],
    [
      "¿Cuánto cuesta una limpieza?",
      ["precio de la limpieza dental", "¿Cuánto cobran por una limpieza?"],
      "La limpieza cuesta 60 dólares.",
    ],
    [
      "¿Cómo puedo pagar?",
      ["¿Aceptan tarjeta?", "¿Se puede pagar con tarjeta o efectivo?", "formas de pago"],
      "Puedes pagar en efectivo, con tarjeta o por transferencia.",
    ],
    [
      "¿Trabajan con seguros?",
      ["¿Qué seguros aceptan?", "¿Lo cubre mi seguro?"],
      "Te damos una factura que puedes entregar a tu seguro.",
    ],
  ],
};

/** Fills the demo account with a small clinic whose agent answers and books. */
export async function seedClinic(tx: Tx): Promise<void> {
  const soto = await createResource(tx, { name: "Dr. Soto", weekly_hours: weekdays });
  const ruiz = await createResource(tx, { name: "Dr. Ruiz", weekly_hours: weekdays });
  const both = [soto.id, ruiz.id];
  const services = [
    { name: "Consulta (check-up)", duration_minutes: 30, resource_ids: both, hue: "sky" },
    { name: "Limpieza (cleaning)", duration_minutes: 45, resource_ids: both, hue: "teal" },
    { name: "Ortodoncia (braces)", duration_minutes: 60, resource_ids: [ruiz.id], hue: "plum" },
  ];
  for (const service of services) await createService(tx, serviceCreateBody.parse(service));
  for (const language of ["en", "es"] as const) {
    for (const [question, phrasings, answer] of items[language]) {
      const item = { question, phrasings, answer, language, state: "approved" as const };
      await insertRow(tx, KnowledgeItem, { accountId: tx.actor.accountId, ...item });
    }
  }
  await updateAgent(tx, { enabled: true, quiet_seconds: 2 });
  await publishAgent(tx);
}
