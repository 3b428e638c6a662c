import { notifications } from "@mantine/notifications";
import { errorText } from "./error-text.ts";

/** Says that something was not done, and why. */
export function tellFailure(title: string, error: unknown): void {
  notifications.show({ color: "red", title, message: errorText(error), autoClose: 8_000 });
}

/** Says that something was done. */
export function tellDone(message: string): void {
  notifications.show({ message, autoClose: 3_000 });
}
