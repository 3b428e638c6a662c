const property = "--parley-toast-floor";

/** A ref callback: keeps the toasts of a phone above an element at the foot of the page. */
export function toastFloor(element: HTMLElement | null) {
  if (element === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() =>
    style.setProperty(property, `${element.offsetHeight}px`),
  );
  observer.observe(element);
  return () => {
    observer.disconnect();
    style.removeProperty(property);
  };
}
