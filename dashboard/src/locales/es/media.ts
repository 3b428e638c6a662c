export const media = {
  viewer: {
    title: "Imágenes y videos",
    place: "{{place}} de {{count}}",
    download: "Descargar",
    gone: "La imagen ya no está aquí.",
    broken: "El archivo no se puede mostrar aquí. Descárgalo para verlo.",
  },
  player: {
    play: "Reproducir",
    pause: "Pausar",
    position: "Posición",
    speed: "Velocidad: {{speed}}×",
  },
};
