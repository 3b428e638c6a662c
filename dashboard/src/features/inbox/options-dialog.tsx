import { Input, SegmentedControl, Stack, Textarea } from "@mantine/core";
import { useId, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { metaDrivers } from "../../../../core/model/channels.ts";
import {
  composeInteractive,
  interactiveInput,
  optionBounds,
  type Interactive,
} from "../../../../core/model/interactive.ts";
import { findExceededLimit } from "../../../../core/model/text-limit.ts";
import { asLocale } from "../../../../core/model/user.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useSession } from "../../lib/session.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import type { Conversation } from "./api.ts";
import { OptionRows } from "./option-rows.tsx";
import styles from "./options-dialog.module.css";
import { ChannelLimits, isComplete, OptionsPreview } from "./options-preview.tsx";
import {
  optionKinds,
  toInteractive,
  troubleOf,
  useOptionsDraft,
  type OptionKind,
  type OptionsDraft,
} from "./use-options-draft.ts";
import { useReply } from "./use-reply.ts";

interface OptionsDialogProps {
  conversation: Conversation;
  onClose: () => void;
}

/** Dialog that sends a message with options. What was begun is still there when it opens again. */
export function OptionsDialog({ conversation, onClose }: OptionsDialogProps) {
  const { t } = useTranslation();
  const { draft, change, ...sending } = useOptionsDraft(conversation);
  const { composed, exceeded, canSend } = useComposed(conversation, draft);
  const { send, reply } = useSend({ conversation, draft, composed, ...sending, onClose });
  const submit = (): void => {
    if (canSend && !reply.isPending) send();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <Dialog onClose={onClose} title={t("option_message.title")} size={760} onKeyDown={press}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className={styles["columns"]}>
          <Fields draft={draft} change={change} />
          <Stack gap="md">
            <OptionsPreview driver={conversation.driver} composed={composed} />
            <ChannelLimits driver={conversation.driver} />
          </Stack>
        </div>
        <Stack gap="sm" mt="md">
          <FormFoot
            error={reply.isError ? errorText(reply.error) : exceeded}
            submit={t("composer.send")}
            pending={reply.isPending}
            disabled={!canSend}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  draft: OptionsDraft;
  change: (part: Partial<OptionsDraft>) => void;
}

function Fields({ draft, change }: FieldsProps) {
  const { t } = useTranslation();
  const kindId = useId();
  return (
    <Stack gap="sm">
      <Textarea
        label={t("option_message.body")}
        description={t("option_message.body_text")}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={optionBounds.text}
        dir="auto"
        data-autofocus
        value={draft.body}
        onChange={({ currentTarget }) => change({ body: currentTarget.value })}
      />
      <OptionRows rows={draft.rows} onChange={(rows) => change({ rows })} />
      <Input.Wrapper
        label={t("option_message.kind")}
        description={t("option_message.kind_text")}
        labelElement="div"
        labelProps={{ id: kindId, display: "block" }}
      >
        <SegmentedControl
          aria-labelledby={kindId}
          value={draft.kind}
          onChange={(kind) => change({ kind: kind as OptionKind })}
          data={optionKinds.map((value) => ({ value, label: t(`option_message.kinds.${value}`) }))}
        />
      </Input.Wrapper>
    </Stack>
  );
}

/** The message in the form of the channel, and what keeps it from being sent. */
function useComposed(conversation: Conversation, draft: OptionsDraft) {
  const { t } = useTranslation();
  const { account } = useSession();
  const interactive = toInteractive(draft);
  const composed = isComplete(interactive)
    ? composeInteractive(conversation.driver, interactive, asLocale(account.locale))
    : null;
  const isClear = draft.rows.every((_, index) => troubleOf(draft.rows, index) === null);
  const limit =
    composed === null || !isClear ? null : findLimit(conversation, interactive, composed.text);
  const exceeded =
    limit === null
      ? null
      : t("option_message.too_long", {
          count: limit.max,
          unit: t(`option_message.unit.${limit.unit}`),
        });
  return { composed, exceeded, canSend: composed !== null && exceeded === null && isClear };
}

/** Longest text of a message with options in the unit of the channel, where it is exceeded. */
function findLimit({ driver, channel }: Conversation, message: Interactive, text: string) {
  const isMeta = metaDrivers.some((one) => one === driver);
  const limit = isMeta ? findExceededLimit(channel, text) : null;
  if (limit !== null || interactiveInput.safeParse(message).success) return limit;
  return { max: optionBounds.text, unit: "characters" as const };
}

interface Sending extends Pick<ReturnType<typeof useOptionsDraft>, "startSending" | "settle"> {
  conversation: Conversation;
  draft: OptionsDraft;
  composed: ReturnType<typeof composeInteractive> | null;
  onClose: () => void;
}

function useSend({ conversation, draft, composed, startSending, settle, onClose }: Sending) {
  const reply = useReply(conversation);
  const mounted = useIsMounted();
  const send = (): void => {
    if (composed === null) return;
    const { interactive: shown, text: content } = composed;
    const { kind, body, options } = shown;
    const interactive = { kind, body, options };
    const id = startSending(draft);
    const sent = { interactive, shown: { content, interactive: shown } };
    // A promise, since callbacks of the call end with the dialog.
    reply.mutateAsync({ external_id: id, options: sent }).then(
      () => {
        // A person who has changed the words meanwhile goes on with them.
        if (settle(id) && mounted.current) onClose();
      },
      // The reply itself tells its failure.
      () => undefined,
    );
  };
  return { send, reply };
}
