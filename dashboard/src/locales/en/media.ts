/** Viewer of pictures and videos, and player of sounds. */
export const media = {
  viewer: {
    title: "Pictures and videos",
    place: "{{place}} of {{count}}",
    download: "Download",
    gone: "The picture is no longer here.",
    broken: "The file cannot be shown here. Download it to see it.",
  },
  player: {
    play: "Play",
    pause: "Pause",
    position: "Position",
    speed: "Speed: {{speed}}×",
  },
};
