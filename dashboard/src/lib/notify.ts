import { notifications } from "@mantine/notifications";
import { IconAlertCircle, IconCircleCheck } from "@tabler/icons-react";
import i18next from "i18next";
import { createElement } from "react";
import { ToastOffer, type ToastAction } from "../components/toast-offer.tsx";
import { errorText } from "./error-text.ts";

interface Toast {
  id: string;
  color?: string;
  title?: string;
  message: string;
  actions: ToastAction[];
}

/** Shows a toast with actions. It replaces an older toast with the same id. */
export function tellWithActions({ actions, ...toast }: Toast): void {
  const hide = (): void => void notifications.hide(toast.id);
  hide();
  const message = createElement(ToastOffer, { message: toast.message, actions, hide });
  show({ ...toast, message, autoClose: longMs });
}

/** Shows a toast that an action failed, with the reason. */
export function tellFailure(title: string, error: unknown): void {
  show({ color: "bad", title, message: errorText(error), autoClose: longMs });
}

/** Shows a toast that an action is done. */
export function tellDone(message: string): void {
  show({ message });
}

/** Time in ms to read one sentence. */
const briefMs = 4_000;
/** Time in ms to read an error, which is longer, or to choose an action. */
const longMs = 8_000;

function show(toast: Parameters<typeof notifications.show>[0]): void {
  const closeButtonProps = { "aria-label": i18next.t("common.close") };
  const { color = "ok" } = toast;
  const icon = createElement(color === "ok" ? IconCircleCheck : IconAlertCircle, {
    size: 18,
    stroke: 1.75,
    "aria-hidden": true,
  });
  notifications.show({ autoClose: briefMs, closeButtonProps, color, icon, ...toast });
}
