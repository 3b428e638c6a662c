import { UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { QueueFilter } from "../../lib/inbox-queue.ts";
import { usePipelines } from "../../lib/pipelines.ts";
import { useTeam } from "../../lib/team.ts";
import styles from "./inbox.module.css";
import { filterNames, type ListChange, type ListState } from "./list-state.ts";

interface FilterChipsProps {
  state: ListState;
  change: (next: ListChange) => void;
}

/** The filters that narrow the list, each with a button that takes it away. */
export function FilterChips({ state, change }: FilterChipsProps) {
  const { t } = useTranslation();
  const words = useFilterWords(state.filter);
  const shown = filterNames.filter((name) => name !== "search" && words[name] !== undefined);
  if (shown.length === 0) return null;
  return (
    <div className={styles["chips"]}>
      {shown.map((name) => (
        <UnstyledButton
          key={name}
          className={styles["filterChip"] ?? ""}
          aria-label={t("inbox.remove_filter", { filter: words[name] })}
          onClick={() => change({ [name]: null })}
        >
          <span dir="auto">{words[name]}</span>
          <IconX size={13} aria-hidden />
        </UnstyledButton>
      ))}
    </div>
  );
}

function useFilterWords(filter: QueueFilter): Partial<Record<string, string>> {
  const { t } = useTranslation();
  const team = useTeam();
  const pipelines = usePipelines();
  const { channel, status, answered, assigned_to: to, stage_id: stageId, tag, unread } = filter;
  const stage = pipelines
    .flatMap(({ stages }) => stages)
    .find(({ id }) => String(id) === String(stageId));
  const person = team.find(({ id }) => String(id) === String(to));
  const others = { me: t("inbox.me"), nobody: t("inbox.nobody") };
  return {
    ...(channel && { channel: t(`channel.${channel}`) }),
    ...(to && {
      assigned_to:
        to === "me" || to === "nobody" ? others[to] : (person?.name ?? t("inbox.assignee")),
    }),
    ...(status && { status: t(`status.${status}`) }),
    ...(answered && {
      answered: t(answered === "true" ? "inbox.answers.answered" : "inbox.answers.waiting"),
    }),
    ...(stageId && { stage_id: stage?.name ?? t("inbox.stage") }),
    ...(tag && { tag }),
    ...(unread === "true" && { unread: t("inbox.only_unread") }),
  };
}
