import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCalendarPlus } from "@tabler/icons-react";
import { Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ContactCard } from "../lib/contact.ts";
import { lazyPart } from "../lib/lazy-part.ts";

/** Fetched with the first booking, because most readers of a conversation book nothing. */
const BookingDrawer = lazyPart(
  async () => (await import("./booking/booking-drawer.tsx")).BookingDrawer,
);

interface Booking {
  open: () => void;
  /** The opened form; null while it is closed. */
  drawer: ReactNode;
}

/**
 * Form that books an appointment for a contact. It waits for a contact that is still loading.
 * @param conversationId the conversation from which the appointment is booked
 */
export function useBooking(contact: ContactCard | null, conversationId?: number): Booking {
  const [booking, drawer] = useDisclosure(false);
  const shown = booking && contact !== null && (
    <Suspense>
      <BookingDrawer contact={{ ...contact, conversationId }} onClose={drawer.close} />
    </Suspense>
  );
  return { open: drawer.open, drawer: shown };
}

interface BookButtonProps extends Pick<ButtonProps, "size" | "variant" | "flex"> {
  /** The contact of the new appointment. */
  contact: ContactCard;
  conversationId?: number;
}

/** Button that books an appointment for a contact. */
export function BookButton({ contact, conversationId, ...look }: BookButtonProps) {
  const { t } = useTranslation();
  const { open, drawer } = useBooking(contact, conversationId);
  return (
    <>
      <Button {...look} leftSection={<IconCalendarPlus size={16} aria-hidden />} onClick={open}>
        {t("inbox.book")}
      </Button>
      {drawer}
    </>
  );
}
