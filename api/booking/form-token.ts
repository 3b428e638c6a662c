import { linkToken } from "../../core/model/booking-link.ts";
import { randomBase62, type SecretBox } from "../../core/secrets.ts";
import { hourMs } from "../../core/model/durations.ts";

/** Validity of a form. An older form is shown again. */
const formMs = 2 * hourMs;
const tokenLength = 26;

/**
 * Token of a new form, the value of its hidden field: `token.seconds.signature`. The signature
 * binds it to the link, so a booking's token was always made by us.
 */
export function issueFormToken(secretBox: SecretBox, linkId: number, now: Date): string {
  const text = `${randomBase62(tokenLength)}.${Math.floor(now.getTime() / 1000)}`;
  return `${text}.${secretBox.sign(text, purposeOf(linkId))}`;
}

/** The token in a form's hidden field. Null if it is not signed for this link, or too old. */
export function readFormToken(
  secretBox: SecretBox,
  linkId: number,
  field: string,
  now: Date,
): string | null {
  const [token = "", seconds = "", signature = ""] = field.split(".");
  if (!linkToken.test(token)) return null;
  if (!secretBox.isSigned(`${token}.${seconds}`, purposeOf(linkId), signature)) return null;
  return now.getTime() - Number(seconds) * 1000 <= formMs ? token : null;
}

function purposeOf(linkId: number): string {
  return `booking-form:${linkId}`;
}
