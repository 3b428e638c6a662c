import { TextInput } from "@mantine/core";
import { IconBookmark } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import type { ContactFilter } from "../../lib/contact.ts";
import { useKeepFilter } from "./filters-api.ts";
import { PopoverForm } from "./popover-form.tsx";

/** Form that saves the present filter under a name. */
export function KeepFilter({ filter }: { filter: ContactFilter }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const keep = useKeepFilter();
  return (
    <PopoverForm
      label={t("contacts.keep_filter")}
      size="xs"
      leftSection={<IconBookmark size={14} aria-hidden />}
      position="bottom-start"
      onSubmit={() => keep.mutate({ ...filter, name: name.trim() })}
    >
      {(close) => (
        <>
          <TextInput
            label={t("common.name")}
            description={t("contacts.keep_filter_text")}
            maxLength={60}
            required
            withAsterisk={false}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <FormFoot
            error={keep.error === null ? null : errorText(keep.error)}
            submit={t("common.save")}
            pending={keep.isPending}
            disabled={name.trim() === ""}
            onCancel={close}
          />
        </>
      )}
    </PopoverForm>
  );
}
