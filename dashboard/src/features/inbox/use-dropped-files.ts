import { useEffect, useEffectEvent, useState, type RefObject } from "react";

/**
 * Takes files that are dropped on the conversation around an element, or pasted into it.
 * @returns true while files are dragged over it
 */
export function useDroppedFiles(
  inside: RefObject<HTMLElement | null>,
  onFiles: (files: readonly File[]) => void,
): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    const area = inside.current?.closest("section");
    if (area === null || area === undefined) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const hold = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      // Else the browser would leave the page to show the file.
      event.preventDefault();
      setOver(true);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) setOver(false);
    };
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      // A copied table comes as text and as a picture. The text is meant.
      if (files.length === 0 || event.clipboardData?.types.includes("text/plain") === true) return;
      event.preventDefault();
      take(files);
    };
    area.addEventListener("dragover", hold, { signal });
    area.addEventListener("dragleave", leave, { signal });
    area.addEventListener("drop", drop, { signal });
    area.addEventListener("paste", paste, { signal });
    return () => ending.abort();
  }, [inside]);
  return over;
}
