/** Templates as Meta's list writes them. */
export const samples = {
  greeting: {
    id: "594425479261590",
    name: "hi",
    language: "es_MX",
    category: "UTILITY",
    status: "APPROVED",
    components: [{ type: "BODY", text: "Hola de la clínica" }],
  },
  reminder: {
    id: "594425479261596",
    name: "appointment_reminder",
    language: "es_MX",
    category: "UTILITY",
    status: "APPROVED",
    quality_score: { score: "GREEN", date: 1_749_416_383 },
    parameter_format: "POSITIONAL",
    rejected_reason: "NONE",
    components: [
      {
        type: "HEADER",
        format: "TEXT",
        text: "Cita con {{1}}",
        example: { header_text: ["Dra. Ruiz"] },
      },
      {
        type: "BODY",
        text: "Hola {{1}}, te esperamos el {{2}}. Responde {{1}} para confirmar.",
        example: { body_text: [["Ana", "5 de marzo"]] },
      },
      { type: "FOOTER", text: "Clínica Sol" },
      {
        type: "BUTTONS",
        buttons: [
          { type: "QUICK_REPLY", text: "Confirmar" },
          {
            type: "URL",
            text: "Ver",
            url: "https://sol.example/c/{{1}}",
            example: ["https://sol.example/c/9"],
          },
          { type: "PHONE_NUMBER", text: "Llamar", phone_number: "+525512345678" },
        ],
      },
    ],
  },
  named: {
    id: "2",
    name: "order_ready",
    language: "en",
    category: "UTILITY",
    status: "APPROVED",
    parameter_format: "NAMED",
    components: [
      { type: "HEADER", format: "DOCUMENT", example: { header_handle: ["https://x/y"] } },
      {
        type: "BODY",
        text: "Hi {{first_name}}, order {{order_id}} is ready.",
        example: {
          body_text_named_params: [
            { param_name: "order_id", example: "A-7" },
            { param_name: "first_name", example: "Ana" },
          ],
        },
      },
    ],
  },
  code: {
    id: "3",
    name: "login_code",
    language: "en_US",
    category: "AUTHENTICATION",
    status: "APPROVED",
    components: [
      { type: "BODY", text: "*{{1}}* is your code.", add_security_recommendation: true },
      {
        type: "BUTTONS",
        buttons: [
          {
            type: "URL",
            text: "Copy code",
            url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
          },
        ],
      },
    ],
  },
  coupon: {
    id: "4",
    name: "sale",
    language: "en",
    category: "MARKETING",
    status: "PAUSED",
    quality_score: { score: "RED" },
    components: [
      { type: "HEADER", format: "IMAGE" },
      { type: "BODY", text: "Everything for less." },
      {
        type: "BUTTONS",
        buttons: [
          { type: "COPY_CODE", example: ["SALE25"] },
          { type: "FLOW", text: "Book", flow_id: 1 },
        ],
      },
    ],
  },
  carousel: {
    id: "5",
    name: "cards",
    language: "en",
    category: "MARKETING",
    status: "APPROVED",
    components: [
      { type: "BODY", text: "Look" },
      { type: "CAROUSEL", cards: [] },
    ],
  },
};
