import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { StepButton } from "../../../components/step-button.tsx";
import { StepsCard, type ShownStep } from "../../../components/steps-card.tsx";
import { agentStepsOf, firstRunQuery, ownerStepsOf } from "../../../lib/first-run.ts";
import { useSession } from "../../../lib/session.ts";
import { conversationPath, paths } from "../../../paths.ts";

interface FirstRunCardProps {
  /** Opens the form to write as a customer. */
  onWrite: () => void;
  onDismiss: () => void;
}

/**
 * Card with the first steps in a new account. The owner sets the account up. An agent tries the
 * inbox.
 */
export function FirstRunCard({ onWrite, onDismiss }: FirstRunCardProps) {
  const { role } = useSession();
  if (role === "admin") return <OwnerCard onDismiss={onDismiss} />;
  return <AgentCard onWrite={onWrite} onDismiss={onDismiss} />;
}

const ownerPaths = {
  zone: paths.account,
  team: paths.users,
  hours: paths.appointmentSetup,
  service: paths.appointmentSetup,
  link: paths.bookingLinks,
};

function OwnerCard({ onDismiss }: { onDismiss: () => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(firstRunQuery(ownerStepsOf));
  if (data === undefined) return null;
  const steps = ownerStepsOf(data).map(({ key, done }) => ({
    key,
    done,
    words: (
      <Anchor
        component={Link}
        to={ownerPaths[key]}
        c={done ? "dimmed" : undefined}
        display="block"
        py={{ base: 12, sm: 4 }}
      >
        {t(`first_run.${key}`)}
      </Anchor>
    ),
  }));
  return <Card steps={steps} onDismiss={onDismiss} />;
}

function AgentCard({ onWrite, onDismiss }: FirstRunCardProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data } = useQuery(firstRunQuery(agentStepsOf));
  if (data === undefined) return null;
  const { conversation_id: id } = data;
  const open = id !== null && (
    <StepButton step="replied" onClick={() => void navigate(conversationPath(id))} />
  );
  const steps = agentStepsOf(data).map(({ key, done }) => ({
    key,
    done,
    words: t(`first_run.${key}`),
    action: key === "wrote" ? <StepButton step="wrote" onClick={onWrite} /> : open,
  }));
  return <Card steps={steps} onDismiss={onDismiss} />;
}

function Card(props: { steps: ShownStep[]; onDismiss: () => void }) {
  const { t } = useTranslation();
  return <StepsCard title={t("first_run.title")} flex="none" mx="md" my="sm" {...props} />;
}
