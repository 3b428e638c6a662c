import { Box, Text, Title, UnstyledButton } from "@mantine/core";
import { IconPlus, type Icon } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";
import type { Hue } from "../lib/hues.ts";
import styles from "./empty.module.css";

interface EmptyProps {
  title: string;
  text: string;
  action?: ReactNode;
}

/** Message where a list has no rows: a drawing, a title, a sentence and the next step. */
export function Empty({ title, text, action }: EmptyProps) {
  return (
    <div className={styles["empty"]} data-empty>
      <Drawing />
      <Title order={2}>{title}</Title>
      <Text className={styles["text"] ?? ""}>{text}</Text>
      {action}
    </div>
  );
}

/** A next step of an empty page. */
export interface EmptyStep {
  icon: Icon;
  hue: Hue;
  title: string;
  text?: string | undefined;
  onClick: () => void;
}

/** Empty page with up to two cards, each with a next step. */
export function EmptyWithSteps({ steps, ...words }: EmptyProps & { steps: EmptyStep[] }) {
  return (
    <Empty
      {...words}
      action={
        <div className={styles["cards"]} data-count={steps.length}>
          {steps.map(({ icon: Picture, hue, title, text, onClick }) => (
            <UnstyledButton key={title} className={styles["card"] ?? ""} onClick={onClick}>
              <span className={styles["icon"]} data-hue={hue}>
                <Picture size={20} stroke={1.75} aria-hidden />
              </span>
              <Box miw={0}>
                <Text span display="block" fw={600}>
                  {title}
                </Text>
                {text !== undefined && (
                  <Text span display="block" size="xs" c="dimmed">
                    {text}
                  </Text>
                )}
              </Box>
            </UnstyledButton>
          ))}
        </div>
      }
    />
  );
}

interface EmptyListProps {
  title: string;
  text: string;
  /** Title of the card that adds the first entry. */
  first: string;
  /** Second line of that card. */
  hint?: string;
  icon?: Icon;
  onFirst: (() => void) | null;
}

/**
 * Empty list: its purpose, and a card for the first entry. `onFirst` is null for members without
 * the right to add.
 */
export function EmptyList(props: EmptyListProps) {
  const { title, text, first, hint, icon = IconPlus, onFirst } = props;
  if (onFirst === null) return <Empty title={title} text={text} />;
  const step: EmptyStep = { icon, hue: "indigo", title: first, text: hint, onClick: onFirst };
  return <EmptyWithSteps title={title} text={text} steps={[step]} />;
}

const back = "M158 46a46 46 0 0 1 46 46v42a8 8 0 0 1-8 8h-38a46 46 0 0 1 0-96z";
const front = "M102 12a46 46 0 1 1 0 92h-38a8 8 0 0 1-8-8v-38a46 46 0 0 1 46-46z";

/** The two shapes of the mark, drawn large: one speaks, the other answers. */
function Drawing() {
  const clip = useId();
  return (
    <svg viewBox="0 0 260 150" className={styles["drawing"]} fill="none" aria-hidden>
      <path fill="var(--parley-accent-soft)" d={back} />
      <path fill="var(--parley-panel)" stroke="var(--parley-accent-line)" d={front} />
      <clipPath id={clip}>
        <path d={front} />
      </clipPath>
      <path clipPath={`url(#${clip})`} fill="var(--parley-accent-line)" d={back} />
      <circle cx="84" cy="50" r="9" fill="var(--parley-accent)" />
      <path fill="var(--parley-accent)" d="M68 77a16 16 0 0 1 32 0v1h-32z" />
      <g stroke="var(--parley-accent)" strokeLinecap="round" strokeWidth="5" opacity="0.45">
        <path d="M158 104h28M158 116h18" />
      </g>
      <g stroke="var(--parley-accent-line)" strokeLinecap="round" strokeWidth="2.5">
        <path d="M30 40h10M35 35v10M226 40h8M230 36v8M216 28h.1" />
      </g>
    </svg>
  );
}
