interface WindowEvents {
  /** The visitor may look at the panel now. */
  onLook: () => void;
  onNetwork: (isOnline: boolean) => void;
}

/** Calls back at each change of the window that matters to the chat. */
export function watchWindow({ onLook, onNetwork }: WindowEvents): void {
  addEventListener("focus", onLook);
  document.addEventListener("visibilitychange", onLook);
  for (const event of ["online", "offline"])
    addEventListener(event, () => onNetwork(event === "online"));
}
