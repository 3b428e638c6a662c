import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { hourMs } from "../../../../core/model/durations.ts";
import {
  missedStates,
  replayableStates,
  type ReplayableState,
} from "../../../../core/model/replay.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { WallField } from "../../components/wall-field.tsx";
import { tellFailure } from "../../lib/notify.ts";
import type { Subscription } from "./api.ts";
import { useDraftReplay } from "./replays-api.ts";

interface ReplayWishFormProps {
  subscription: Subscription;
  onDrafted: (id: number) => void;
}

/** Suggested starts, as ms before now. */
const looks = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs } as const;

/** Form that chooses deliveries for a replay. It only counts them. */
export function ReplayForm({ subscription, onDrafted }: ReplayWishFormProps) {
  const { t } = useTranslation();
  const draft = useDraftReplay(subscription.id);
  const form = useForm({
    initialValues: { since: "", states: [...missedStates] as ReplayableState[] },
    validate: { states: (states) => (states.length === 0 ? t("replay.no_state") : null) },
  });
  const count = form.onSubmit(({ since, states }) =>
    draft.mutate(
      { states, ...(since === "" ? {} : { since: new Date(since).toISOString() }) },
      {
        onSuccess: ({ id }) => onDrafted(id),
        onError: (error) => tellFailure(t("replay.not_counted"), error),
      },
    ),
  );
  return (
    <form onSubmit={count}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("replay.text")}
        </Text>
        {subscription.state !== "active" && <Alert color="warn">{t("replay.not_active")}</Alert>}
        <Checkbox.Group label={t("replay.states")} {...form.getInputProps("states")}>
          <Stack gap="xs" mt="xs">
            {replayableStates.map((state) => (
              <Checkbox key={state} value={state} label={t(`delivery_state.${state}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <WallField
          kind="datetime"
          label={t("replay.since")}
          description={t("replay.since_text")}
          {...form.getInputProps("since")}
        />
        <Group gap="xs">
          {(Object.keys(looks) as (keyof typeof looks)[]).map((look) => (
            <Button
              key={look}
              size="compact-xs"
              variant="default"
              onClick={() => form.setFieldValue("since", inputTime(Date.now() - looks[look]))}
            >
              {t(`replay.looks.${look}`)}
            </Button>
          ))}
        </Group>
        <Group justify="flex-end">
          <PendingButton type="submit" pending={draft.isPending}>
            {t("replay.count")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}

/** Moment in the form of a date and time field: to the minute, in this browser's time zone. */
function inputTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}
