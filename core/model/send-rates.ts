import type { MetaDriver } from "./channels.ts";

const rates: Readonly<Record<MetaDriver, number>> = {
  whatsapp_cloud: 80,
  messenger: 300,
  instagram_page: 300,
  instagram_login: 300,
};
const coexistingRate = 20;

/**
 * Messages a second that a number, Page or account sends where nothing slows it down.
 * @param isCoexisting people use the number in the WhatsApp Business app too
 */
export function sendRateOf(driver: MetaDriver, isCoexisting = false): number {
  return isCoexisting ? coexistingRate : rates[driver];
}
