/** A webhook of number 1065 with one change. */
export function webhook(value: object, field = "messages") {
  const metadata = { display_phone_number: "15550783881", phone_number_id: "1065" };
  const change = { field, value: { messaging_product: "whatsapp", metadata, ...value } };
  return { object: "whatsapp_business_account", entry: [{ id: "WABA", changes: [change] }] };
}
