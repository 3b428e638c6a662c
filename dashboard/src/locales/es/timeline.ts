export const timeline = {
  timeline: {
    title: "Historial",
    empty: "Aún no ha pasado nada.",
    older: "Ver eventos anteriores",
    kept: "Los eventos se guardan {{days}} días; las conversaciones y las citas se quedan.",
    from: "Origen: {{who}}",
    event: {
      message: { received: "El cliente escribió", sent: "Mensaje enviado" },
      conversation: {
        created: "Se abrió una conversación",
        updated: "Cambió el estado",
        closed: "Conversación resuelta",
        bot: { enabled: "Agente de IA activado", disabled: "Agente de IA en pausa" },
        stage_changed: "Pasó a otra etapa",
      },
      contact: { created: "Contacto creado", updated: "Contacto modificado" },
      appointment: {
        created: "Cita agendada",
        rescheduled: "Cita reprogramada",
        cancelled: "Cita cancelada",
      },
      test: { ping: "Prueba" },
    },
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
