import { AppError } from "../../core/errors.ts";
import {
  parseSlot,
  readCustomer,
  type CustomerForm,
  type SlotChoice,
} from "../../core/model/booking-link.ts";
import {
  isInOffer,
  listOfferedTimes,
  listOffers,
  type Offer,
  type SlotPlace,
} from "../../core/services/booking/booking-offers.ts";
import { bookThroughLink } from "../../core/services/booking/bookings.ts";
import type { Slot } from "../../core/services/appointments/free-slots.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { formPage, type FormState } from "./form-page.ts";
import { issueFormToken, readFormToken } from "./form-token.ts";
import type { Page } from "./layout.ts";
import { readAs, searchAs, type Visit } from "./visit.ts";
import { findWished } from "./wished.ts";
import { dayMs } from "../../core/model/durations.ts";

const maxAlternatives = 12;
const emptyForm: CustomerForm = { name: "", phone: "", email: "" };

/** The form for a chosen time. */
export async function showForm(deps: Deps, visit: Visit): Promise<Page> {
  const { service, slot, wished } = readChoice(visit.query);
  return await answerForm(deps, visit, {
    serviceId: service,
    choice: slot,
    wished,
    form: emptyForm,
    faults: {},
    token: issueFormToken(deps.secretBox, visit.link.id, new Date()),
  });
}

/**
 * Books a sent form, once for each token, and redirects to the appointment's page. Wrong fields or
 * a taken time show the form again, with all that was typed.
 */
export async function sendForm(deps: Deps, visit: Visit): Promise<Page | { location: string }> {
  const { service: serviceId, slot, wished } = readChoice(visit.field);
  const form = readTyped(visit.field);
  const { customer, faults } = readCustomer(form);
  const { link } = visit;
  const now = new Date();
  const sent = visit.field("token");
  const token = readFormToken(deps.secretBox, link.id, sent, now);
  // The form is shown again with a valid token.
  const again = token === null ? issueFormToken(deps.secretBox, link.id, now) : sent;
  const stale = token === null;
  const shown = { serviceId, choice: slot, wished, form, faults, stale, token: again };
  if (token === null || customer === null || slot === null) {
    return await answerSent(deps, visit, shown);
  }
  try {
    const path = visit.url(`/a/${token}`, { lang: visit.language });
    const { secretBox, config } = deps;
    const mail = config.mail === null ? null : { secretBox, locale: visit.language, path };
    const request = { token, serviceId, slot, customer, mail };
    await transaction(deps.dataSource, systemOf(link.accountId), (tx) =>
      bookThroughLink(tx, link, request),
    );
  } catch (error) {
    const full = hasTooMany(error);
    if (!full && !isTaken(error)) throw error;
    return await answerSent(deps, visit, { ...shown, full });
  }
  return { location: visit.url(`/a/${token}`) };
}

/** Refusals that another time may overcome. */
export function isTaken(error: unknown): boolean {
  const codes = ["slot_taken", "outside_hours", "past_time", "resource_archived"];
  return error instanceof AppError && [...codes, "service_not_offered"].includes(error.code);
}

function hasTooMany(error: unknown): boolean {
  return error instanceof AppError && error.code === "too_many_bookings";
}

function readChoice(read: (name: string) => string | null): {
  service: number;
  slot: SlotChoice | null;
  /** Id of the resource that the customer chose, as it was sent. */
  wished: string | null;
} {
  const service = /^[1-9]\d{0,14}$/.test(read("service") ?? "") ? Number(read("service")) : 0;
  return { service, slot: parseSlot(read("slot") ?? ""), wished: read("with") };
}

function readTyped(field: Visit["field"]): CustomerForm {
  return { name: field("name"), phone: field("phone"), email: field("email") };
}

type Attempt = Pick<FormState, "form" | "faults" | "token" | "stale" | "full"> & {
  serviceId: number;
  choice: SlotChoice | null;
  wished: string | null;
};

/**
 * The form, with other times if the chosen time is not offered.
 * @throws AppError `rate_limited` if too many searches for times wait for the same link
 */
async function answerForm(
  deps: Deps,
  visit: Visit,
  attempt: Attempt,
  search = findAlternatives,
): Promise<Page> {
  const { serviceId, choice, wished: wishedId } = attempt;
  const chosen = await readAs(deps, visit.link, async (tx) => {
    const offer = await getOffer(tx, visit, serviceId);
    const slot = choice !== null && (await isInOffer(tx, offer, choice)) ? choice : null;
    return { offer, slot, wished: findWished(offer, wishedId) };
  });
  const alternatives = chosen.slot === null ? await search(deps, visit, { ...chosen, choice }) : [];
  const state: FormState = { ...attempt, ...chosen, alternatives };
  return formPage(visit, state, statusOf(state));
}

/** The form that was sent. Where too many searches wait, it comes without other times, not empty. */
async function answerSent(deps: Deps, visit: Visit, attempt: Attempt): Promise<Page> {
  return await answerForm(deps, visit, attempt, async (...asked) => {
    return await findAlternatives(...asked).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "rate_limited") return [];
      throw error;
    });
  });
}

async function findAlternatives(
  deps: Deps,
  { link }: Visit,
  { offer, wished, choice }: Pick<FormState, "offer" | "wished" | "choice">,
): Promise<Slot[]> {
  const place = { resourceId: wished?.id ?? link.resourceId };
  return await searchAs(deps, link, async (tx) => await listAlternatives(tx, place, offer, choice));
}

function statusOf({ slot, choice, faults, stale, full }: FormState): number {
  if (Object.keys(faults).length > 0 || choice === null || stale) return 400;
  return slot === null || full ? 409 : 200;
}

async function getOffer(tx: Tx, { link }: Visit, serviceId: number): Promise<Offer> {
  const [offer] = await listOffers(tx, link, serviceId);
  if (offer !== undefined) return offer;
  throw new AppError("booking_link_not_found", {
    message: "This link does not offer such a service.",
  });
}

/** Free times near the chosen one, from a day before until a week after, or the next ones. */
async function listAlternatives(
  tx: Tx,
  place: SlotPlace,
  { serviceId }: Offer,
  choice: SlotChoice | null,
): Promise<Slot[]> {
  // A time that is over has no times around it.
  const wanted = Math.max(choice?.start.getTime() ?? 0, tx.now.getTime());
  const around = await listOfferedTimes(tx, place, serviceId, {
    start: new Date(wanted - dayMs),
    end: new Date(wanted + 7 * dayMs),
  });
  return nearest(around, choice);
}

function nearest(slots: Slot[], choice: SlotChoice | null): Slot[] {
  const distance = ({ startTime }: Slot) =>
    choice === null ? startTime.getTime() : Math.abs(startTime.getTime() - choice.start.getTime());
  return slots
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, maxAlternatives)
    .toSorted((one, other) => one.startTime.getTime() - other.startTime.getTime());
}
