import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "../../components/page.tsx";
import { SectionLinks } from "../../components/section-links.tsx";
import { Status } from "../../components/status.tsx";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { agentQuery } from "./api.ts";

interface AgentFrameProps {
  /** Name of the page below the title. */
  tab: string;
  action?: ReactNode;
  form?: boolean;
  children: ReactNode;
}

/** Frame of the agent's pages: title, switch state, and links between the pages. */
export function AgentFrame({ tab, action, form = false, children }: AgentFrameProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const agent = useQuery(agentQuery).data;
  const links = [
    { to: paths.agent, label: t("agent.overview") },
    { to: paths.agentSetup, label: t("agent.setup") },
    { to: paths.agentKnowledge, label: t("knowledge.title") },
    ...(role === "admin" ? [{ to: paths.agentPlayground, label: t("playground.title") }] : []),
    { to: paths.agentCases, label: t("cases.title") },
    { to: paths.agentTurns, label: t("turns.title") },
    { to: paths.agentUsage, label: t("reports.usage") },
    { to: paths.agentQuality, label: t("reports.quality") },
  ];
  return (
    <Page
      title={t("agent.title")}
      tab={`${t("agent.title")}: ${tab}`}
      action={action}
      form={form}
      aside={
        agent !== undefined && (
          <Status tone={agent.enabled ? "ok" : "gray"}>
            {t(agent.enabled ? "agent.is_on" : "agent.is_off")}
          </Status>
        )
      }
    >
      <SectionLinks label={t("agent.parts")} links={links} />
      {children}
    </Page>
  );
}
