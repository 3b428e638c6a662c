import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { SavedView } from "../../../../core/model/saved-view.ts";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { paths } from "../../paths.ts";
import type { ListState } from "./list-state.ts";
import { savedParts } from "./saved-parts.ts";

interface SavedViewDialogProps {
  state: ListState;
  /** The view to rename or to share; null to save the list as a new view. */
  view: SavedView | null;
  onClose: () => void;
}

/** Dialog for the name of a saved view, and for whom it is. */
export function SavedViewDialog({ state, view, onClose }: SavedViewDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(view?.name ?? "");
  const [shared, setShared] = useState(view?.shared ?? false);
  const save = useSave(state, view, onClose);
  const isCut =
    Object.keys(savedParts(state).filter ?? {}).length < Object.keys(state.filter).length;
  return (
    <Dialog
      title={t(view === null ? "saved_view.save_title" : "saved_view.rename_title")}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ name: name.trim(), shared });
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t("common.name")}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            required
            withAsterisk={false}
            maxLength={60}
            data-autofocus
          />
          <Checkbox
            label={t("saved_view.shared")}
            description={t("saved_view.shared_text")}
            checked={shared}
            onChange={({ currentTarget }) => setShared(currentTarget.checked)}
          />
          {view === null && isCut && (
            <Text size="xs" c="dimmed">
              {t("saved_view.cut")}
            </Text>
          )}
          <MutationFoot mutation={save} submit={t("common.save")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

function useSave(state: ListState, view: SavedView | null, onClose: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (own: { name: string; shared: boolean }) => {
      if (view !== null) return await callApi("PATCH /inbox-views/:id", { id: view.id, body: own });
      return await callApi("POST /inbox-views", { body: { ...own, ...savedParts(state) } });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: liveKeys.savedViews });
      void client.invalidateQueries({ queryKey: liveKeys.viewCounts });
      onClose();
      if (view === null) await navigate(`${paths.inbox}?view=${id}`);
    },
  });
}
