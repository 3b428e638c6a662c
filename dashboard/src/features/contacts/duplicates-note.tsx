import { Anchor } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { duplicatesQuery } from "../../lib/contact.ts";
import styles from "./contacts.module.css";
import { DuplicatesModal } from "./duplicates-modal.tsx";

/** Number of possible duplicates, with a button to review them. Nothing where there is none. */
export function DuplicatesNote() {
  const { t } = useTranslation();
  const count = useQuery(duplicatesQuery).data?.length ?? 0;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      {count > 0 && (
        <span className={styles["duplicates"]}>
          <span>{t("contacts.duplicates", { count })}</span>
          <Anchor component="button" type="button" size="xs" fw={500} onClick={open}>
            {t("contacts.review")}
          </Anchor>
        </span>
      )}
      {opened && <DuplicatesModal onClose={close} />}
    </>
  );
}
