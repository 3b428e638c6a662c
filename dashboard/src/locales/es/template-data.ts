/** Data for programs behind the buttons of a template. */
export const templateData = {
  template_data: {
    title: "Datos de los botones (opcional)",
    text: "Tus programas los reciben cuando el cliente pulsa el botón. El cliente no los ve.",
    label: "Botón «{{name}}»: datos",
  },
};
