import { Button, Popover, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import type { ContactFilter } from "../../lib/contact.ts";
import { useKeepFilter } from "./filters-api.ts";

/** Form that saves the present filter under a name. */
export function KeepFilter({ filter }: { filter: ContactFilter }) {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure(false);
  const [name, setName] = useState("");
  const keep = useKeepFilter();
  return (
    <Popover opened={opened} onChange={close} trapFocus withArrow position="bottom-start">
      <Popover.Target>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconBookmark size={14} aria-hidden />}
          onClick={toggle}
        >
          {t("contacts.keep_filter")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("contacts.keep_filter")}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            keep.mutate({ ...filter, name: name.trim() });
          }}
        >
          <Stack gap="xs" w={260}>
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
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
