import { Anchor } from "@mantine/core";
import { phoneText, phoneUrl } from "../lib/phone.ts";

/** A phone as people read it, which a press dials. `phone` has the country code and no plus sign. */
export function PhoneLink({ phone }: { phone: string }) {
  return (
    <Anchor href={phoneUrl(phone)} c="inherit" className="tabular" style={{ whiteSpace: "nowrap" }}>
      {phoneText(phone)}
    </Anchor>
  );
}
