import { Button } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { apiKeysQuery, type ApiKey } from "./api.ts";
import { KeyRow } from "./key-row.tsx";
import { MakeKeyModal } from "./make-key-modal.tsx";
import { RotateModal } from "./rotate-modal.tsx";

/** Page with the API keys of the account, for admins. */
export function ApiKeysPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [making, make] = useUrlDisclosure();
  if (role !== "admin") {
    return (
      <Page title={t("keys.title")}>
        <Empty title={t("keys.admins")} text={t("error.forbidden_role")} />
      </Page>
    );
  }
  return (
    <Page
      title={t("keys.title")}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={make.open}>
          {t("keys.make")}
        </Button>
      }
    >
      <Keys onMake={make.open} />
      {making && <MakeKeyModal onClose={make.close} />}
    </Page>
  );
}

/** The dialog with a new key outlives the row of the old one, which may expire or leave the page. */
function Keys({ onMake }: { onMake: () => void }) {
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  return (
    <>
      <KeyList onMake={onMake} onRotate={setRotating} />
      {rotating !== null && <RotateModal row={rotating} onClose={() => setRotating(null)} />}
    </>
  );
}

interface KeyListProps {
  onMake: () => void;
  onRotate: (row: ApiKey) => void;
}

function KeyList({ onMake, onRotate }: KeyListProps) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const keys = useQuery(apiKeysQuery(offset));
  return (
    <QueryState query={keys}>
      {({ data, meta }) =>
        meta.total === 0 ? (
          <EmptyList
            title={t("keys.empty")}
            text={t("keys.empty_text")}
            first={t("keys.make_first")}
            hint={t("keys.make_hint")}
            icon={IconKey}
            onFirst={onMake}
          />
        ) : (
          <>
            <KeyTable rows={data} onRotate={onRotate} />
            <Pager meta={meta} onMove={setOffset} />
          </>
        )
      }
    </QueryState>
  );
}

function KeyTable({ rows, onRotate }: Pick<KeyListProps, "onRotate"> & { rows: ApiKey[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("keys.title")}
      minWidth={720}
      heads={[t("common.name"), t("keys.may"), t("people.state"), t("keys.used"), ""]}
    >
      {rows.map((row) => (
        <KeyRow
          key={row.id}
          row={row}
          hasSuccessor={rows.some((one) => one.replaces_id === row.id)}
          onRotate={() => onRotate(row)}
        />
      ))}
    </WideTable>
  );
}
