export const connecting = {
  connecting: {
    steps: "Pasos",
    step: {
      network: "Red",
      app: "App de Meta",
      account: "Cuenta",
      check: "Revisión",
      done: "Listo",
    },
    title: {
      network: "¿Qué red conectas?",
      app: "¿Qué app de Meta recibe los mensajes?",
      account: "Token y cuenta",
      check: "Meta revisa la cuenta",
      done: "Tu canal ya está",
    },
    network: {
      whatsapp_cloud: "Un número de WhatsApp Business Platform (Cloud API).",
      messenger: "Los mensajes de una página de Facebook.",
      instagram_page: "Una cuenta profesional vinculada a una página de Facebook.",
      instagram_login: "Una cuenta profesional sin página.",
    },
    next: "Continuar",
    back: "Atrás",
    app_choice: "App de Meta",
    app: "App {{id}}",
    app_new: "Otra app",
    app_text:
      "Abre tu app en developers.facebook.com y ve a Configuración, Básica. Copia de ahí el id y el secreto.",
    app_again: "Esta app aún no tiene el secreto de Instagram. Guarda de nuevo los dos secretos.",
    app_id: "ID de la app",
    app_id_text: "Los dígitos al inicio de la página de la app.",
    app_secret: "Secreto de la app",
    app_secret_text: "Se guarda cifrado y nadie podrá leerlo aquí de nuevo.",
    instagram_secret: "Secreto de la app de Instagram",
    instagram_secret_text:
      "En la misma app, en Instagram, configuración de la API con inicio de sesión de Instagram. Es distinto del anterior.",
    app_save: "Guardar la app",
    app_saved: "La app está guardada",
    paste: {
      whatsapp_cloud:
        "En Meta, abre WhatsApp y Configuración de la app. Pega ambos en la devolución de llamada y marca los campos de abajo.",
      messenger:
        "En Meta, abre Messenger y la configuración de la API de la app. Pega ambos en la devolución de llamada de la página.",
      instagram_page:
        "En Meta, abre Instagram y Webhooks de la app. Pega ambos en la devolución de llamada de la cuenta.",
      instagram_login:
        "En Meta, abre Instagram y la configuración de la API con inicio de sesión de Instagram. Pega ambos en Webhooks.",
    },
    webhook_url: "URL de devolución de llamada",
    verify_token: "Token de verificación",
    tick: "Campos que debes marcar",
    not_seen: "Aún no",
    waba_id: "ID de la cuenta de WhatsApp Business",
    waba_id_text: "En Meta, en WhatsApp, configuración de la API. No es el id del número.",
    page_id: "ID de la página",
    page_id_text: "En la página, en Información, transparencia de la página.",
    page_id_optional: "Puede quedar vacío: el token es de una sola página.",
    token: "Token de acceso",
    token_text: {
      whatsapp_cloud:
        "De un usuario del sistema con whatsapp_business_messaging y whatsapp_business_management. No vence.",
      messenger: "De la página, con pages_messaging y pages_manage_metadata.",
      instagram_page:
        "De la página, con instagram_basic, instagram_manage_messages y pages_manage_metadata.",
      instagram_login:
        "De la cuenta, desde la configuración de la API con inicio de sesión de Instagram. Se renueva solo antes de sus 60 días.",
    },
    again_text: "{{name}} ({{address}}) recibe un token nuevo. Conversaciones y ajustes se quedan.",
    find: "Buscar los números",
    number: "Número",
    no_number: "Esta cuenta no tiene números. Agrega uno en Meta e inténtalo de nuevo.",
    not_registered: "Sin registrar",
    check: "Revisar y conectar",
    checks: "Revisiones",
    check_step: {
      token: "El token es válido y tiene sus permisos",
      account: "El token llega a la cuenta",
      register: "El número está registrado",
      subscribe: "Meta envía webhooks aquí",
    },
    outcome: { running: "Revisando…", passed: "Bien", failed: "Falló", open: "Sin revisar" },
    missing_scopes: "Permisos que faltan",
    meta_says: "Palabras de Meta",
    meta_says_code: "Palabras de Meta, código {{code}}",
    mend: { app: "Cambiar la app", account: "Cambiar token e ids" },
    try_again: "Intentar de nuevo",
    open: "Abrir el canal",
  },
};
