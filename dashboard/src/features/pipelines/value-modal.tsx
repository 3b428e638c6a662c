import { Group, NumberInput, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { currencies, maxAmount, type Money } from "../../../../core/model/money.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { decimalsOf, unitsOf } from "../../lib/money.ts";
import type { Card } from "./columns.ts";
import { useOwnCurrency } from "./use-money-text.ts";

interface ValueModalProps {
  card: Card;
  onClose: () => void;
  /** Null for an empty field: the card has no value. */
  onSave: (value: Money | null) => void;
}

/** Dialog for the value of a card. An empty amount takes the value away. */
export function ValueModal({ card, onClose, onSave }: ValueModalProps) {
  const { t } = useTranslation();
  const own = useOwnCurrency();
  const [chosen, setChosen] = useState(card.value?.currency ?? null);
  const [amount, setAmount] = useState<number | string>(
    card.value === null ? "" : unitsOf(card.value),
  );
  const currency = chosen ?? own ?? "USD";
  const decimals = decimalsOf(currency);
  const save = (): void => {
    const minor = Math.round(Number(amount) * 10 ** decimals);
    onSave(amount === "" ? null : { amount: minor, currency });
    onClose();
  };
  return (
    <Dialog
      onClose={onClose}
      title={t("pipelines.value_of", { name: card.contact?.name ?? t("inbox.no_contact") })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="sm">
          <Group gap="xs" align="flex-start" wrap="nowrap">
            <NumberInput
              flex={1}
              data-autofocus
              label={t("pipelines.amount")}
              description={t("pipelines.amount_text")}
              min={0}
              max={maxAmount / 10 ** decimals}
              allowNegative={false}
              decimalScale={decimals}
              thousandSeparator=","
              hideControls
              value={amount}
              onChange={setAmount}
            />
            <Select
              w={120}
              label={t("pipelines.currency")}
              allowDeselect={false}
              searchable
              nothingFoundMessage={t("palette.nothing")}
              limit={50}
              value={currency}
              onChange={setChosen}
              data={currencies}
            />
          </Group>
          <FormFoot error={null} submit={t("common.save")} pending={false} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
