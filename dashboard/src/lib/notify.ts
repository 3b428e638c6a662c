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

/** Says something, and offers actions for 8 s. It takes the place of an older toast of the same id. */
export function tellWithActions({ actions, ...toast }: Toast): void {
  const hide = (): void => void notifications.hide(toast.id);
  hide();
  const message = createElement(ToastOffer, { message: toast.message, actions, hide });
  show({ ...toast, message, autoClose: 8_000 });
}

/** Says that something was not done, and why. */
export function tellFailure(title: string, error: unknown): void {
  show({ color: "red", title, message: errorText(error) });
}

/** Says that something was done. */
export function tellDone(message: string): void {
  show({ message });
}

/** Toasts stay for 4 s, unless they say otherwise. */
function show(toast: Parameters<typeof notifications.show>[0]): void {
  const closeButtonProps = { "aria-label": i18next.t("common.close") };
  notifications.show({ autoClose: 4_000, closeButtonProps, ...toast });
}
