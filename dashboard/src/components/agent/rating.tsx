import { Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconThumbDown, IconThumbUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useRate, useRatings } from "../../lib/agent-ratings.ts";
import { IconAction } from "../icon-action.tsx";
import { RatingForm } from "./rating-form.tsx";
import styles from "./rating.module.css";

/**
 * Two thumbs that rate a message of the agent. A second click on the upper one takes the rating
 * back. The lower one asks for a reason, which may stay empty.
 */
export function Rating({ message }: { message: { id: number; conversation_id: number } }) {
  const { t } = useTranslation();
  const { own } = useRatings(message);
  const rate = useRate(message, t("rating.not_saved"));
  const [opened, { open, close }] = useDisclosure(false);
  const value = own?.value ?? null;
  return (
    <span className={styles["thumbs"]} role="group" aria-label={t("rating.title")}>
      <IconAction
        label={t("rating.up")}
        aria-pressed={value === "up"}
        className={styles["thumb"] ?? ""}
        onClick={() => rate.mutate(value === "up" ? null : { value: "up" })}
      >
        <IconThumbUp size={14} stroke={1.75} aria-hidden />
      </IconAction>
      <Popover opened={opened} onChange={close} trapFocus returnFocus position="top">
        <Popover.Target>
          <IconAction
            label={t("rating.down")}
            aria-pressed={value === "down"}
            className={styles["thumb"] ?? ""}
            onClick={() => {
              if (value !== "down") rate.mutate({ value: "down" });
              open();
            }}
          >
            <IconThumbDown size={14} stroke={1.75} aria-hidden />
          </IconAction>
        </Popover.Target>
        <Popover.Dropdown>
          <RatingForm
            own={own}
            onRate={(body) => {
              rate.mutate(body);
              close();
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
