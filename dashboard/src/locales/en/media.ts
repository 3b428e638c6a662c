/** Files of messages: viewer, player and attachments. */
export const media = {
  viewer: {
    title: "Pictures and videos",
    place: "{{place}} of {{count}}",
    download: "Download",
    gone: "The picture is no longer here.",
    broken: "The file cannot be shown here. Download it to see it.",
  },
  attach: {
    button: "Attach files",
    camera: "Take a picture",
    files: "Attached files",
    drop: "Drop the files to attach them",
    uploading_one: "{{count}} file is uploading",
    uploading_other: "{{count}} files are uploading",
    progress: "Upload of {{name}}",
    again: "Upload {{name}} again",
    remove: "Remove {{name}}",
    refused: "{{name}} was not attached",
    empty: "The file is empty.",
    too_large: "This channel takes files of up to {{count}} MB.",
    not_here: "Files go with a reply. Notes, templates and closed conversations take none.",
  },
  player: {
    play: "Play",
    pause: "Pause",
    position: "Position",
    speed: "Speed: {{speed}}×",
  },
};
