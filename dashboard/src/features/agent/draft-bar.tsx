import { Anchor, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { keysOf } from "../../lib/difference.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { useChangeAgent, type Agent } from "./api.ts";
import styles from "./agent.module.css";

/** Bar above a draft that differs from the published settings: its changes, Discard and Publish. */
export function DraftBar({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const change = useChangeAgent();
  const [discarding, discard] = useDisclosure(false);
  const changed = keysOf(agent.draft).filter(
    (key) => JSON.stringify(agent.draft[key]) !== JSON.stringify(agent.published[key]),
  );
  return (
    <section className={styles["draft"]} aria-label={t("agent.draft")}>
      <span>
        {t("agent.not_live")} {t("agent.changes", { count: changed.length })}
      </span>
      {role === "admin" && (
        <>
          <Button variant="default" onClick={discard.open}>
            {t("agent.discard")}
          </Button>
          <PublishButton agent={agent} />
        </>
      )}
      {discarding && (
        <ConfirmModal
          title={t("agent.discard_title")}
          text={t("agent.discard_text")}
          action={t("agent.discard")}
          keep={t("agent.keep")}
          color="bad"
          pending={change.isPending}
          onClose={discard.close}
          onConfirm={() =>
            change.mutate(
              { patch: { ...agent.published, version: agent.version } },
              {
                onSuccess: discard.close,
                onError: (error) => tellFailure(t("agent.not_discarded"), error),
              },
            )
          }
        />
      )}
    </section>
  );
}

/** Publishes the draft. Test cases that are red or were not run ask for a confirmation first. */
function PublishButton({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const change = useChangeAgent();
  const [warning, warn] = useDisclosure(false);
  const { failed, unrun } = agent.cases;
  // Awaited, because the bar is gone once the draft is published, and callbacks with it.
  const publish = async (): Promise<void> => {
    try {
      const { published_number: number } = await change.mutateAsync({ publish: agent.version });
      tellDone(t("agent.published", { number }));
    } catch (error) {
      tellFailure(t("agent.not_published"), error);
    }
    warn.close();
  };
  return (
    <>
      <PendingButton
        pending={change.isPending}
        onClick={failed + unrun > 0 ? warn.open : () => void publish()}
      >
        {t("agent.publish")}
      </PendingButton>
      {warning && (
        <ConfirmModal
          title={t("cases.warn_title")}
          text={[
            failed > 0 ? t("cases.warn_failed", { count: failed }) : "",
            unrun > 0 ? t("cases.warn_unrun", { count: unrun }) : "",
          ]
            .join(" ")
            .trim()}
          action={t("cases.publish_anyway")}
          pending={change.isPending}
          onClose={warn.close}
          onConfirm={() => void publish()}
        >
          <Anchor component={Link} to={paths.agentCases} onClick={warn.close}>
            {t("cases.look")}
          </Anchor>
        </ConfirmModal>
      )}
    </>
  );
}
