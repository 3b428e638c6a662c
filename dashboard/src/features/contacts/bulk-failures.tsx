import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { errorCodeText } from "../../lib/error-text.ts";
import type { SelectedContact } from "./use-selection.ts";

/** A selected contact that a bulk action could not change. */
export interface BulkFailure extends SelectedContact {
  /** Code of the error. */
  code: string;
}

interface BulkFailuresProps {
  failures: BulkFailure[];
  onClose: () => void;
}

/** Dialog that names each contact that stayed as before, with the reason. */
export function BulkFailures({ failures, onClose }: BulkFailuresProps) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={t("contacts.bulk.unchanged", { count: failures.length })}>
      <Stack>
        <List size="sm" spacing="xs" listStyleType="none">
          {failures.map(({ id, name, code }) => (
            <List.Item key={id}>
              <Text span fw={500} display="block" dir="auto">
                {name}
              </Text>
              {errorCodeText({ code, message: t("error.internal_error") })}
            </List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t("common.close")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
