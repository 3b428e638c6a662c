import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { QueryState } from "../../components/load-states.tsx";
import { SaveBar } from "../../components/form-foot.tsx";
import { differenceOf } from "../../lib/difference.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { ApiError } from "../../lib/api.ts";
import { useSession } from "../../lib/session.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { agentQuery, useChangeAgent, type Agent } from "./api.ts";
import { DraftBar } from "./draft-bar.tsx";
import { changeOf, useDraftForm, valuesOf } from "./draft-values.ts";
import { HandoverFields } from "./handover-fields.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { ChannelFields, PersonaFields } from "./persona-fields.tsx";
import { Providers } from "./providers.tsx";
import { ToolFields } from "./tool-fields.tsx";
import { Versions } from "./versions.tsx";

/** Page of the agent's settings. Changes go into a draft, which an admin publishes. */
export function SetupPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const agent = useQuery(agentQuery);
  return (
    <AgentFrame form tab={t("agent.setup")}>
      <QueryState query={agent}>
        {(loaded) => (
          <Stack gap="xl">
            <DraftForm agent={loaded} />
            {role === "admin" && <Providers />}
            <Versions agent={loaded} />
          </Stack>
        )}
      </QueryState>
    </AgentFrame>
  );
}

function DraftForm({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const readOnly = useSession().role !== "admin";
  const change = useChangeAgent();
  const form = useDraftForm(agent.draft, change.isPending);
  const send = form.onSubmit(async (values) => {
    try {
      const patch = { ...changeOf(values, form.getInitialValues()), version: agent.version };
      const saved = valuesOf((await change.mutateAsync({ patch })).draft);
      form.setInitialValues(saved);
      // Text that was typed during the save is not saved yet.
      form.setValues((typed) => ({ ...saved, ...differenceOf(typed, values) }));
      form.setDirty({});
      tellDone(t("agent.draft_saved"));
    } catch (error) {
      const fields = fieldErrors(error);
      form.setErrors(
        Object.keys(fields).length === 0
          ? { form: errorText(error) }
          : { ...fields, form: errorText(error) },
      );
    }
  });
  const isDirty = form.isDirty();
  // The colleague's draft arrives after the refusal, and clears the errors of the form.
  const refusal =
    change.error instanceof ApiError && change.error.code === "draft_changed"
      ? errorText(change.error)
      : null;
  return (
    <div>
      {!isDirty && agent.differs && <DraftBar agent={agent} />}
      <form onSubmit={send} noValidate>
        <Stack>
          {readOnly && <Text c="dimmed">{t("agent.read_only")}</Text>}
          <PersonaFields form={form} readOnly={readOnly} />
          <ChannelFields form={form} readOnly={readOnly} />
          <ToolFields form={form} readOnly={readOnly} />
          <HandoverFields form={form} readOnly={readOnly} />
          <LimitFields form={form} readOnly={readOnly} />
          {!readOnly && (
            <SaveBar
              changed={isDirty}
              error={form.errors["form"] ?? (isDirty ? refusal : null)}
              submit={t("agent.save_draft")}
              pending={change.isPending}
              onReset={form.reset}
            />
          )}
        </Stack>
      </form>
    </div>
  );
}
