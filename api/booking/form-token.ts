import { linkToken } from "../../core/model/booking-link.ts";
import { randomBase62, type SecretBox } from "../../core/secrets.ts";

/** A form that was opened longer ago is shown again. Our choice. */
const formMs = 2 * 60 * 60_000;
const tokenLength = 26;

/**
 * A new form's token, as its hidden field carries it: `token.seconds.signature`. The signature binds it
 * to the link, so a booking's token is always one that we drew.
 */
export function issueFormToken(secretBox: SecretBox, linkId: number, now: Date): string {
  const text = `${randomBase62(tokenLength)}.${Math.floor(now.getTime() / 1000)}`;
  return `${text}.${secretBox.sign(text, purposeOf(linkId))}`;
}

/** The token in a form's hidden field; null where we did not sign it for this link, or too long ago. */
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
