import { ActionIcon, UnstyledButton } from "@mantine/core";
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react";
import { useRef, useState, type CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import styles from "./audio-player.module.css";

const speeds = [1, 1.5, 2];

/** The player that sounds. Another one that starts stops it. */
let sounding: HTMLAudioElement | null = null;

interface AudioPlayerProps {
  url: string;
  /** Name of the file, else the word for its kind. */
  label: string;
  onError: () => void;
}

/** A voice message or other sound, with its time and its speed. */
export function AudioPlayer({ url, label, onError }: AudioPlayerProps) {
  const { t } = useTranslation();
  const { props, playing, toggle, time, length, seek, speed, speedUp } = useSound();
  const Icon = playing ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <div className={styles["player"]} role="group" aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the customer's sound has no text */}
      <audio src={url} preload="none" onError={onError} {...props} />
      <ActionIcon
        className={styles["play"] ?? ""}
        radius="xl"
        aria-label={t(playing ? "player.pause" : "player.play")}
        onClick={toggle}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
      <input
        type="range"
        className={styles["line"]}
        style={playedStyle(time, length)}
        aria-label={t("player.position")}
        aria-valuetext={clock(time)}
        min={0}
        max={length ?? 1}
        step={0.1}
        value={length === null ? 0 : Math.min(time, length)}
        disabled={length === null}
        onChange={({ currentTarget }) => seek(Number(currentTarget.value))}
      />
      <span className={styles["time"]}>
        {length !== null && clock(playing || time > 0 ? time : length)}
      </span>
      <UnstyledButton
        className={styles["speed"] ?? ""}
        aria-label={t("player.speed", { speed })}
        onClick={speedUp}
      >
        {speed}×
      </UnstyledButton>
    </div>
  );
}

/** State of a sound, and how a person moves in it. Times are in seconds. */
function useSound() {
  const audio = useRef<HTMLAudioElement>(null);
  const [speed, setSpeed] = useState(1);
  const [playing, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [length, setLength] = useState<number | null>(null);
  const toggle = (): void => {
    if (audio.current?.paused === false) audio.current.pause();
    // A pause before the first sound rejects the promise. Errors have an event of their own.
    else audio.current?.play().catch(() => undefined);
  };
  const seek = (to: number): void => {
    setTime(to);
    if (audio.current !== null) audio.current.currentTime = to;
  };
  const speedUp = (): void => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1;
    if (audio.current !== null) audio.current.playbackRate = next;
    setSpeed(next);
  };
  const props = {
    ref: audio,
    onPlay: () => {
      if (sounding !== audio.current) sounding?.pause();
      sounding = audio.current;
      setPlaying(true);
    },
    onPause: () => setPlaying(false),
    onEnded: () => setTime(0),
    onTimeUpdate: () => setTime(audio.current?.currentTime ?? 0),
    onDurationChange: () => {
      const { duration = Number.NaN } = audio.current ?? {};
      setLength(Number.isFinite(duration) ? duration : null);
    },
  };
  return { props, playing, toggle, time, length, seek, speed, speedUp };
}

/** Part of the line behind the place, for the style sheet. */
function playedStyle(time: number, length: number | null): CSSProperties {
  const part = length === null ? 0 : Math.min(1, time / length);
  return { "--played": `${part * 100}%` } as CSSProperties;
}

/** Seconds as minutes and seconds: 75 is "1:15". */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
