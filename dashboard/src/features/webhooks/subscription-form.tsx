import { MultiSelect, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import {
  eventChannels,
  toRestChannel,
  type EventChannel,
} from "../../../../core/model/channels.ts";
import { maxNameLength } from "../../../../core/model/subscription.ts";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import type { Subscription, SubscriptionInput } from "./api.ts";
import { EventTree } from "./event-tree.tsx";

interface SubscriptionFormProps {
  subscription?: Subscription;
  submit: string;
  pending: boolean;
  /** Resolves when it is done. @throws ApiError */
  onSubmit: (input: SubscriptionInput) => Promise<unknown>;
  onCancel?: () => void;
}

/** What a subscription is: where to, which events, of which channels. */
export function SubscriptionForm(props: SubscriptionFormProps) {
  const form = useSubscriptionForm(props.subscription);
  const { values, errors } = form;
  const send = form.onSubmit(async ({ name, url, events, channels }) => {
    const named = name.trim() === "" ? {} : { name };
    const input = { ...named, url, events, channels: channels.length === 0 ? null : channels };
    await props.onSubmit(input).catch((error: unknown) => {
      const fields = fieldErrors(error);
      const known = Object.keys(fields).some((field) => field in values);
      form.setErrors(known ? fields : { form: errorText(error) });
    });
  });
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <SubscriptionFields form={form} />
        <FormFoot
          error={errors["form"]}
          submit={props.submit}
          pending={props.pending}
          onCancel={props.onCancel}
        />
      </Stack>
    </form>
  );
}

function SubscriptionFields({ form }: { form: ReturnType<typeof useSubscriptionForm> }) {
  const { t } = useTranslation();
  const { values, errors } = form;
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
      <EventTree
        value={values.events}
        onChange={(events) => form.setFieldValue("events", events)}
        error={errors["events"]}
      />
      <MultiSelect
        label={t("webhooks.channels")}
        description={t("webhooks.channels_text")}
        placeholder={values.channels.length === 0 ? t("webhooks.all_channels") : ""}
        data={eventChannels.map((value) => ({
          value,
          label: t(`channel.${toRestChannel(value)}`),
        }))}
        {...form.getInputProps("channels")}
      />
    </>
  );
}

function useSubscriptionForm(subscription: Subscription | undefined) {
  return useForm({
    initialValues: {
      name: subscription?.name ?? "",
      url: subscription?.url ?? "",
      events: subscription?.events ?? ["*"],
      channels: (subscription?.channels ?? []) as EventChannel[],
    },
  });
}
