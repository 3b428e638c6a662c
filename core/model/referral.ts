import { z } from "zod";

/** Kinds of a place from which a customer came. */
export const referralKinds = ["ad", "post", "story", "story_mention", "link", "other"] as const;
export type ReferralKind = (typeof referralKinds)[number];

/** The advertisement, post, story or link by which a customer came. */
export const referralView = z.strictObject({
  kind: z.enum(referralKinds),
  source_id: z.string().nullable().describe("The network's id of the ad, post or story."),
  url: z.string().nullable(),
  headline: z.string().nullable(),
  body: z.string().nullable(),
  click_id: z.string().nullable().describe("WhatsApp's `ctwa_clid`, for the reports of an ad."),
  ref: z.string().nullable().describe("The parameter of an m.me or ig.me link."),
});
export type ReferralView = z.output<typeof referralView>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * View of a referral as its network sent it: WhatsApp has `source_type`, Messenger and Instagram
 * have `source`, and a story has `type`.
 */
export function presentReferral(stored: object | null): ReferralView | null {
  if (stored === null) return null;
  const fields = stored as Fields;
  const kind = kindOf(fields);
  const ad = (fields["ads_context_data"] ?? {}) as Fields;
  return {
    kind,
    source_id: firstText(fields["source_id"], fields["ad_id"], fields["id"], ad["post_id"]),
    // The address of a story is signed, and ends after a day.
    url: kind === "story" ? null : webAddress(fields["source_url"] ?? fields["referer_uri"]),
    headline: firstText(fields["headline"], ad["ad_title"]),
    body: firstText(fields["body"]),
    click_id: firstText(fields["ctwa_clid"]),
    ref: firstText(fields["ref"]),
  };
}

/** @returns true where the referral says how the customer found the company. A story does not. */
export function leadsHere(stored: object): boolean {
  const kind = kindOf(stored as Fields);
  return kind !== "story" && kind !== "story_mention";
}

function kindOf(fields: Fields): ReferralKind {
  if (fields["type"] === "story" || fields["type"] === "story_mention") return fields["type"];
  const source = firstText(fields["source_type"], fields["source"])?.toLowerCase();
  if (source === "ad" || source === "ads") return "ad";
  if (source === "post") return "post";
  if (firstText(fields["ref"]) !== null || source === "shortlink") return "link";
  return "other";
}

function firstText(...values: unknown[]): string | null {
  const found = values.find((one) => typeof one === "string" && one.trim() !== "");
  return typeof found === "string" ? found : null;
}

/** The customer's network wrote it, and a page shows it as a link: so the web alone is taken. */
function webAddress(value: unknown): string | null {
  return typeof value === "string" && /^https?:\/\//iu.test(value) ? value : null;
}
