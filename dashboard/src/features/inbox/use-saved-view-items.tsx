import { Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { callApi } from "../../lib/api.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { isNarrowed, type ListState } from "./list-state.ts";
import { savedParts } from "./saved-parts.ts";

const SavedViewDialog = lazyPart(
  async () => (await import("./saved-view-dialog.tsx")).SavedViewDialog,
);

type Asked = "save" | "rename" | "delete";

/** Entries of a menu that save the list as a view, or change the saved view; and their dialogs. */
export function useSavedViewItems(state: ListState | null) {
  const { t } = useTranslation();
  const { user, role } = useSession();
  const [asked, ask] = useState<Asked | null>(null);
  const update = useUpdate();
  const close = (): void => ask(null);
  if (state === null) return { items: null, dialogs: null };
  const { saved } = state;
  const isOwn = saved !== null && (saved.user_id === user.id || role === "admin");
  const isChanged = saved !== null && (isNarrowed(state) || state.order !== saved.order);
  const items = (
    <>
      <Menu.Item onClick={() => ask("save")}>{t("saved_view.save")}</Menu.Item>
      {isOwn && (
        <>
          {isChanged && (
            <Menu.Item onClick={() => update.mutate({ id: saved.id, state })}>
              {t("saved_view.update", { name: saved.name })}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => ask("rename")}>{t("saved_view.rename")}</Menu.Item>
          <Menu.Item onClick={() => ask("delete")}>{t("saved_view.delete")}</Menu.Item>
        </>
      )}
      <Menu.Divider />
    </>
  );
  const dialogs = (
    <>
      <Suspense fallback={null}>
        {(asked === "save" || asked === "rename") && (
          <SavedViewDialog state={state} view={asked === "rename" ? saved : null} onClose={close} />
        )}
      </Suspense>
      {asked === "delete" && saved !== null && <DeleteView view={saved} onClose={close} />}
    </>
  );
  return { items, dialogs };
}

/** Writes the present filters and order into a saved view. */
function useUpdate() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ id, state }: { id: number; state: ListState }) =>
      await callApi("PATCH /inbox-views/:id", { id, body: savedParts(state) }),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: liveKeys.savedViews });
      void client.invalidateQueries({ queryKey: liveKeys.viewCounts });
      tellDone(t("saved_view.updated", { name }));
      await navigate(`${paths.inbox}?view=${id}`, { replace: true });
    },
    onError: (error) => tellFailure(t("saved_view.not_changed"), error),
  });
}

function DeleteView({
  view,
  onClose,
}: {
  view: NonNullable<ListState["saved"]>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: async () => await callApi("DELETE /inbox-views/:id", { id: view.id }),
    onSuccess: async () => {
      onClose();
      await navigate(paths.inbox, { replace: true });
      await client.invalidateQueries({ queryKey: liveKeys.savedViews });
    },
    onError: (error) => tellFailure(t("saved_view.not_changed"), error),
  });
  return (
    <ConfirmModal
      title={t("saved_view.delete_title", { name: view.name })}
      text={t("saved_view.delete_text")}
      action={t("saved_view.delete_action")}
      keep={t("saved_view.keep")}
      color="bad"
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
