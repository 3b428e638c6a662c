import { Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { LoadingRows } from "../../components/load-states.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";

const ContactTimeline = lazyPart(
  async () => (await import("../../components/contact-timeline.tsx")).ContactTimeline,
);

/** Collapsed timeline of the contact, loaded when it is opened. */
export function PersonEvents({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const [shown, { toggle }] = useDisclosure(false);
  const id = useId();
  const Chevron = shown ? IconChevronDown : IconChevronRight;
  return (
    <Box>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        px={6}
        ml={-6}
        leftSection={<Chevron size={16} aria-hidden />}
        aria-expanded={shown}
        aria-controls={id}
        onClick={toggle}
      >
        {t("inbox.person_events")}
      </Button>
      <Box id={id} mt="xs" role="region" aria-label={t("inbox.person_events")} hidden={!shown}>
        {shown && (
          <Suspense fallback={<LoadingRows rows={3} />}>
            <ContactTimeline contactId={contactId} compact />
          </Suspense>
        )}
      </Box>
    </Box>
  );
}
