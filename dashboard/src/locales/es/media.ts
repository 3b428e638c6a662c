export const media = {
  viewer: {
    title: "Imágenes y videos",
    place: "{{place}} de {{count}}",
    download: "Descargar",
    gone: "La imagen ya no está aquí.",
    broken: "El archivo no se puede mostrar aquí. Descárgalo para verlo.",
  },
  attach: {
    button: "Adjuntar archivos",
    camera: "Tomar una foto",
    files: "Archivos adjuntos",
    drop: "Suelta los archivos para adjuntarlos",
    uploading_one: "Se está subiendo {{count}} archivo",
    uploading_other: "Se están subiendo {{count}} archivos",
    progress: "Subida de {{name}}",
    again: "Subir {{name}} de nuevo",
    remove: "Quitar {{name}}",
    refused: "No se adjuntó {{name}}",
    empty: "El archivo está vacío.",
    too_large: "Este canal acepta archivos de hasta {{count}} MB.",
    not_here:
      "Los archivos van con una respuesta, no con notas, plantillas ni conversaciones cerradas.",
  },
  player: {
    play: "Reproducir",
    pause: "Pausar",
    position: "Posición",
    speed: "Velocidad: {{speed}}×",
  },
};
