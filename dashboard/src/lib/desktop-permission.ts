import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

/** The browser's permission for desktop notifications; `denied` where it has none to give. */
export function useDesktopPermission(): NotificationPermission {
  return useSyncExternalStore(subscribe, () =>
    "Notification" in window ? Notification.permission : "denied",
  );
}

/** Asks for the permission, on a click: a page that asks on load gets refused for good. */
export async function requestDesktopPermission(): Promise<void> {
  await Notification.requestPermission();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
