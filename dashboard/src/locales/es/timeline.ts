export const timeline = {
  timeline: {
    title: "Historial",
    empty: "Aún no ha pasado nada.",
    older: "Ver eventos anteriores",
    kept: "Los eventos se guardan {{days}} días; las conversaciones y las citas se quedan.",
    from: "Origen: {{who}}",
    field: {
      name: "Nombre",
      phone: "Teléfono",
      email: "Correo",
      tags: "Etiquetas",
      whatsapp_id: "WhatsApp",
      instagram_id: "Instagram",
      facebook_id: "Messenger",
    },
  },
};
