import { Anchor } from "@mantine/core";
import { IconFileDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { errorsPath } from "./api.ts";
import styles from "./imports.module.css";

/** Link to the rows with errors, as a file with one more column. */
export function ErrorsLink({ id }: { id: number }) {
  const { t } = useTranslation();
  return (
    <Anchor href={errorsPath(id)} download size="sm" fw={500} className={styles["download"] ?? ""}>
      <IconFileDownload size={14} aria-hidden />
      {t("imports.check.errors")}
    </Anchor>
  );
}
