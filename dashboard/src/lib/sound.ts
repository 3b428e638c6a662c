/** Setting of the sound in this browser. */
export const soundSetting = {
  key: "parley.sound",
  defaultValue: true,
  getInitialValueInEffect: false,
};

/** Plays a short tone. A browser allows sound only after the person has used the page. */
export function playSound(): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const context = new AudioContext();
  const tone = context.createOscillator();
  const volume = context.createGain();
  const end = context.currentTime + 0.18;
  tone.frequency.value = 740;
  volume.gain.setValueAtTime(0.06, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, end);
  tone.connect(volume).connect(context.destination);
  tone.addEventListener("ended", () => void context.close());
  tone.start();
  tone.stop(end);
}
