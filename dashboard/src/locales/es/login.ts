export const login = {
  login: {
    title: "Hola de nuevo",
    text: "Inicia sesión en Parley.",
    art: {
      ask: "¿Tienen lugar",
      ask_rest: "el jueves?",
      answer: "Sí, a las 18:00.",
      answer_rest: "¿Te la aparto?",
      agreed: "De acuerdo",
    },
    submit: "Iniciar sesión",
    failed: "No iniciaste sesión",
    forgot_password: "¿La olvidaste?",
    new_password: "Pon una contraseña nueva",
    mail_link: "Enviarme un enlace",
    mailed: "Si este correo tiene una cuenta, va en camino un mensaje con un enlace.",
    forgot:
      "¿Olvidaste tu contraseña? Un administrador de tu cuenta puede crearte un enlace para poner una nueva.",
  },
  link: {
    to_login: "Ir al inicio de sesión",
  },
};
