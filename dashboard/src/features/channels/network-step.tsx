import { Button, Group, Radio, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { channelOfDriver, metaDrivers } from "../../../../core/model/channels.ts";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import styles from "./channels.module.css";
import type { StepParts } from "./connect-draft.ts";

/** First step: the network. */
export function NetworkStep({ draft, change, go }: StepParts) {
  const { t } = useTranslation();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.driver !== null) go("app");
      }}
    >
      <Stack gap="md">
        <Radio.Group
          aria-label={t("connecting.title.network")}
          value={draft.driver}
          onChange={(value) =>
            change({ driver: metaDrivers.find((one) => one === value) ?? draft.driver })
          }
        >
          <div className={styles["choices"]}>
            {metaDrivers.map((driver) => (
              <Radio.Card key={driver} value={driver} className={styles["choice"] ?? ""}>
                <Radio.Indicator />
                <span className={styles["choiceWords"]}>
                  <span className={styles["choiceName"]}>{t(`channels.driver.${driver}`)}</span>
                  <small>{t(`connecting.network.${driver}`)}</small>
                </span>
                <span aria-hidden>
                  <ChannelIcon channel={channelOfDriver[driver]} />
                </span>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
        <Group justify="flex-end">
          <Button type="submit" disabled={draft.driver === null}>
            {t("connecting.next")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
