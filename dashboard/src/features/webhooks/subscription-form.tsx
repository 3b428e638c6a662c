import { Chip, Group, Input, NumberInput, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  eventChannels,
  toRestChannel,
  type EventChannel,
} from "../../../../core/model/channels.ts";
import { maxNameLength } from "../../../../core/model/wire.ts";
import { highestConcurrency } from "../../../../core/model/subscription.ts";
import { FormFoot, SaveBar } from "../../components/form-foot.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { useRebase } from "../../lib/use-rebase.ts";
import type { Subscription, SubscriptionInput } from "./api.ts";
import { EventTree } from "./event-tree.tsx";
import styles from "./subscription-form.module.css";

type SubscriptionValues = ReturnType<typeof valuesOf>;
type SubscriptionFormState = ReturnType<typeof useSubscriptionForm>;

interface SubscriptionFormProps {
  /** Present on the subscription's page, where the form has a bar to save. */
  subscription?: Subscription;
  /** Word of the button of a new subscription. */
  submit?: string;
  pending: boolean;
  /** `before`: the stored values. Resolves when the change is stored. @throws ApiError */
  onSubmit: (input: SubscriptionInput, before: SubscriptionInput) => Promise<unknown>;
  onCancel?: () => void;
  /**
   * Content that depends on the values, beside the fields. On a phone it is between fields and
   * buttons.
   */
  beside?: (values: SubscriptionValues) => ReactNode;
  /** Fields of the form. */
  children: (form: SubscriptionFormState) => ReactNode;
}

/** Form with all or some fields of a subscription. */
export function SubscriptionForm(props: SubscriptionFormProps) {
  const form = useSubscriptionForm(props.subscription);
  const id = useId();
  const { values, errors } = form;
  const send = form.onSubmit(async (saved) => {
    try {
      await props.onSubmit(inputOf(saved), inputOf(form.getInitialValues()));
      form.resetDirty(saved);
    } catch (error) {
      const fields = fieldErrors(error);
      const known = Object.keys(fields).some((field) => field in values);
      form.setErrors(known ? fields : { form: errorText(error) });
    }
  });
  return (
    <div className={styles["layout"]}>
      <form id={id} onSubmit={send}>
        <Stack gap="sm">
          {props.children(form)}
          {props.submit === undefined && (
            <SaveBar
              changed={form.isDirty()}
              error={errors["form"]}
              pending={props.pending}
              onReset={form.reset}
            />
          )}
        </Stack>
      </form>
      {props.beside !== undefined && <div className={styles["beside"]}>{props.beside(values)}</div>}
      {props.submit !== undefined && (
        <Stack gap="sm">
          <FormFoot
            form={id}
            error={errors["form"]}
            submit={props.submit}
            pending={props.pending}
            onCancel={props.onCancel}
          />
        </Stack>
      )}
    </div>
  );
}

function inputOf({ name, channels, ...others }: SubscriptionValues): SubscriptionInput {
  const named = name.trim() === "" ? {} : { name };
  return { ...named, ...others, channels: channelFilter(channels) };
}

/** Channel filter for the API. An empty choice means no filter. */
export function channelFilter(channels: EventChannel[]): EventChannel[] | null {
  return channels.length === 0 ? null : channels;
}

/** Fields for URL, name, automatic disabling and the number of POSTs at once. */
export function TargetFields({ form }: { form: SubscriptionFormState }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label="URL"
        placeholder="https://example.com/hooks"
        required
        withAsterisk={false}
        maxLength={2_048}
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput
        label={t("common.name")}
        placeholder={t("common.optional")}
        maxLength={maxNameLength}
        {...form.getInputProps("name")}
      />
      <Switch
        label={t("webhooks.auto_disable")}
        description={t("webhooks.auto_disable_text")}
        {...form.getInputProps("auto_disable", { type: "checkbox" })}
      />
      <NumberInput
        label={t("webhooks.max_concurrency")}
        description={t("webhooks.max_concurrency_text")}
        placeholder={t("common.optional")}
        min={1}
        max={highestConcurrency}
        allowDecimal={false}
        value={form.values.max_concurrency ?? ""}
        onChange={(value) =>
          form.setFieldValue("max_concurrency", typeof value === "number" ? value : null)
        }
        error={form.errors["max_concurrency"]}
      />
    </>
  );
}

/** Fields for events and channels. */
export function SelectionFields({ form }: { form: SubscriptionFormState }) {
  const { t } = useTranslation();
  const { values, errors } = form;
  return (
    <Stack gap="lg">
      <EventTree
        value={values.events}
        onChange={(events) => form.setFieldValue("events", events)}
        error={errors["events"]}
      />
      <Input.Wrapper
        label={t("webhooks.channels")}
        description={t("webhooks.channels_text")}
        error={errors["channels"]}
        labelElement="div"
      >
        <Chip.Group
          multiple
          value={values.channels}
          onChange={(channels) => form.setFieldValue("channels", channels as EventChannel[])}
        >
          <Group gap="xs" mt="xs" role="group" aria-label={t("webhooks.channels")}>
            {eventChannels.map((channel) => (
              <Chip key={channel} value={channel} size="xs">
                {t(`channel.${toRestChannel(channel)}`)}
              </Chip>
            ))}
            {values.channels.length === 0 && (
              <Text size="sm" c="dimmed">
                {t("webhooks.all_channels")}
              </Text>
            )}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
    </Stack>
  );
}

function useSubscriptionForm(subscription: Subscription | undefined) {
  const saved = valuesOf(subscription);
  const form = useForm({ initialValues: saved });
  useRebase(form, saved);
  return form;
}

/** Initial values of the form. A new subscription selects every event. */
function valuesOf(subscription: Subscription | undefined) {
  return {
    name: subscription?.name ?? "",
    url: subscription?.url ?? "",
    events: subscription?.events ?? ["*"],
    channels: (subscription?.channels ?? []) as EventChannel[],
    auto_disable: subscription?.auto_disable ?? false,
    max_concurrency: subscription?.max_concurrency ?? null,
  };
}
