export const calendars = {
  calendars: {
    title: "Calendarios",
    admins: "Los administradores conectan los calendarios",
    empty: "Aún no hay calendarios conectados",
    empty_text:
      "Conecta Google Calendar y las citas de aquí aparecen allá. El tiempo ocupado de allá cierra horarios aquí.",
    connect: "Conectar un calendario",
    add_google: "Google Calendar",
    add_google_hint: "Inicias sesión en Google y eliges los calendarios.",
    provider: { google: "Google Calendar", calendly: "Calendly" },
    state: { connected: "Conectado", disconnected: "Desconectado" },
    needs_you: "Requiere tu atención",
    last_sync: "Última sincronización",
    never_synced: "Aún no se sincroniza",
    changes: "Los cambios llegan",
    mode: { push: "Al instante, por aviso", polling: "Se revisa cada 5 minutos" },
    mode_reason: {
      no_https: "Los avisos requieren una dirección https. Ponla en PUBLIC_URL.",
      not_supported: "Este calendario no ofrece avisos.",
      address_refused: "El proveedor rechazó la dirección de esta instalación.",
      push_missed: "Un aviso no llegó. Los avisos vuelven en cuanto llegue el siguiente.",
      forbidden: "Calendly rechazó los webhooks para este token o plan.",
    },
    renewal: "Avisos renovados antes del",
    scope: "Abarca",
    scopes: { organization: "Toda la organización", user: "Solo a esta persona" },
    since: "Conectado desde",
    disconnect: "Desconectar…",
    disconnect_submit: "Desconectar",
    disconnect_title: "¿Desconectar {{name}}?",
    disconnect_text:
      "Los cambios se detienen de inmediato en ambos sentidos. Puedes volver a conectar la cuenta cuando quieras.",
    what_stays: "Se queda",
    what_goes: "Se va",
    stays: {
      appointments: "Todas las citas se quedan, con sus ids e historial.",
      events_google: "Los eventos en Google Calendar se quedan como están.",
      events_calendly: "Las reservas en Calendly se quedan como están.",
    },
    goes: {
      busy: "El tiempo ocupado de allá ya no cierra tus horarios.",
      grant_google: "Devolvemos nuestro acceso a Google y lo borramos aquí.",
      grant_calendly: "Terminamos la suscripción de webhooks y borramos el token.",
    },
    disconnected: "El calendario se desconectó. Tus citas se quedan.",
    not_disconnected: "El calendario sigue conectado",
    hide_result: "Ocultar este aviso",
    result: {
      connected: {
        title: "Google Calendar está conectado",
        text: "Elige ahora qué calendarios son de tu equipo. Antes de eso nada se sincroniza.",
      },
      denied: {
        title: "No se conectó nada: no diste acceso",
        text: "Elegiste Cancelar en Google. Conecta de nuevo y elige Continuar allá.",
      },
      missing_scopes: {
        title: "No se conectó nada: falta un permiso",
        text: "Conecta de nuevo y marca todas las casillas que muestra Google.",
      },
      no_refresh_token: {
        title: "No se conectó nada: Google no dio un acceso duradero",
        text: "Quita esta app en myaccount.google.com/connections y conecta de nuevo.",
      },
      other_account: {
        title: "No se conectó nada: respondió otra cuenta de Google",
        text: "Conecta de nuevo y elige la cuenta de esta conexión.",
      },
      expired: {
        title: "No se conectó nada: este acceso ya no es válido",
        text: "Un inicio de sesión vale 10 minutos, una vez, en el navegador que lo empezó. Conecta de nuevo.",
      },
      failed: {
        title: "No se conectó nada: Google no terminó el inicio de sesión",
        text: "Tus otros calendarios siguen como antes. Intenta de nuevo en un minuto.",
      },
    },
    google: {
      title: "Conectar Google Calendar",
      text: "Inicias sesión en Google y eliges la cuenta. Después eliges aquí sus calendarios.",
      rules: "Las reglas de Google para tu app",
      rule: {
        testing:
          "Estado de publicación «Prueba»: Google termina el acceso a los 7 días. Tendrías que conectar cada semana.",
        unverified: "Publicada sin verificar: pueden conectarse 100 personas como máximo.",
        internal: "Tipo de usuario «Interno» en Google Workspace: sin revisión y sin límite.",
      },
      go: "Continuar a Google",
      not_started: "Google no se abrió",
      missing: "Esta instalación aún no tiene una app de Google",
      missing_text:
        "Quien opera esta instalación crea un cliente OAuth en Google y define estas variables:",
      redirect: "URI de redireccionamiento",
      redirect_text: "Agrega exactamente esta dirección al cliente OAuth en Google.",
      console: "Abrir Google Cloud",
    },
    mapping: "Calendarios",
    no_links: "Aún no eliges calendarios. Antes de eso nada se sincroniza.",
    choose: "Elegir calendarios",
    choose_text:
      "Da a cada calendario de Google la agenda de una persona, un consultorio o un sillón. Un calendario de Google corresponde a una sola agenda.",
    edit: "Cambiar",
    google_calendar: "Calendario de Google",
    agenda: "Agenda",
    nobody: "Sin usar",
    primary: "calendario principal",
    read_only: "solo lo puedes leer",
    lost: "Google ya no lo ofrece",
    direction: "Sentido",
    directions: {
      two_way: "Ambos sentidos",
      write_only: "Solo hacia Google",
      busy_only: "Solo tiempo ocupado",
    },
    other_events: "Otros eventos",
    others: { busy: "Cierran el horario", ignore: "Ignorar" },
    other_events_text: "Eventos sin cliente, como una comida.",
    twice: "{{agenda}} está elegida dos veces. Una agenda tiene un solo calendario de Google.",
    no_calendars: "Esta cuenta de Google no tiene calendarios en los que podamos escribir.",
    saved: "Guardado. La primera sincronización tarda un momento.",
    trouble: {
      grant_revoked: {
        title: "Google ya no acepta nuestro acceso",
        text: "Alguien lo quitó o cambió la contraseña. Las citas se conservan y se sincronizan cuando conectes de nuevo.",
      },
      testing_expired: {
        title: "Google terminó el acceso a los 7 días",
        text: "Tu app de Google está en «Prueba». Publícala o hazla «Interna» y conecta de nuevo.",
      },
      missing_scopes: {
        title: "Falta un permiso",
        text: "Conecta de nuevo y marca todas las casillas.",
      },
      api_disabled: {
        title: "La API de Google Calendar está apagada",
        text: "Actívala en tu proyecto de Google Cloud, espera un minuto y sincroniza.",
      },
      quota: {
        title: "Google limita nuestras llamadas por ahora",
        text: "Bajamos el ritmo y seguimos solos. Nada se pierde.",
      },
      forbidden: {
        title: "Ya no podemos usar un calendario",
        text: "Su dueño cambió quién puede editarlo. Vuelve a elegir los calendarios.",
      },
      not_found: {
        title: "Un calendario ya no existe",
        text: "Se borró o ya no se comparte con esta cuenta. Vuelve a elegir los calendarios.",
      },
      unreachable: {
        title: "La última sincronización no tuvo respuesta",
        text: "Volvemos a intentar solos. Nada se pierde.",
      },
      disconnected: {
        title: "Este calendario está desconectado",
        text: "Las citas se quedan. Conéctalo de nuevo para sincronizar.",
      },
      other: {
        title: "La última sincronización falló",
        text: "Volvemos a intentar solos. Causa: {{code}}.",
      },
    },
    remedy: {
      connect: "Conectar de nuevo",
      api: "Activar la API",
      choose: "Elegir calendarios",
    },
    failed_at: "Desde",
  },
};
