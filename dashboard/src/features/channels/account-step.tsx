import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { useFindNumbers, type Channel } from "./api.ts";
import { channelAddress } from "../../lib/channel-words.ts";
import { checkDetails } from "./check-details.ts";
import { CheckTrouble } from "./check-trouble.tsx";
import { connectBody, type StepParts } from "./connect-draft.ts";
import { NumberList } from "./number-list.tsx";
import { SecretInput } from "../../components/secret-input.tsx";

interface AccountStepProps extends StepParts {
  /** The channel that gets a new token; null for a new channel. */
  known: Channel | null;
  /** Asks Meta, and connects if Meta agrees. */
  onCheck: () => void;
}

/** Third step: the token and the ids. WhatsApp's number is chosen from Meta's list. */
export function AccountStep({ known, onCheck, ...parts }: AccountStepProps) {
  const { t } = useTranslation();
  const { draft, change, go } = parts;
  const find = useFindNumbers();
  const listsNumbers = draft.driver === "whatsapp_cloud" && known === null;
  const mustFind = listsNumbers && find.data === undefined;
  const submit = (): void => {
    if (!mustFind) onCheck();
    else if (draft.channelAppId !== null) {
      const { channelAppId: id, parentId, token } = draft;
      find.mutate({ id, parent_id: parentId.trim(), token: token.trim() });
    }
  };
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        {known !== null && <Known channel={known} />}
        {known === null && <Ids {...parts} find={find} />}
        <TokenField {...parts} find={find} />
        {find.error !== null && <FindTrouble error={find.error} />}
        {listsNumbers && find.data !== undefined && (
          <NumberList
            numbers={find.data}
            value={draft.externalId}
            onChange={(externalId) => change({ externalId })}
          />
        )}
        <Group justify="space-between">
          <Button
            variant="default"
            style={{ visibility: known === null ? "visible" : "hidden" }}
            onClick={() => go("app")}
          >
            {t("connecting.back")}
          </Button>
          <PendingButton
            type="submit"
            pending={find.isPending}
            disabled={!mustFind && connectBody(draft) === null}
          >
            {t(mustFind ? "connecting.find" : "connecting.check")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}

function Known({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  return (
    <Text size="sm">
      {t("connecting.again_text", { name: channel.name, address: channelAddress(channel) })}
    </Text>
  );
}

interface FieldsProps extends StepParts {
  find: ReturnType<typeof useFindNumbers>;
}

/** Ids of the account. Another account has other numbers, so their list goes. */
function Ids({ draft, change, find }: FieldsProps) {
  const { t } = useTranslation();
  const { driver } = draft;
  const errors = fieldErrors(find.error);
  if (driver === null || driver === "instagram_login") return null;
  if (driver === "messenger") {
    return (
      <TextInput
        label={t("connecting.page_id")}
        description={t("connecting.page_id_optional")}
        inputMode="numeric"
        value={draft.externalId}
        onChange={({ currentTarget }) => change({ externalId: currentTarget.value })}
      />
    );
  }
  const word = driver === "whatsapp_cloud" ? "waba_id" : "page_id";
  return (
    <TextInput
      label={t(`connecting.${word}`)}
      description={t(`connecting.${word}_text`)}
      inputMode="numeric"
      required
      withAsterisk={false}
      error={errors["parent_id"]}
      value={draft.parentId}
      onChange={({ currentTarget }) => {
        find.reset();
        change({ parentId: currentTarget.value });
      }}
    />
  );
}

function TokenField({ draft, change, find }: FieldsProps) {
  const { t } = useTranslation();
  const errors = fieldErrors(find.error);
  return (
    <SecretInput
      label={t("connecting.token")}
      description={t(`connecting.token_text.${draft.driver ?? "whatsapp_cloud"}`)}
      required
      withAsterisk={false}
      error={errors["token"]}
      value={draft.token}
      onChange={({ currentTarget }) => {
        find.reset();
        change({ token: currentTarget.value });
      }}
    />
  );
}

/** Reason why Meta gave no numbers. */
function FindTrouble({ error }: { error: unknown }) {
  const details = checkDetails(error);
  if (details !== null) return <CheckTrouble details={details} />;
  if (Object.keys(fieldErrors(error)).length > 0) return null;
  return (
    <Alert color="bad" role="alert">
      {errorText(error)}
    </Alert>
  );
}
