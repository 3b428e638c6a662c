/** Exportaciones de listas y de un contacto. */
export const exporting = {
  exports: {
    action: "Exportar",
    title: {
      contacts: "Exportar contactos",
      contact: "Exportar este contacto",
      appointments: "Exportar citas",
      deliveries: "Exportar entregas",
    },
    contact_menu: "Exportar datos",
    not_started: "No se exportó nada",
    working: "Se está escribiendo el archivo",
    rows_one: "{{total}} fila hasta ahora",
    rows_other: "{{total}} filas hasta ahora",
    leave: "Puedes cerrar este diálogo. Otra exportación empieza de nuevo.",
    ready: "El archivo está listo",
    holds_one: "Tiene {{total}} fila.",
    holds_other: "Tiene {{total}} filas.",
    holds_contact: "Tiene los datos y archivos del contacto.",
    until: "El enlace sirve 24 horas y solo para ti.",
    download: "Descargar",
    failed: "La exportación falló",
    failed_text: "No se escribió ningún archivo. Inténtalo de nuevo.",
    expired: "El enlace venció. Exporta de nuevo.",
  },
};
