import { usePanel } from "../context.ts";
import { fill } from "../format.ts";

/** Three dots while the company types. */
export function Typing() {
  const { words, state } = usePanel();
  const { author = null } =
    state.messages.findLast(({ direction }) => direction === "outbound") ?? {};
  const name = author?.name ?? state.config.company;
  return (
    <p class="typing">
      <span class="hidden">{fill(words.typing, { name })}</span>
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
    </p>
  );
}
