import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Locale } from "../../../core/model/user.ts";
import { callApi } from "./api.ts";
import { tellFailure } from "./notify.ts";
import { sessionQuery } from "./session.ts";

/** Changes of one's own profile. */
export interface ProfileChange {
  name?: string;
  locale?: Locale | null;
}

/** Changes one's own name or language, in every account. */
export function useChangeProfile() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (change: ProfileChange) => await callApi("PATCH /me", { body: change }),
    onSuccess: (user) => {
      client.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user });
    },
    onError: (error) => tellFailure(t("profile.not_saved"), error),
  });
}
