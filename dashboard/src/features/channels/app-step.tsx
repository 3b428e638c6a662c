import { Button, Group, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QueryState } from "../../components/load-states.tsx";
import { AppCallback } from "./app-callback.tsx";
import { AppForm } from "./app-form.tsx";
import { appsQuery, type ChannelApp } from "./api.ts";
import type { StepParts } from "./connect-draft.ts";

/** Second step: a Meta app, and what to paste and tick at Meta. */
export function AppStep(parts: StepParts) {
  const apps = useQuery(appsQuery);
  return <QueryState query={apps}>{(rows) => <Loaded {...parts} apps={rows} />}</QueryState>;
}

function Loaded({ apps, ...parts }: StepParts & { apps: ChannelApp[] }) {
  const { t } = useTranslation();
  const { draft, change, go } = parts;
  const chosen = apps.find(({ id }) => id === draft.channelAppId);
  // Instagram Login signs with a secret of its own, which an older app may lack.
  const lacksSecret = draft.driver === "instagram_login" && chosen?.has_instagram_secret === false;
  return (
    <Stack gap="md">
      {apps.length > 0 && <AppChoice {...parts} apps={apps} />}
      {(chosen === undefined || lacksSecret) && (
        <AppForm
          text={t(chosen === undefined ? "connecting.app_text" : "connecting.app_again")}
          knownId={chosen?.app_id ?? null}
          typed={draft}
          hasInstagram={draft.driver === "instagram_login"}
          onType={change}
          onSaved={({ id }) => change({ channelAppId: id, appSecret: "", instagramSecret: "" })}
        />
      )}
      {chosen !== undefined && !lacksSecret && draft.driver !== null && (
        <AppCallback app={chosen} driver={draft.driver} />
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={() => go("network")}>
          {t("connecting.back")}
        </Button>
        {chosen !== undefined && !lacksSecret && (
          <Button onClick={() => go("account")}>{t("connecting.next")}</Button>
        )}
      </Group>
    </Stack>
  );
}

function AppChoice({ apps, draft, change }: StepParts & { apps: ChannelApp[] }) {
  const { t } = useTranslation();
  const [isNew, setNew] = useState(false);
  const value = draft.channelAppId === null ? (isNew ? "new" : null) : String(draft.channelAppId);
  return (
    <Radio.Group
      label={t("connecting.app_choice")}
      value={value}
      onChange={(id) => {
        setNew(id === "new");
        change({ channelAppId: id === "new" ? null : Number(id) });
      }}
    >
      <Stack gap="xs" mt="xs">
        {apps.map(({ id, app_id: appId }) => (
          <Radio key={id} value={String(id)} label={t("connecting.app", { id: appId })} />
        ))}
        <Radio value="new" label={t("connecting.app_new")} />
      </Stack>
    </Radio.Group>
  );
}
