import { z } from "zod";
import { emailInput, phoneInput } from "./contact.ts";
import { locales, personNameInput } from "./user.ts";
import { maxNameLength, recordId, timestamp, toWellFormed } from "./wire.ts";
import { dayMs, hourMs } from "./durations.ts";

/** Minimum notice: no booking or move goes to a time that begins sooner than this. */
export const bookingNoticeMs = hourMs;
/** Maximum notice: no booking or move goes to a time that begins later than this. */
export const bookingHorizonMs = 60 * dayMs;

/** Maximum number of open bookings of one customer through links. */
export const maxOpenBookings = 5;

/** Form of a slug, and of the token of a booking: 26 base62 characters. */
export const linkToken = /^[0-9A-Za-z]{26}$/u;

/** Least and greatest length of an own slug. */
export const minSlugLength = 3;
export const maxSlugLength = 40;

/** Slugs that nobody takes: they read like a page of ours. */
const reservedSlugs: ReadonlySet<string> = new Set(
  "about account admin api app assets billing book booking brand calendar contact dashboard docs help home inbox login logout mail new null parley privacy root security settings signup static status support system terms test undefined webhooks www".split(
    " ",
  ),
);

/** Form of an own slug: words of lower-case letters and digits, with hyphens between them. */
export const ownSlug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** @returns true for a slug that can be in a URL, of either kind. */
export function isLinkSlug(text: string): boolean {
  return linkToken.test(text) || (text.length <= maxSlugLength && ownSlug.test(text));
}

const slugInput = z
  .string()
  .trim()
  .toLowerCase()
  .superRefine((slug, ctx) => {
    const issue = slugIssue(slug);
    if (issue === null) return;
    ctx.addIssue({ code: "custom", message: issue.message, params: { code: issue.code } });
  })
  .nullable()
  .describe("Readable end of the URL, as `sonrisa-dental`; null: none of its own.");

/** Reason why a slug cannot be chosen; null where it has the right form. */
function slugIssue(slug: string): { code: string; message: string } | null {
  if (slug.length < minSlugLength || slug.length > maxSlugLength) {
    return {
      code: "slug_length",
      message: `Use ${minSlugLength} to ${maxSlugLength} characters.`,
    };
  }
  if (!ownSlug.test(slug)) {
    return {
      code: "slug_characters",
      message: "Use letters a to z, digits, and single hyphens between them.",
    };
  }
  if (reservedSlugs.has(slug) || linkToken.test(slug)) {
    return { code: "slug_reserved", message: "This word is reserved. Choose another one." };
  }
  return null;
}

const title = z
  .string()
  .trim()
  .min(1, "Use 1 character or more.")
  .max(maxNameLength, `Use at most ${maxNameLength} characters.`)
  .overwrite(toWellFormed)
  .describe("The heading of the page.");
const resourceId = recordId.nullable().describe("Null: every resource that gives the service.");
const serviceId = recordId.nullable().describe("Null: the customer chooses one.");

/**
 * Body of a new booking link, for a resource, a service or both. The service `booking-links` checks
 * that one is given.
 */
export const bookingLinkCreateBody = z.strictObject({
  title,
  resource_id: resourceId.default(null),
  service_id: serviceId.default(null),
  enabled: z.boolean().default(true),
  own_slug: slugInput.default(null),
});
export type BookingLinkCreateBody = z.output<typeof bookingLinkCreateBody>;

/** Body of a change of a booking link: only the fields that are sent. */
export const bookingLinkPatchBody = z.strictObject({
  title: title.optional(),
  resource_id: resourceId.optional(),
  service_id: serviceId.optional(),
  enabled: z.boolean().optional(),
  own_slug: slugInput.optional(),
});
export type BookingLinkPatchBody = z.output<typeof bookingLinkPatchBody>;

/** A booking link in every answer. */
export const bookingLinkView = z.strictObject({
  id: recordId,
  title: z.string(),
  resource_id: recordId.nullable(),
  service_id: recordId.nullable(),
  enabled: z.boolean(),
  url: z.string(),
  slug: z.string(),
  own_slug: z.string().nullable().describe("The readable slug; `slug` works beside it."),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A field of the customer's form. */
export type CustomerField = "name" | "phone" | "email";

/** Input of the customer, as text. */
export type CustomerForm = Record<CustomerField, string>;

/** The customer, as read from the form. A phone or an email is set. */
export interface Customer {
  name: string;
  phone: string | undefined;
  email: string | undefined;
}

/** Faults of a field. The page has a sentence for each fault in every language. */
export type CustomerFault =
  | "name_required"
  | "name_too_long"
  | "phone_or_email_required"
  | "invalid_phone"
  | "invalid_email";

/**
 * Reads the form.
 * @returns the customer, or null with the fault of each wrong field.
 */
export function readCustomer(form: CustomerForm): {
  customer: Customer | null;
  faults: Partial<Record<CustomerField, CustomerFault>>;
} {
  const faults: Partial<Record<CustomerField, CustomerFault>> = {};
  const given = (text: string) => (text.trim() === "" ? undefined : text);
  const name = personNameInput.safeParse(form.name);
  const phone = phoneInput.optional().safeParse(given(form.phone));
  const email = emailInput.optional().safeParse(given(form.email));
  if (!name.success) {
    faults.name = given(form.name) === undefined ? "name_required" : "name_too_long";
  }
  if (!phone.success) faults.phone = "invalid_phone";
  if (!email.success) faults.email = "invalid_email";
  if (given(form.phone) === undefined && given(form.email) === undefined) {
    faults.phone = "phone_or_email_required";
  }
  if (!name.success || !phone.success || !email.success || faults.phone !== undefined) {
    return { customer: null, faults };
  }
  return { customer: { name: name.data, phone: phone.data, email: email.data }, faults };
}

/** An offered slot, as links and forms carry it. */
export interface SlotChoice {
  resourceId: number;
  start: Date;
}

/** `7-1795597200`: resource and start in seconds since 1970. */
export function formatSlot({ resourceId: resource, start }: SlotChoice): string {
  return `${resource}-${Math.floor(start.getTime() / 1000)}`;
}

/** Reads the text of `formatSlot`. Null for text of another form. */
export function parseSlot(text: string): SlotChoice | null {
  const [, resource, seconds] = /^([1-9]\d{0,14})-(\d{1,11})$/u.exec(text) ?? [];
  if (resource === undefined || seconds === undefined) return null;
  return { resourceId: Number(resource), start: new Date(Number(seconds) * 1000) };
}

/** Content of a mail to the customer of a booking, sealed until the mail is finished. */
export const bookingMail = z.object({
  to: z.string(),
  locale: z.enum(locales),
  /** Path of the appointment's page, which holds its token. */
  path: z.string(),
});
export type BookingMail = z.output<typeof bookingMail>;
