import {
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { HoursEditor } from "../../components/hours-editor.tsx";
import { useSession } from "../../lib/session.ts";
import { officeHours } from "../../lib/weekly-hours.ts";
import { bookableLinksQuery } from "./api.ts";
import type { FieldsProps } from "./widget-values.ts";

const maxDelaySeconds = 600;
const consentModes = ["none", "notice", "required"] as const;
const needs = ["off", "optional", "required"] as const;

/** Behaviour of the chat: greeting, form before it, hours, privacy and extras. */
export function ChatFields({ form }: FieldsProps) {
  return (
    <Stack>
      <Greeting form={form} />
      <PreChat form={form} />
      <Hours form={form} />
      <Privacy form={form} />
      <Extras form={form} />
    </Stack>
  );
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  );
}

function Greeting({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { is_on: isOn, delay_seconds: delay } = form.values.settings.greeting;
  return (
    <Block title={t("web_chat.greeting")}>
      <Switch
        label={t("web_chat.greeting_on")}
        description={t("web_chat.greeting_text")}
        {...form.getInputProps("settings.greeting.is_on", { type: "checkbox" })}
      />
      {isOn && (
        <>
          <NumberInput
            label={t("web_chat.greeting_delay")}
            min={0}
            max={maxDelaySeconds}
            allowDecimal={false}
            suffix=" s"
            value={delay}
            onChange={(value) =>
              form.setFieldValue(
                "settings.greeting.delay_seconds",
                typeof value === "number" ? value : 0,
              )
            }
          />
          <Textarea
            label={t("web_chat.greeting_pages")}
            description={t("web_chat.greeting_pages_text")}
            placeholder="/pricing"
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps("pages")}
          />
        </>
      )}
    </Block>
  );
}

function PreChat({ form }: FieldsProps) {
  const { t } = useTranslation();
  const data = needs.map((value) => ({ value, label: t(`web_chat.needs.${value}`) }));
  return (
    <Block title={t("web_chat.pre_chat")}>
      <Switch
        label={t("web_chat.pre_chat_on")}
        description={t("web_chat.pre_chat_text")}
        {...form.getInputProps("settings.pre_chat.is_on", { type: "checkbox" })}
      />
      {form.values.settings.pre_chat.is_on && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {(["name", "email", "phone"] as const).map((field) => (
            <Select
              key={field}
              label={t(`web_chat.asks.${field}`)}
              allowDeselect={false}
              data={data}
              {...form.getInputProps(`settings.pre_chat.${field}`)}
            />
          ))}
        </SimpleGrid>
      )}
    </Block>
  );
}

function Hours({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { hours } = form.values.settings;
  return (
    <Block title={t("web_chat.hours")}>
      <Switch
        label={t("web_chat.hours_on")}
        description={t("web_chat.hours_text", { zone: account.time_zone })}
        checked={hours !== null}
        onChange={({ currentTarget }) =>
          form.setFieldValue("settings.hours", currentTarget.checked ? officeHours : null)
        }
      />
      {hours !== null && (
        <>
          <HoursEditor
            hours={hours}
            onChange={(next) => form.setFieldValue("settings.hours", next)}
          />
          {typeof form.errors["settings.hours"] === "string" && (
            <Text size="xs" c="var(--parley-bad)" role="alert">
              {form.errors["settings.hours"]}
            </Text>
          )}
          <Switch
            label={t("web_chat.shows_hours")}
            {...form.getInputProps("settings.shows_hours", { type: "checkbox" })}
          />
        </>
      )}
      <Switch
        label={t("web_chat.shows_reply_time")}
        description={t("web_chat.shows_reply_time_text")}
        {...form.getInputProps("settings.shows_reply_time", { type: "checkbox" })}
      />
    </Block>
  );
}

function Privacy({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Block title={t("web_chat.privacy")}>
      <Select
        label={t("web_chat.consent")}
        description={t(`web_chat.consent_help.${form.values.settings.consent}`)}
        allowDeselect={false}
        data={consentModes.map((value) => ({ value, label: t(`web_chat.consents.${value}`) }))}
        {...form.getInputProps("settings.consent")}
      />
      <TextInput
        label={t("web_chat.privacy_url")}
        description={t("web_chat.privacy_url_text")}
        placeholder="https://www.example.com/privacy"
        maxLength={500}
        spellCheck={false}
        {...form.getInputProps("settings.privacy_url")}
      />
      <Switch
        label={t("web_chat.remembers")}
        description={t("web_chat.remembers_text")}
        {...form.getInputProps("settings.remembers", { type: "checkbox" })}
      />
      <Switch
        label={t("web_chat.erase")}
        description={t("web_chat.erase_text")}
        {...form.getInputProps("settings.lets_visitor_erase", { type: "checkbox" })}
      />
    </Block>
  );
}

function Extras({ form }: FieldsProps) {
  const { t } = useTranslation();
  const links = useQuery(bookableLinksQuery).data ?? [];
  return (
    <Block title={t("web_chat.extras")}>
      <Switch
        label={t("web_chat.files")}
        description={t("web_chat.files_text")}
        {...form.getInputProps("settings.takes_files", { type: "checkbox" })}
      />
      <Select
        label={t("web_chat.booking")}
        description={t("web_chat.booking_text")}
        placeholder={t("web_chat.no_booking")}
        clearable
        clearButtonProps={{ "aria-label": t("web_chat.no_booking") }}
        data={links.map(({ slug, title }) => ({ value: slug, label: title }))}
        {...form.getInputProps("settings.booking_slug")}
      />
    </Block>
  );
}
