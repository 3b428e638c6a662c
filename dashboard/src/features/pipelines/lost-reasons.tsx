import { TagsInput } from "@mantine/core";
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { maxLostReasons, type PipelineView } from "../../../../core/model/pipeline.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import { pipelinesQuery } from "../../lib/pipelines.ts";

/**
 * Field for the reasons that a lost card offers. Each new or removed reason is saved at once. New
 * reasons that could not be saved come back as text.
 */
export function LostReasons({ pipeline }: { pipeline: PipelineView }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const { reasons, change } = useLostReasons(pipeline, (unsaved) =>
    setText((typed) => [...unsaved, typed].filter((one) => one.trim() !== "").join(", ")),
  );
  return (
    <TagsInput
      label={t("pipelines.lost_reasons")}
      description={t("pipelines.lost_reasons_text")}
      maxTags={maxLostReasons}
      acceptValueOnBlur
      value={reasons}
      searchValue={text}
      onSearchChange={setText}
      onChange={(next) => change(next.flatMap((one) => (reasons.includes(one) ? one : split(one))))}
    />
  );
}

/** The field splits typed text at commas. Text that came back has commas when Enter is pressed. */
function split(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

/**
 * Lost reasons as the field shows them, and their change. A change is shown within the event that
 * makes it, because the next one is made from it. Each call replaces the whole list, so calls run
 * one after another, and the last one decides.
 * @param onUnsaved gets the new reasons of a failure
 */
function useLostReasons(
  { id, lost_reasons: stored }: PipelineView,
  onUnsaved: (reasons: string[]) => void,
) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string[] | null>(null);
  const mutationKey = ["lost-reasons", id];
  const { queryKey } = pipelinesQuery;
  const { mutate } = useMutation({
    mutationKey,
    scope: { id: `lost-reasons-${id}` },
    mutationFn: async (reasons: string[]) =>
      await callApi("PATCH /pipelines/:id", { id, body: { lost_reasons: reasons } }),
    // The answer is shown without a further read, which could fail or come late.
    onSuccess: (view) =>
      client.setQueryData(
        queryKey,
        (list) => list && { ...list, data: list.data.map((one) => (one.id === id ? view : one)) },
      ),
    onError: (error) => {
      // A later call repeats this change.
      if (client.isMutating({ mutationKey }) === 1) tellFailure(t("pipelines.not_changed"), error);
    },
    onSettled: () => void client.invalidateQueries({ queryKey: liveKeys.pipelines }),
  });
  // Calls of an earlier dialog may still be under way.
  const sent = useMutationState({
    filters: { mutationKey, status: "pending" },
    select: ({ state }) => state.variables as string[],
  });
  const change = (reasons: string[]): void => {
    setChosen(reasons);
    mutate(reasons, {
      onError: () => {
        const list = client.getQueryData(queryKey)?.data;
        const kept = list?.find((one) => one.id === id)?.lost_reasons ?? [];
        onUnsaved(reasons.filter((one) => !kept.includes(one)));
      },
      onSettled: () => setChosen(null),
    });
  };
  return { reasons: chosen ?? sent.at(-1) ?? stored, change };
}
