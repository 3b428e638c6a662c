import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCalendarPlus } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { ContactCard } from "../lib/contact.ts";
import { lazyPart } from "../lib/lazy-part.ts";

/** Fetched with the first booking, because most readers of a conversation book nothing. */
const BookingDrawer = lazyPart(
  async () => (await import("./booking/booking-drawer.tsx")).BookingDrawer,
);

interface BookButtonProps extends Pick<ButtonProps, "size" | "variant"> {
  /** The contact of the new appointment. */
  contact: ContactCard;
}

/** Button that books an appointment for a contact. */
export function BookButton({ contact, ...look }: BookButtonProps) {
  const { t } = useTranslation();
  const [booking, drawer] = useDisclosure(false);
  return (
    <>
      <Button
        {...look}
        leftSection={<IconCalendarPlus size={16} aria-hidden />}
        onClick={drawer.open}
      >
        {t("inbox.book")}
      </Button>
      {booking && (
        <Suspense>
          <BookingDrawer contact={contact} onClose={drawer.close} />
        </Suspense>
      )}
    </>
  );
}
