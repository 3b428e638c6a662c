import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconChevronDown,
  IconChevronRight,
  IconSparkles,
  IconUserShare,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { conversationStatuses, humanReply } from "../../../../core/model/conversation.ts";
import { Avatar } from "../../components/avatar.tsx";
import { LinkedText } from "../../components/linked-text.tsx";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { clockTime, exactTime } from "../../lib/time.ts";
import type { Note } from "./api.ts";
import composer from "./composer.module.css";
import { splitMentions } from "./mentions.ts";
import styles from "./thread.module.css";

/** A note of a person, or a line about a change. */
export function NoteItem({ note }: { note: Note }) {
  switch (note.kind) {
    case "note":
    case "agent_summary":
      return <PersonNote note={note} />;
    case "handed_off":
    case "bot_enabled":
    case "bot_reason":
      return <HandoffLine note={note} />;
    case "assigned":
    case "status_changed":
    case "stage_changed":
    case "macro_run":
    case "handoff_reminder":
    case "handoff_escalated":
    case "message_edited":
    case "number_changed":
      return <Change note={note} />;
  }
}

function PersonNote({ note }: { note: Note }) {
  const { t } = useTranslation();
  const author = note.kind === "agent_summary" ? t("sender.ai") : t("sender.system");
  const who = useColleagueName(note.user_id) ?? author;
  return (
    <div className={styles["note"]}>
      {note.kind === "agent_summary" ? (
        <span className={styles["noteSpark"]}>
          <IconSparkles size={14} aria-hidden />
        </span>
      ) : (
        <Avatar id={note.user_id ?? 0} name={who} size={22} />
      )}
      <div className={styles["noteBody"]}>
        <div className={styles["noteHead"]}>
          <span dir="auto">{t("inbox.note_by", { who })}</span>
          <At moment={note.created_at} />
        </div>
        <div className={styles["noteText"]} dir="auto">
          <NoteText text={note.text ?? ""} />
        </div>
      </div>
    </div>
  );
}

/** Line across the thread: the AI agent was paused or resumed, and why. */
function HandoffLine({ note }: { note: Note }) {
  const text = useHandoffText(note);
  const Picture = note.kind === "bot_enabled" ? IconSparkles : IconUserShare;
  return (
    <div className={styles["line"]}>
      <Picture size={15} aria-hidden />
      <span dir="auto">{text}</span>
      <At moment={note.created_at} />
    </div>
  );
}

function useHandoffText({ kind, text, user_id }: Note): string {
  const { t } = useTranslation();
  const who = useColleagueName(user_id);
  if (kind === "handed_off" && text === humanReply) {
    return who === null ? t("happened.human_reply") : t("happened.replied", { who });
  }
  const because = text === null ? "" : t("happened.because", { reason: text });
  if (kind === "handed_off" && who !== null) return t("happened.took_over", { who }) + because;
  const by = kind === "handed_off" || who === null ? "" : ` (${who})`;
  return t(`happened.${kind as "handed_off" | "bot_enabled" | "bot_reason"}`) + because + by;
}

function Change({ note }: { note: Note }) {
  return (
    <div className={styles["change"]} dir="auto">
      <Happened note={note} /> · <At moment={note.created_at} />
    </div>
  );
}

/** Changes in a row, folded into one line with the newest of them. A click shows all. */
export function ChangeGroup({ notes }: { notes: Note[] }) {
  const { t } = useTranslation();
  const [opened, { toggle }] = useDisclosure(false);
  const newest = notes.at(-1);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <div className={styles["changes"]}>
      <div className={styles["change"]} dir="auto">
        <UnstyledButton
          className={styles["changesHead"] ?? ""}
          aria-expanded={opened}
          onClick={toggle}
        >
          <Chevron size={14} aria-hidden /> {t("inbox.changes", { count: notes.length })}
        </UnstyledButton>
        {!opened && newest !== undefined && (
          <span>
            {" · "}
            <Happened note={newest} /> · <At moment={newest.created_at} />
          </span>
        )}
      </div>
      {opened && notes.map((note) => <Change key={note.id} note={note} />)}
    </div>
  );
}

function At({ moment }: { moment: string }) {
  const { account } = useSession();
  return (
    <time dateTime={moment} title={exactTime(moment, account.time_zone)}>
      {clockTime(moment, account.time_zone)}
    </time>
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

function Happened({ note }: { note: Note }) {
  const { t } = useTranslation();
  const who = useColleagueName(note.user_id);
  const { from, to, pipeline, macro } = note.params ?? {};
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
    case "handoff_reminder":
    case "handoff_escalated":
      return t(`happened.${note.kind}`) + by;
    case "message_edited":
      return t("happened.message_edited", { text: note.text ?? "" });
    case "number_changed":
      return t("happened.number_changed", { from: String(from), to: String(to) });
    case "note":
    case "agent_summary":
    case "handed_off":
    case "bot_enabled":
    case "bot_reason":
      return null;
  }
}
