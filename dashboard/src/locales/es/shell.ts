export const shell = {
  nav: {
    pages: "Páginas",
    open: "Abrir el menú",
    close: "Cerrar el menú",
    fold: "Plegar la barra lateral",
    unfold: "Desplegar la barra lateral",
    inbox: "Bandeja",
    contacts: "Contactos",
    pipelines: "Embudos",
    appointments: "Citas",
    webhooks: "Webhooks",
    inbound: "Entrantes",
    api_keys: "Claves de API",
    users: "Personas",
    profile: "Tu perfil",
    notifications: "Avisos",
    settings: "Configuración",
    system: "Sistema",
  },
  palette: {
    placeholder: "Busca o ve a…",
    nothing: "No se encontró nada",
    searching: "Buscando contactos y conversaciones…",
    light: "Usar el tema claro",
    dark: "Usar el tema oscuro",
    language: "Switch to English",
  },
  theme: { title: "Tema", auto: "Como el sistema", light: "Claro", dark: "Oscuro" },
  account: {
    menu: "Tu menú",
    accounts: "Cuentas",
    logout: "Cerrar sesión",
    logout_failed: "Tu sesión sigue abierta",
    switch_failed: "Sigues en esta cuenta",
  },
  live: { cut: "Reconectando…" },
  bell: {
    title: "Avisos",
    label_one: "Avisos: {{count}} sin leer",
    label_other: "Avisos: {{count}} sin leer",
    empty:
      "Aún no hay nada. Aquí aparecen las entregas que fallan y las conversaciones que esperan a una persona.",
    read_all: "Marcar todo como leído",
    unread: "Sin leer",
    see_all: "Ver todos",
    not_marked: "No se marcó nada como leído",
  },
  notification: {
    delivery_discarded: {
      title: "Se descartó {{event}} para {{subscription}}",
      body: "Fallaron los {{attempts}} intentos; el último: {{answer}}. El evento sigue en el registro de entregas.",
    },
    delivery_exhausted_warning: {
      title: "{{subscription}} falló en todos los intentos de {{event}}",
      body: "El último: {{answer}}. Corrige el receptor y elige «Reintentar ahora» en la entrega.",
    },
    subscription_disabled: {
      title: "Se desactivó {{subscription}}",
      body: "Su receptor solo falla. Los eventos nuevos se omiten; corrige el receptor y actívala de nuevo.",
    },
    calendar_disconnected: {
      title: "El calendario de {{resource}} está desconectado",
      body: "Ya no podemos escribir en él y las citas no aparecen ahí. Conéctalo de nuevo.",
    },
    conversation_handed_off: {
      title: "La conversación {{conversation}} necesita a una persona",
      body: "El agente de IA está en pausa ahí. Abre la conversación y responde.",
    },
    handoff_reminder: {
      title: "La conversación {{conversation}} sigue esperando a una persona",
      body: "Nadie ha respondido desde que se pausó el agente de IA.",
    },
    handoff_escalation: {
      title: "La conversación {{conversation}} se quedó sin respuesta",
      body: "Ya se avisó a quienes la atienden. Respóndela o asígnala a otra persona.",
    },
  },
};
