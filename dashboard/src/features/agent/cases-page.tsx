import { Button, Text } from "@mantine/core";
import { IconFlask, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { CaseModal } from "./case-modal.tsx";
import { CaseTable } from "./case-table.tsx";
import { casesQuery, useChangeCases, type CaseForm } from "./cases-api.ts";

const newCase: CaseForm = {
  id: null,
  channel: "whatsapp",
  lines: [],
  expected: { outcome: "replied", tool: null, item_id: null },
  result: null,
};

/**
 * Page of the agent's test cases, with the result of each, which arrives while they run. The URL
 * keeps the opened case.
 */
export function CasesPage() {
  const { t } = useTranslation();
  const isAdmin = useSession().role === "admin";
  const cases = useQuery(casesQuery);
  const change = useChangeCases();
  const [adding, setAdding] = useState(false);
  const [params, set] = useUrlFilters(["case"]);
  const opened = cases.data?.data.find(({ id }) => String(id) === params.get("case"));
  const hasCases = (cases.data?.data.length ?? 0) > 0;
  const tell = (error: unknown): void => tellFailure(t("cases.not_changed"), error);
  return (
    <AgentFrame
      tab={t("cases.title")}
      action={
        isAdmin &&
        hasCases && (
          <>
            <Button variant="default" onClick={() => setAdding(true)}>
              {t("cases.add")}
            </Button>
            <PendingButton
              pending={change.isPending}
              onClick={() => change.mutate({ run: true }, { onError: tell })}
            >
              {t("cases.run")}
            </PendingButton>
          </>
        )
      }
    >
      <QueryState query={cases}>
        {({ data }) =>
          data.length === 0 ? (
            <NoCases onAdd={isAdmin ? () => setAdding(true) : null} />
          ) : (
            <>
              {!isAdmin && <Text mb="md">{t("cases.admins")}</Text>}
              <CaseTable rows={data} onOpen={isAdmin ? (id) => set("case", String(id)) : null} />
            </>
          )
        }
      </QueryState>
      {adding && <CaseModal of={newCase} onClose={() => setAdding(false)} />}
      {isAdmin && opened !== undefined && (
        <CaseModal key={opened.id} of={opened} onClose={() => set("case", null)} />
      )}
    </AgentFrame>
  );
}

/** Empty page: an admin writes the first case, or keeps a conversation of the playground. */
function NoCases({ onAdd }: { onAdd: (() => void) | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const words = { title: t("cases.empty"), text: t("cases.empty_text") };
  if (onAdd === null) return <Empty {...words} />;
  return (
    <EmptyWithSteps
      {...words}
      steps={[
        {
          icon: IconPlus,
          hue: "indigo",
          title: t("cases.add"),
          text: t("cases.first_text"),
          onClick: onAdd,
        },
        {
          icon: IconFlask,
          hue: "teal",
          title: t("cases.try"),
          text: t("cases.try_text"),
          onClick: () => void navigate(paths.agentPlayground),
        },
      ]}
    />
  );
}
