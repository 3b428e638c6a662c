import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconPlayerPause, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatWait } from "../../../../core/model/workflow/delivery.ts";
import { replayBatchSize } from "../../../../core/model/replay.ts";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import type { Subscription } from "./api.ts";
import { ReplayForm } from "./replay-form.tsx";
import { openReplayQuery, replayQuery, useReplayStep, type Replay } from "./replays-api.ts";

interface ReplayModalProps {
  subscription: Subscription;
  /** Null for a new replay. */
  id: number | null;
  onDrafted: (id: number) => void;
  onClose: () => void;
}

/** Dialog of a replay: choose deliveries, see number and duration, confirm, follow. */
export function ReplayModal({ subscription, id, onDrafted, onClose }: ReplayModalProps) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={t("webhooks.replay")}>
      {id === null ? (
        <ReplayForm subscription={subscription} onDrafted={onDrafted} />
      ) : (
        <Run id={id} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReplayNoticeProps {
  subscriptionId: number;
  /** Opens the replay; null for members who may not change it. */
  onOpen: ((id: number) => void) | null;
}

/** Notice about an open replay, with a link; nothing where there is none. */
export function ReplayNotice({ subscriptionId, onOpen }: ReplayNoticeProps) {
  const { t } = useTranslation();
  const replay = useQuery(openReplayQuery(subscriptionId)).data;
  if (replay === undefined || replay === null) return null;
  const running = replay.state === "running";
  const name = running ? "under_way" : "on_hold";
  return (
    <Alert
      color={running ? "info" : "gray"}
      icon={running ? <IconRefresh aria-hidden /> : <IconPlayerPause aria-hidden />}
    >
      <Group justify="space-between">
        <Text size="sm">
          {t(`replay.${name}${replay.total_at_least ? "_least" : ""}`, {
            done: doneOf(replay),
            total: replay.total,
          })}
        </Text>
        {onOpen !== null && (
          <Button size="xs" variant="default" onClick={() => onOpen(replay.id)}>
            {t("replay.show")}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function Run({ id, onClose }: { id: number; onClose: () => void }) {
  const query = useQuery(replayQuery(id));
  return (
    <QueryState query={query} rows={2}>
      {(replay) => <Loaded replay={replay} onClose={onClose} />}
    </QueryState>
  );
}

function Loaded({ replay, onClose }: { replay: Replay; onClose: () => void }) {
  const { t } = useTranslation();
  const done = doneOf(replay);
  const least = replay.total_at_least ? "_least" : "";
  return (
    <Stack>
      <Text>
        {replay.state === "draft"
          ? t(`replay.counted${least}`, { count: replay.total })
          : t(`replay.progress${least}`, { done, total: replay.total })}
      </Text>
      <Text size="sm" c="dimmed">
        {replay.states.map((state) => t(`delivery_state.${state}`)).join(", ")}
        {replay.since !== null && (
          <>
            {` · ${t("replay.since")} `}
            <Moment at={replay.since} />
          </>
        )}
      </Text>
      {replay.state !== "draft" && !replay.total_at_least && (
        <Progress
          value={replay.total === 0 ? 100 : (done / replay.total) * 100}
          aria-label={t("webhooks.replay")}
        />
      )}
      <Text size="sm" c="dimmed">
        {t(`replay.state.${replay.state}`)} <Estimate replay={replay} />
      </Text>
      <Steps replay={replay} onClose={onClose} />
    </Stack>
  );
}

/** Minimum time that the rest takes. Nothing where no rest is left or its size is unknown. */
function Estimate({ replay }: { replay: Replay }) {
  const { t } = useTranslation();
  const left = replay.total - doneOf(replay);
  const open = replay.state === "draft" || replay.state === "running";
  if (!open || left <= 0 || replay.total_at_least) return null;
  const time = formatWait(Math.ceil(left / replayBatchSize) * 1_000);
  return <>{t("replay.estimate", { time, rate: replayBatchSize })}</>;
}

function doneOf({ queued, passed_over }: Replay): number {
  return queued + passed_over;
}

function Steps({ replay, onClose }: { replay: Replay; onClose: () => void }) {
  const { t } = useTranslation();
  const step = useReplayStep(replay.id);
  const go = (name: "start" | "pause" | "resume" | "cancel") => (): void =>
    step.mutate(name, { onError: (error) => tellFailure(t("replay.not_changed"), error) });
  const { state } = replay;
  const isEmpty = replay.total === 0 && !replay.total_at_least;
  return (
    <Group justify="flex-end">
      {(state === "running" || state === "paused") && (
        <Button variant="default" color="bad" onClick={go("cancel")}>
          {t("replay.cancel")}
        </Button>
      )}
      {state === "running" && <Button onClick={go("pause")}>{t("webhooks.pause")}</Button>}
      {state === "paused" && <Button onClick={go("resume")}>{t("webhooks.resume")}</Button>}
      {state === "draft" && !isEmpty && (
        <PendingButton pending={step.isPending} onClick={go("start")}>
          {replay.total_at_least
            ? t("replay.start_all")
            : t("replay.start", { count: replay.total })}
        </PendingButton>
      )}
      {(state === "completed" || state === "cancelled" || isEmpty) && (
        <Button onClick={onClose}>{t("common.done")}</Button>
      )}
    </Group>
  );
}
