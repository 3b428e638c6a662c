import { Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { importQuery, useImportAct, type Import } from "./api.ts";
import { CheckStep } from "./check-step.tsx";
import { ImportFrame, type ImportStep } from "./import-frame.tsx";
import { ImportStatus } from "./import-status.tsx";
import { MapChat } from "./map-chat.tsx";
import { MapTable } from "./map-table.tsx";
import { ResultStep } from "./result-step.tsx";
import { RunStep } from "./run-step.tsx";
import { Working } from "./working.tsx";

/** Page of one import, at the step that its state is at. */
export function ImportPage({ id }: { id: number }) {
  const query = useQuery(importQuery(id));
  return <QueryState query={query}>{(one) => <Loaded one={one} />}</QueryState>;
}

interface ImportProps {
  one: Import;
}

function Loaded({ one }: ImportProps) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  // A finished dry run can be left for another mapping. The URL says so, and Back returns.
  const isRemapping = canRemap(one) && params.get("step") === "map";
  const remap = (on: boolean): void => setParams(on ? { step: "map" } : {}, { replace: !on });
  const step = isRemapping ? "map" : stepOf(one);
  const title = useTitle(one, step);
  return (
    <ImportFrame
      name={one.name ?? t("imports.erased")}
      // The title of the step says it too, and a phone has no room beside the name.
      aside={
        <Box component="span" visibleFrom="sm">
          <ImportStatus {...one} />
        </Box>
      }
      action={isOpen(one) && <CancelButton id={one.id} />}
      step={step}
      title={title}
    >
      {step === "map" && <MapStep one={one} onPlanned={() => remap(false)} />}
      {step === "check" && <CheckStep one={one} onRemap={() => remap(true)} />}
      {step === "run" &&
        (isRunning(one) ? (
          <RunStep one={one} />
        ) : (
          <ResultStep one={one} onRemap={canRemap(one) ? () => remap(true) : null} />
        ))}
    </ImportFrame>
  );
}

/** @returns true where another mapping can follow a dry run, or a failure. */
function canRemap({ state, detected }: Import): boolean {
  return state === "planned" || (state === "failed" && detected !== null);
}

/** @returns true before the commit, where a cancel leaves nothing behind. */
function isOpen({ state }: Import): boolean {
  return ["uploaded", "mapping", "planning", "planned"].includes(state);
}

function isRunning({ state }: Import): boolean {
  return state === "committing" || state === "paused";
}

const stepsOfStates: Partial<Record<Import["state"], ImportStep>> = {
  uploaded: "map",
  mapping: "map",
  planning: "check",
  planned: "check",
};

function stepOf({ state }: Import): ImportStep {
  return stepsOfStates[state] ?? "run";
}

function useTitle(one: Import, step: ImportStep): string {
  const { t } = useTranslation();
  if (step === "map") return t(`imports.map.title.${one.kind}`);
  if (step === "check") return t("imports.check.title");
  return isRunning(one) ? t("imports.run.title") : t(`imports.done.title.${one.state as "done"}`);
}

function MapStep({ one, onPlanned }: ImportProps & { onPlanned: () => void }) {
  const { t } = useTranslation();
  const { detected } = one;
  if (detected === null) {
    return <Working title={t("imports.reading")} text={t("imports.reading_text")} />;
  }
  if (detected.format === "chat") {
    return <MapChat one={one} chat={detected} onPlanned={onPlanned} />;
  }
  return <MapTable one={one} table={detected} onPlanned={onPlanned} />;
}

/** Cancels an import that has not begun, after a question. */
function CancelButton({ id }: { id: number }) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const act = useImportAct(id);
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        leftSection={<IconX size={16} aria-hidden />}
        onClick={ask.open}
      >
        {t("imports.cancel")}
      </Button>
      {/* A phone leaves the room of the words to the name of the file. */}
      <IconAction
        hiddenFrom="sm"
        label={t("imports.cancel")}
        variant="default"
        size={32}
        onClick={ask.open}
      >
        <IconX size={16} aria-hidden />
      </IconAction>
      {asking && (
        <ConfirmModal
          title={t("imports.cancel_title")}
          text={t("imports.cancel_text")}
          action={t("imports.cancel")}
          keep={t("common.keep")}
          color="bad"
          pending={act.isPending}
          onConfirm={() =>
            act.mutate("cancel", {
              onSuccess: ask.close,
              onError: (error) => tellFailure(t("imports.not_changed"), error),
            })
          }
          onClose={ask.close}
        />
      )}
    </>
  );
}
