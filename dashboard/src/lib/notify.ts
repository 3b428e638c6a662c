import { notifications } from "@mantine/notifications";
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

/** Says something, and offers actions. It takes the place of an older toast of the same id. */
export function tellWithActions({ actions, ...toast }: Toast): void {
  const hide = (): void => void notifications.hide(toast.id);
  hide();
  const message = createElement(ToastOffer, { message: toast.message, actions, hide });
  show({ ...toast, message, autoClose: longMs });
}

/** Says that something was not done, and why. */
export function tellFailure(title: string, error: unknown): void {
  show({ color: "red", title, message: errorText(error), autoClose: longMs });
}

/** Says that something was done. */
export function tellDone(message: string): void {
  show({ message });
}

/** For as long as one sentence takes to read. */
const briefMs = 4_000;
/** For an error, which says more, and for a choice. */
const longMs = 8_000;

function show(toast: Parameters<typeof notifications.show>[0]): void {
  const closeButtonProps = { "aria-label": i18next.t("common.close") };
  notifications.show({ autoClose: briefMs, closeButtonProps, ...toast });
}
