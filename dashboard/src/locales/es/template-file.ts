/** The file in the heading of a template. */
export const templateFile = {
  template_file: {
    heading: "Archivo del encabezado",
    choose: "Subir un archivo",
    remove: "Quitar {{name}}",
    too_large: "El archivo pesa más de {{count, number}} MB. Elige uno más pequeño.",
    wrong_image: "El encabezado lleva una imagen: JPEG o PNG.",
    wrong_video: "El encabezado lleva un video: MP4 o 3GP.",
    wrong_document: "El encabezado lleva un documento, como un PDF.",
  },
};
