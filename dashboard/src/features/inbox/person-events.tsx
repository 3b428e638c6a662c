import { Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { lazy, Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { LoadingRows } from "../../components/load-states.tsx";
import { fetchAllTexts } from "../../lib/i18n.ts";

const ContactTimeline = lazy(async () => {
  const timeline = import("../../components/contact-timeline.tsx");
  const [{ ContactTimeline: component }] = await Promise.all([timeline, fetchAllTexts()]);
  return { default: component };
});

/** What happened with the person so far; read when it is asked for. */
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
