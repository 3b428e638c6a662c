import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useRegister, type Channel } from "./api.ts";
import { checkDetails } from "./check-details.ts";
import { CheckTrouble } from "./check-trouble.tsx";

/** Registers a number at WhatsApp with the PIN of its two-step verification. */
export function RegisterForm({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const [pin, setPin] = useState("");
  const register = useRegister(channel.id);
  const details = checkDetails(register.error);
  const isRefused = register.error !== null && details === null;
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate({ pin }, { onSuccess: () => tellDone(t("channels.registered")) });
      }}
    >
      <Stack gap="xs">
        <Text size="sm">{t("channels.register_text")}</Text>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t("channels.pin")}
            inputMode="numeric"
            maxLength={6}
            required
            withAsterisk={false}
            w={140}
            value={pin}
            error={isRefused && errorText(register.error)}
            onChange={({ currentTarget }) => setPin(currentTarget.value.replaceAll(/\D/g, ""))}
          />
          <PendingButton
            type="submit"
            variant="default"
            pending={register.isPending}
            disabled={pin.length !== 6}
          >
            {t("channels.register")}
          </PendingButton>
        </Group>
        {details !== null && <CheckTrouble details={details} />}
      </Stack>
    </form>
  );
}
