let audio: AudioContext | null = null;

/** Plays two short tones. Browsers allow sound after the first click alone, so a refusal is silent. */
export function playSound(): void {
  try {
    audio ??= new AudioContext();
    // A context made before any click is suspended.
    audio.resume().catch(() => undefined);
    for (const [at, frequency] of [
      [0, 660],
      [0.12, 880],
    ] as const) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const from = audio.currentTime + at;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.08, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + 0.2);
      tone.connect(volume).connect(audio.destination);
      tone.start(from);
      tone.stop(from + 0.2);
    }
  } catch {
    // This browser plays nothing.
  }
}
