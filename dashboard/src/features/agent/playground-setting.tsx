import { Button, Group, Select, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconClock, IconRestore, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
import { minutesOfDay } from "../../../../core/model/schedule.ts";
import { ContactPicker } from "../../components/contact-picker.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { WallField } from "../../components/wall-field.tsx";
import { accountQuery } from "../../lib/account.ts";
import type { ContactRow } from "../../lib/contact.ts";
import { momentAt } from "../../lib/zoned-time.ts";
import { providersQuery } from "./api.ts";
import type { TrialSetting } from "./playground-api.ts";
import styles from "./playground.module.css";

interface PlaygroundSettingProps {
  setting: TrialSetting;
  onChange: (setting: TrialSetting) => void;
  /** Undefined while there is nothing to end. */
  onStartOver: (() => void) | undefined;
}

/** Bar above a trial: channel, contact, pretended moment and engine. */
export function PlaygroundSetting({ setting, onChange, onStartOver }: PlaygroundSettingProps) {
  const { t } = useTranslation();
  const [contact, setContact] = useState<ContactRow | null>(null);
  const [choosing, choose] = useDisclosure(false);
  const { contact_id: _id, ...kept } = setting;
  return (
    <div className={styles["setting"]}>
      <Select
        className={styles["channel"] ?? ""}
        allowDeselect={false}
        aria-label={t("playground.channel")}
        data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
        value={setting.channel ?? "whatsapp"}
        onChange={(value) => {
          const channel = restChannels.find((one) => one === value);
          if (channel !== undefined) onChange({ ...setting, channel });
        }}
      />
      <Button
        className={styles["contact"] ?? ""}
        variant="default"
        leftSection={<IconUser size={15} aria-hidden />}
        onClick={choose.open}
      >
        {contact?.name ?? t("playground.new_contact")}
      </Button>
      <MomentField setting={setting} onChange={onChange} />
      <EngineSelect setting={setting} onChange={onChange} />
      <IconAction
        label={t("playground.start_over")}
        disabled={onStartOver === undefined}
        onClick={onStartOver}
      >
        <IconRestore size={17} stroke={1.75} aria-hidden />
      </IconAction>
      {choosing && (
        <ContactDialog
          chosen={contact}
          onClose={choose.close}
          onChoose={(row) => {
            setContact(row);
            onChange({ ...kept, ...(row === null ? {} : { contact_id: row.id }) });
            choose.close();
          }}
        />
      )}
    </div>
  );
}

type PartProps = Omit<PlaygroundSettingProps, "onStartOver">;

/** Moment that the agent takes for now, in the account's zone. Empty: the present one. */
function MomentField({ setting, onChange }: PartProps) {
  const { t } = useTranslation();
  const zone = useQuery(accountQuery).data?.time_zone;
  const { now: _now, ...kept } = setting;
  return (
    <WallField
      className={styles["moment"] ?? ""}
      kind="datetime"
      aria-label={t("playground.moment")}
      leftSection={<IconClock size={15} aria-hidden />}
      onChange={(wall) => {
        const [date = "", time = ""] = wall.split("T");
        if (wall === "" || zone === undefined) onChange(kept);
        else onChange({ ...kept, now: momentAt({ date, minutes: minutesOfDay(time) }, zone) });
      }}
    />
  );
}

/** Engine of the next line. Without providers the basic agent is the only one. */
function EngineSelect({ setting, onChange }: PartProps) {
  const { t } = useTranslation();
  const providers = useQuery(providersQuery).data ?? [];
  if (providers.length === 0) return null;
  const { provider_id: id, ...kept } = setting;
  return (
    <Select
      className={styles["engine"] ?? ""}
      allowDeselect={false}
      aria-label={t("turns.engine_title")}
      data={[
        { value: "serving", label: t("playground.serving") },
        ...providers.map((one) => ({ value: String(one.id), label: one.model })),
        { value: "basic", label: t("turns.engine.basic") },
      ]}
      value={id === undefined ? "serving" : String(id ?? "basic")}
      onChange={(value) => {
        if (value === "serving") onChange(kept);
        else onChange({ ...kept, provider_id: value === "basic" ? null : Number(value) });
      }}
    />
  );
}

interface ContactDialogProps {
  chosen: ContactRow | null;
  onChoose: (row: ContactRow | null) => void;
  onClose: () => void;
}

function ContactDialog({ chosen, onChoose, onClose }: ContactDialogProps) {
  const { t } = useTranslation();
  const [row, setRow] = useState(chosen);
  return (
    <Dialog title={t("playground.who")} onClose={onClose}>
      <Stack>
        <ContactPicker label={t("playground.contact")} limit={5} chosen={row} onChoose={setRow} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onChoose(null)}>
            {t("playground.new_contact")}
          </Button>
          <Button disabled={row === null} onClick={() => onChoose(row)}>
            {t("playground.choose")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
