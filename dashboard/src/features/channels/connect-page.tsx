import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { isMetaDriver } from "../../../../core/model/channels.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { AccountStep } from "./account-step.tsx";
import { channelsQuery, useConnectChannel, type Channel } from "./api.ts";
import { AppStep } from "./app-step.tsx";
import { CheckStep } from "./check-step.tsx";
import {
  connectBody,
  emptyDraft,
  reachableStep,
  shownStep,
  type ConnectDraft,
  type ConnectStep,
} from "./connect-draft.ts";
import { DoneStep } from "./done-step.tsx";
import { NetworkStep } from "./network-step.tsx";
import { ConnectFrame } from "./connect-frame.tsx";

/** Page that connects a channel step by step, or gives one a new token (`?channel=`). */
export function ConnectPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [params] = useSearchParams();
  const channels = useQuery({ ...channelsQuery, enabled: role === "admin" });
  const again = params.get("channel");
  const title = t(again === null ? "channels.connect" : "channels.reconnect");
  return (
    <Page title={title} parent={{ to: paths.channels, label: t("channels.title") }} form>
      {role !== "admin" && <Empty title={t("channels.admins")} text={t("error.forbidden_role")} />}
      {role === "admin" && again === null && (
        <Steps initial={emptyDraft(params.get("driver"))} known={null} />
      )}
      {role === "admin" && again !== null && (
        <QueryState query={channels}>
          {(rows) => <Reconnect channel={rows.find(({ id }) => String(id) === again)} />}
        </QueryState>
      )}
    </Page>
  );
}

function Reconnect({ channel }: { channel: Channel | undefined }) {
  const { t } = useTranslation();
  if (channel === undefined || !isMetaDriver(channel.driver)) {
    return <Empty title={t("channels.gone")} text={t("channels.gone_text")} />;
  }
  const { id, driver, channel_app_id: channelAppId, parent_id: parentId } = channel;
  const draft: ConnectDraft = {
    ...emptyDraft(driver),
    channelId: id,
    channelAppId,
    parentId: parentId ?? "",
    externalId: channel.external_id,
  };
  return <Steps key={id} initial={draft} known={channel} />;
}

interface StepsProps {
  initial: ConnectDraft;
  /** The channel that gets a new token; null for a new channel. */
  known: Channel | null;
}

/** The steps. The URL keeps the open one, so the Back button of the browser goes one step back. */
function Steps({ initial, known }: StepsProps) {
  const [draft, setDraft] = useState(initial);
  const [params, setParams] = useSearchParams();
  const connect = useConnectChannel();
  const first = known === null ? "network" : "account";
  const reachable = reachableStep(draft, connect);
  const step = shownStep(params.get("step"), { first, reachable });
  const go = (next: ConnectStep, how = { replace: false }): void =>
    setParams((before) => {
      const after = new URLSearchParams(before);
      after.set("step", next);
      return after;
    }, how);
  const change = (part: Partial<ConnectDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const check = (): void => {
    const body = connectBody(draft);
    if (body === null) return;
    connect.mutate(body, {
      onSuccess: () => {
        change({ token: "" });
        go("done", { replace: true });
      },
    });
    go("check", { replace: step === "check" });
  };
  const parts = { draft, change, go };
  return (
    <ConnectFrame step={step} isAgain={known !== null}>
      {step === "network" && <NetworkStep {...parts} />}
      {step === "app" && <AppStep {...parts} />}
      {step === "account" && <AccountStep {...parts} known={known} onCheck={check} />}
      {step === "check" && <CheckStep {...parts} call={connect} onCheck={check} />}
      {step === "done" && connect.data !== undefined && <DoneStep id={connect.data.id} />}
    </ConnectFrame>
  );
}
