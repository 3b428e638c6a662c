import { Group, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useRatings, type Rating as Rated } from "../../lib/agent-ratings.ts";
import { useColleagueName } from "../../lib/team.ts";
import { Rating } from "./rating.tsx";
import styles from "./rating.module.css";

/** Ratings of a message under "Why?": one's own thumbs, and the ratings of all with their reasons. */
export function RatingList({ message }: { message: { id: number; conversation_id: number } }) {
  const { t } = useTranslation();
  const { own, others } = useRatings(message);
  const all = [...(own === null ? [] : [own]), ...others];
  return (
    <section aria-label={t("rating.title")}>
      <Group gap="xs">
        <Title order={3}>{t("rating.title")}</Title>
        <Rating message={message} />
      </Group>
      {all.length > 0 && (
        <ul className={styles["said"]}>
          {all.map((rating) => (
            <Said key={rating.user_id} rating={rating} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Said({ rating: { user_id: userId, value, reason, comment } }: { rating: Rated }) {
  const { t } = useTranslation();
  const who = useColleagueName(userId) ?? t("rating.somebody");
  return (
    <li>
      <Text size="sm">
        {t(`rating.${value}_by`, { who })}
        {reason !== null && `: ${t(`rating.reason.${reason}`)}`}
      </Text>
      {comment !== null && (
        <Text size="sm" c="dimmed" dir="auto">
          {comment}
        </Text>
      )}
    </li>
  );
}
