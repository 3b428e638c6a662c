/** Data for programs behind the buttons of a template. */
export const templateData = {
  template_data: {
    title: "Data of the buttons (optional)",
    text: "Your programs get it when the customer presses the button. The customer does not see it.",
    label: "Button “{{name}}”: data",
  },
};
