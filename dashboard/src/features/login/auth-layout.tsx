import { Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconWorld } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "../../components/mark.tsx";
import { languageOf, switchLanguage } from "../../lib/i18n.ts";
import styles from "./auth-layout.module.css";

interface AuthLayoutProps {
  title: string;
  text?: string;
  children: ReactNode;
}

/** Layout of the public pages: the form, and the mark drawn large on a wide screen. */
export function AuthLayout({ title, text, children }: AuthLayoutProps) {
  useDocumentTitle(`${title} · Parley`);
  return (
    <main className={styles["page"]}>
      <div className={styles["side"]}>
        <div className={styles["brand"]}>
          <Mark size={28} />
          Parley
        </div>
        <Stack gap="lg" className={styles["form"] ?? ""}>
          <div>
            <Title order={1} className={styles["title"] ?? ""}>
              {title}
            </Title>
            {text !== undefined && <Text className={styles["text"] ?? ""}>{text}</Text>}
          </div>
          {children}
        </Stack>
        <div className={styles["foot"]}>
          <Languages />
          <span className={styles["host"]}>{window.location.host}</span>
        </div>
      </div>
      <Art />
    </main>
  );
}

const languages = [
  { code: "en", name: "English" },
  { code: "es", name: "Español" },
] as const;

/** Switches the language before a login. After the login the person's own choice counts. */
function Languages() {
  const { i18n } = useTranslation();
  const shown = languageOf(i18n.language);
  return (
    <>
      <IconWorld size={15} aria-hidden />
      {languages.map(({ code, name }) => (
        <UnstyledButton
          key={code}
          lang={code}
          className={styles["language"] ?? ""}
          aria-pressed={code === shown}
          onClick={() => void switchLanguage(code)}
        >
          {name}
        </UnstyledButton>
      ))}
    </>
  );
}

const back = "M430 350a250 250 0 0 1 250 250v218a32 32 0 0 1-32 32h-218a250 250 0 0 1 0-500z";
const front = "M290 60a250 250 0 1 1 0 500h-218a32 32 0 0 1-32-32v-218a250 250 0 0 1 250-250z";

/** Two people who reach an agreement: the mark with their words. */
function Art() {
  const { t } = useTranslation();
  return (
    <div className={styles["art"]} aria-hidden>
      <svg viewBox="0 0 720 900" fill="none">
        <path fill="#7f7fe8" opacity="0.55" d={back} />
        <path fill="#5b5bd6" d={front} />
        <clipPath id="agreement">
          <path d={front} />
        </clipPath>
        <path clipPath="url(#agreement)" fill="#eeeefc" d={back} />
        <text x="110" y="234">
          {t("login.art.ask")}
        </text>
        <text x="110" y="266">
          {t("login.art.ask_rest")}
        </text>
        <text x="474" y="714">
          {t("login.art.answer")}
        </text>
        <text x="474" y="746">
          {t("login.art.answer_rest")}
        </text>
        <text x="383" y="460" textAnchor="middle" style={{ fill: "#2a2a72", fontWeight: 600 }}>
          {t("login.art.agreed")}
        </text>
      </svg>
    </div>
  );
}
