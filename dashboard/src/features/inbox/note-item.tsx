import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { conversationStatuses } from "../../../../core/model/conversation.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import { Moment } from "../../components/moment.tsx";
import { reasonText } from "../../lib/error-text.ts";
import { useColleagueName } from "../../lib/team.ts";
import type { Note } from "./api.ts";
import composer from "./composer.module.css";
import styles from "./inbox.module.css";
import { splitMentions } from "./mentions.ts";

/** A note of a person, or a line about a change. */
export function NoteItem({ note }: { note: Note }) {
  const { t } = useTranslation();
  const who = useColleagueName(note.user_id);
  if (note.kind === "note") {
    return (
      <Stack gap={2} align="flex-end">
        <Text size="xs" c="dimmed" fw={500}>
          {t("inbox.note_by", { who: who ?? t("sender.system") })}
        </Text>
        <div className={`${styles["bubble"]} ${styles["note"]}`} dir="auto">
          <NoteText text={note.text ?? ""} />
        </div>
        <Text size="xs" c="dimmed">
          <Moment at={note.created_at} />
        </Text>
      </Stack>
    );
  }
  return (
    <Text size="xs" c="dimmed" ta="center" dir="auto">
      <Happened note={note} who={who} /> · <Moment at={note.created_at} />
    </Text>
  );
}

/** Text of a note with the present names of the members whom it mentions. */
function NoteText({ text }: { text: string }) {
  return splitMentions(text).map(({ text: part, userId }, index) =>
    userId === null ? (
      <LinkedText key={index} text={part} />
    ) : (
      <Mention key={index} userId={userId} />
    ),
  );
}

function Mention({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const name = useColleagueName(userId) ?? t("answers.former_member");
  return <bdi className={composer["mention"]}>@{name}</bdi>;
}

function Happened({ note, who }: { note: Note; who: string | null }) {
  const { t } = useTranslation();
  const { to, pipeline, macro } = note.params ?? {};
  const assignee = useColleagueName(typeof to === "number" ? to : null);
  const by = who === null ? "" : ` (${who})`;
  const status = conversationStatuses.find((one) => one === to);
  switch (note.kind) {
    case "assigned":
      return (
        (typeof to === "number"
          ? t("happened.assigned", { name: assignee ?? `#${to}` })
          : t("happened.unassigned")) + by
      );
    case "status_changed":
      return (
        (status === undefined
          ? ""
          : t("happened.status_changed", { status: t(`status.${status}`) })) + by
      );
    case "stage_changed":
      return t("happened.stage_changed", { stage: String(to), pipeline: String(pipeline) }) + by;
    case "macro_run":
      return t("happened.macro_run", { macro: String(macro) }) + by;
    case "handed_off":
    case "bot_enabled":
    case "bot_reason":
      return t(`happened.${note.kind}`) + reasonOf(note) + by;
    case "handoff_reminder":
    case "handoff_escalated":
      return t(`happened.${note.kind}`) + by;
    case "note":
      return null;
  }
}

function reasonOf({ text }: Note): string {
  return text === null ? "" : `: ${reasonText(text)}`;
}
