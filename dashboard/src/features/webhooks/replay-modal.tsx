import { Button, Checkbox, Group, Modal, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  missedStates,
  replayableStates,
  type ReplayableState,
} from "../../../../core/model/replay.ts";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { replayQuery, useDraftReplay, useReplayStep, type Replay } from "./replays-api.ts";

/** Sends many deliveries again: choose, see how many, confirm, follow. */
export function ReplayModal({
  subscriptionId,
  onClose,
}: {
  subscriptionId: number;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const draft = useDraftReplay(subscriptionId);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("webhooks.replay")}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      {draft.data === undefined ? (
        <Wish draft={draft} />
      ) : (
        <Run id={draft.data.id} onClose={onClose} />
      )}
    </Modal>
  );
}

function Wish({ draft }: { draft: ReturnType<typeof useDraftReplay> }) {
  const { t } = useTranslation();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { since: "", states: [...missedStates] as ReplayableState[] },
    validate: { states: (states) => (states.length === 0 ? t("replay.no_state") : null) },
  });
  const count = form.onSubmit(({ since, states }) =>
    draft.mutate(
      { states, ...(since === "" ? {} : { since: new Date(since).toISOString() }) },
      { onError: (error) => tellFailure(t("replay.not_counted"), error) },
    ),
  );
  return (
    <form onSubmit={count}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("replay.text")}
        </Text>
        <Checkbox.Group label={t("replay.states")} {...form.getInputProps("states")}>
          <Stack gap="xs" mt="xs">
            {replayableStates.map((state) => (
              <Checkbox key={state} value={state} label={t(`delivery_state.${state}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TextInput
          type="datetime-local"
          label={t("replay.since")}
          description={t("replay.since_text")}
          {...form.getInputProps("since")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={draft.isPending}>
            {t("replay.count")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Run({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(replayQuery(id));
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows rows={2} />;
  const done = data.queued + data.passed_over;
  return (
    <Stack>
      <Text>
        {data.state === "draft"
          ? t("replay.counted", { count: data.total })
          : t("replay.progress", { done, total: data.total })}
      </Text>
      {data.state !== "draft" && (
        <Progress
          value={data.total === 0 ? 100 : (done / data.total) * 100}
          aria-label={t("webhooks.replay")}
        />
      )}
      <Text size="sm" c="dimmed">
        {t(`replay.state.${data.state}`)}
      </Text>
      <Steps replay={data} onClose={onClose} />
    </Stack>
  );
}

function Steps({ replay, onClose }: { replay: Replay; onClose: () => void }) {
  const { t } = useTranslation();
  const step = useReplayStep(replay.id);
  const go = (name: "start" | "pause" | "resume" | "cancel") => (): void =>
    step.mutate(name, { onError: (error) => tellFailure(t("replay.not_changed"), error) });
  const { state } = replay;
  return (
    <Group justify="flex-end">
      {(state === "running" || state === "paused") && (
        <Button variant="default" onClick={go("cancel")}>
          {t("common.cancel")}
        </Button>
      )}
      {state === "running" && <Button onClick={go("pause")}>{t("webhooks.pause")}</Button>}
      {state === "paused" && <Button onClick={go("resume")}>{t("webhooks.resume")}</Button>}
      {state === "draft" && replay.total > 0 && (
        <Button loading={step.isPending} onClick={go("start")}>
          {t("replay.start", { count: replay.total })}
        </Button>
      )}
      {(state === "completed" || state === "cancelled" || replay.total === 0) && (
        <Button onClick={onClose}>{t("common.done")}</Button>
      )}
    </Group>
  );
}
