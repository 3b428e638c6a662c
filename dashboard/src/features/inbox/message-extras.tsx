import { IconClick, IconSpeakerphone } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { InteractiveOption } from "../../../../core/model/interactive.ts";
import type { MessageView } from "../../../../core/model/message.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import { isWebUrl } from "../../lib/linkify.ts";
import { useSession } from "../../lib/session.ts";
import { exactTime } from "../../lib/time.ts";
import styles from "./thread.module.css";

/** The ad, post, story or link with which a message came, above its words. */
export function ReferralCard({ referral }: { referral: NonNullable<MessageView["referral"]> }) {
  const { t } = useTranslation();
  const { kind, headline, body, url } = referral;
  return (
    <div className={styles["referral"]}>
      <small>
        <IconSpeakerphone size={13} aria-hidden />
        {t(`inbox.referral.${kind}`)}
      </small>
      {headline !== null && <strong>{headline}</strong>}
      {body !== null && <span>{body}</span>}
      {url !== null && isWebUrl(url) && <LinkedText text={url} />}
    </div>
  );
}

/**
 * Says that a message is a choice, with the fields of a form that was filled in. A typed number gets
 * the title of its option.
 */
export function ChoiceLine({
  interactive,
}: {
  interactive: NonNullable<MessageView["interactive"]>;
}) {
  const { t } = useTranslation();
  const { type, title, response } = interactive;
  const fields = answersOf(response);
  const isTyped = type === "text_reply" && typeof title === "string";
  return (
    <div className={styles["choice"]}>
      <small>
        <IconClick size={13} aria-hidden />
        {isTyped ? title : t(fields.length > 0 ? "inbox.form_sent" : "inbox.chosen")}
      </small>
      {fields.length > 0 && (
        <dl>
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** Options of our own message. The text of numbered options has them already. */
export function OptionList({
  interactive,
}: {
  interactive: NonNullable<MessageView["interactive"]>;
}) {
  const { t } = useTranslation();
  const { options, sent_as: form } = interactive;
  if (!Array.isArray(options) || form === "text") return null;
  return (
    <ul className={styles["options"]} aria-label={t("inbox.options")}>
      {(options as InteractiveOption[]).map(({ id, title, description }) => (
        <li key={id}>
          {title}
          {description !== undefined && form !== "quick_replies" && <small>{description}</small>}
        </li>
      ))}
    </ul>
  );
}

/** Fields of a form with a text or a number. The customer's network chose their names. */
function answersOf(response: unknown): [string, string][] {
  if (typeof response !== "object" || response === null) return [];
  return Object.entries(response).flatMap(([name, value]): [string, string][] =>
    name !== "flow_token" && ["string", "number", "boolean"].includes(typeof value)
      ? [[name.replaceAll("_", " "), String(value)]]
      : [],
  );
}

/** The customer's reactions, at the lower edge of the bubble. */
export function Reactions({ reactions }: Pick<MessageView, "reactions">) {
  const { t } = useTranslation();
  const { account } = useSession();
  if (reactions.length === 0) return null;
  return (
    <div className={styles["reactions"]}>
      {reactions.map(({ emoji, created_at: at }) => (
        <span
          key={`${emoji} ${at}`}
          role="img"
          aria-label={t("inbox.reaction", { emoji })}
          title={exactTime(at, account.time_zone)}
        >
          {emoji}
        </span>
      ))}
    </div>
  );
}

/** Says that the sender changed the words; the note beside it has the earlier ones. */
export function EditedMark({ at }: { at: string }) {
  const { t } = useTranslation();
  const { account } = useSession();
  return (
    <time dateTime={at} title={exactTime(at, account.time_zone)}>
      {t("inbox.edited")}
    </time>
  );
}
