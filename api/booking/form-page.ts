import {
  formatSlot,
  maxOpenBookings,
  type CustomerFault,
  type CustomerField,
  type CustomerForm,
  type SlotChoice,
} from "../../core/model/booking-link.ts";
import type { Offer, OfferedResource } from "../../core/services/booking/booking-offers.ts";
import type { Slot } from "../../core/services/appointments/free-slots.ts";
import { createTimeFormat, groupByDay } from "./format-time.ts";
import { html, type Html } from "./html.ts";
import type { Page } from "./layout.ts";
import { summary } from "./time-pages.ts";
import type { Visit } from "./visit.ts";
import { wishOf } from "./wished.ts";

/** State of the form. */
export interface FormState {
  offer: Offer;
  /** The resource that the customer chose; undefined for anyone. */
  wished: OfferedResource | undefined;
  /** The requested time, or null. */
  choice: SlotChoice | null;
  /** The requested time while it is offered, else null. */
  slot: SlotChoice | null;
  /** Times offered instead. */
  alternatives: Slot[];
  form: CustomerForm;
  faults: Partial<Record<CustomerField, CustomerFault>>;
  /** Value of the hidden field. */
  token: string;
  /** True if the sent form was too old, or not signed by us. */
  stale?: boolean;
  /** True if the customer has the maximum number of open bookings. */
  full?: boolean;
}

/**
 * The customer's form: for one time, or with other times to choose from if that time is not free.
 */
export function formPage(visit: Visit, state: FormState, status: number): Page {
  const { words, url } = visit;
  const { offer, wished, token } = state;
  const service = String(offer.serviceId);
  return {
    status,
    heading: words.yourDetails,
    body: html`<section>
        ${noticesOf(visit, state).map((text) => html`<p class="notice" role="alert">${text}</p>`)}
        <form method="post" action="${url("/new")}" novalidate>
          <input type="hidden" name="service" value="${service}" />
          <input type="hidden" name="token" value="${token}" />
          ${wished !== undefined && html`<input type="hidden" name="with" value="${wished.id}" />`}
          ${state.slot === null ? chooseSlot(visit, state) : chosenSlot(visit, offer, state.slot)}
          ${customerInputs(visit, state)}
          <div class="bar">
            ${state.slot !== null && inShort(visit, offer, state.slot)}
            <button>${words.book}</button>
          </div>
        </form>
      </section>
      <p class="links">
        <a href="${url("", { service, ...wishOf(wished) })}">${words.otherTime}</a>
      </p>`,
  };
}

function noticesOf({ words }: Visit, { slot, choice, faults, stale, full }: FormState): string[] {
  return [
    ...(stale === true ? [words.stale] : []),
    ...(full === true ? [words.full(maxOpenBookings)] : []),
    ...(slot === null && choice !== null ? [words.taken] : []),
    ...(Object.keys(faults).length > 0 ? [words.check] : []),
  ];
}

/** The chosen time beside the button, in sight while the form is filled in. */
function inShort(visit: Visit, offer: Offer, { resourceId, start }: SlotChoice): Html {
  const resource = offer.resources.find(({ id }) => id === resourceId);
  const zone = visit.zone ?? resource?.timeZone ?? offer.timeZone;
  const format = createTimeFormat(visit.language, zone);
  return html`<p><b>${format.brief(start)}</b><span>${resource?.name}</span></p>`;
}

function chosenSlot(visit: Visit, offer: Offer, slot: SlotChoice): Html {
  const { words, language } = visit;
  const resource = offer.resources.find(({ id }) => id === slot.resourceId);
  const zone = visit.zone ?? resource?.timeZone ?? offer.timeZone;
  const format = createTimeFormat(language, zone);
  const rows = [
    [words.what, offer.serviceName],
    [words.withWhom, resource?.name ?? ""],
    [words.when, format.full(slot.start)],
  ] as const;
  return html`<input type="hidden" name="slot" value="${formatSlot(slot)}" />
    <div class="field">${summary(rows)}</div>`;
}

function chooseSlot({ words, language, zone }: Visit, { offer, alternatives }: FormState): Html {
  if (alternatives.length === 0) return html`<p>${words.noTimes}</p>`;
  const format = createTimeFormat(language, zone ?? offer.timeZone);
  const days = groupByDay(alternatives, zone ?? offer.timeZone).map((day) => {
    const labels = format.times(day.map(({ startTime }) => startTime));
    const choices = day.map(({ resourceId, startTime }, index) => {
      const value = formatSlot({ resourceId, start: startTime });
      return html`<li>
        <label><input type="radio" name="slot" value="${value}" required />${labels[index]}</label>
      </li>`;
    });
    return html`<h2>${day[0] && format.day(day[0].startTime)}</h2>
      <ul class="slots">
        ${choices}
      </ul>`;
  });
  return html`<fieldset>
    <legend>${words.freeTimes}</legend>
    <p class="hint">${words.zone(format.zone)}</p>
    ${days}
  </fieldset>`;
}

function customerInputs({ words }: Visit, state: FormState): Html {
  const attributes = {
    name: html`type="text" autocomplete="name" maxlength="200"`,
    phone: html`type="tel" autocomplete="tel" maxlength="40"`,
    email: html`type="email" autocomplete="email" maxlength="254"`,
  };
  const hints = { name: null, phone: words.phoneHint, email: null };
  const fields = (["name", "phone", "email"] as const).map((field) =>
    input({
      field,
      label: words[field],
      hint: hints[field],
      fault: state.faults[field] === undefined ? null : words.faults[state.faults[field]],
      value: state.form[field],
      attributes: attributes[field],
    }),
  );
  return html`${fields}
    <p class="hint">${words.contactHint}</p>`;
}

interface Input {
  field: CustomerField;
  label: string;
  hint: string | null;
  fault: string | null;
  value: string;
  attributes: Html;
}

function input({ field, label, hint, fault, value, attributes }: Input): Html {
  const describedBy = [hint && `${field}-hint`, fault && `${field}-fault`]
    .filter(Boolean)
    .join(" ");
  return html`<div class="field">
    <label for="${field}">${label}</label>
    ${hint && html`<p class="hint" id="${field}-hint">${hint}</p>`}
    <input
      id="${field}"
      name="${field}"
      value="${value}"
      ${attributes}${
        describedBy !== "" && html` aria-describedby="${describedBy}"`
      }${fault && html` aria-invalid="true"`}
    />
    ${fault && html`<p class="fault" id="${field}-fault">${fault}</p>`}
  </div>`;
}
