import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePanel } from "../context.ts";

interface SuspendedProps<Props extends object> {
  /** Fetches the component. Give the same function each time. */
  load: () => Promise<ComponentType<Props>>;
  props: Props;
  /** A small part says nothing while it loads. */
  isSmall?: boolean;
}

/** A component that has a file of its own, which is fetched when it is needed first. */
export function Suspended<Props extends object>({
  load,
  props,
  isSmall = false,
}: SuspendedProps<Props>) {
  const { words } = usePanel();
  const [found, setFound] = useState<{ View: ComponentType<Props> } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (View) => setFound({ View }),
      () => setFailed(true),
    );
  }, [load]);
  if (found !== null) return <found.View {...props} />;
  if (hasFailed) return <p class={isSmall ? "fault" : "page"}>{words.errors["network"]}</p>;
  return isSmall ? null : <p class="page">{words.loading}</p>;
}
