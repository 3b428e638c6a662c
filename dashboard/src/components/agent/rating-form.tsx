import { Button, Group, Select, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  maxRatingComment,
  ratingReasons,
  type RatingReason,
} from "../../../../core/model/agent-rating.ts";
import type { Rating, RatingBody } from "../../lib/agent-ratings.ts";

interface RatingFormProps {
  own: Rating | null;
  /** Null removes the rating. */
  onRate: (body: RatingBody | null) => void;
}

/** Reason of a rating of down: one of a list, and a text. */
export function RatingForm({ own, onRate }: RatingFormProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState<RatingReason | null>(own?.reason ?? null);
  const [comment, setComment] = useState(own?.comment ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onRate({ value: "down", reason, comment: comment.trim() === "" ? null : comment });
      }}
    >
      <Stack gap="sm" w={260}>
        <Select
          clearable
          label={t("rating.why_down")}
          // A list outside the popover would close the popover.
          comboboxProps={{ withinPortal: false }}
          value={reason}
          onChange={(value) => setReason(ratingReasons.find((one) => one === value) ?? null)}
          data={ratingReasons.map((value) => ({ value, label: t(`rating.reason.${value}`) }))}
        />
        <Textarea
          label={t("rating.comment")}
          autosize
          minRows={2}
          maxRows={5}
          maxLength={maxRatingComment}
          dir="auto"
          value={comment}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
        <Group justify="space-between">
          <Button variant="subtle" color="gray" onClick={() => onRate(null)}>
            {t("rating.remove")}
          </Button>
          <Button type="submit">{t("common.save")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
