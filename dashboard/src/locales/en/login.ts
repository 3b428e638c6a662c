/** Login and links. */
export const login = {
  login: {
    title: "Welcome back",
    text: "Log in to Parley.",
    art: {
      ask: "Do you have room",
      ask_rest: "on Thursday?",
      answer: "Yes, at 18:00.",
      answer_rest: "Shall I book it?",
      agreed: "Agreed",
    },
    submit: "Log in",
    failed: "You are not logged in",
    forgot_password: "Forgot it?",
    new_password: "Set a new password",
    mail_link: "Mail me a link",
    mailed: "If this address has a login, a mail with a link is on its way.",
    forgot: "Forgot your password? An admin of your account can make you a link to set a new one.",
  },
  link: {
    to_login: "Go to the login",
  },
};
