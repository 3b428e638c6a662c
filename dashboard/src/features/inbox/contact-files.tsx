import { Center, SegmentedControl, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import {
  IconFileOff,
  IconFileText,
  IconHourglass,
  IconMicrophone,
  IconPhoto,
  IconVideo,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import {
  fileFilters,
  type ContactFileView,
  type FileFilter,
} from "../../../../core/model/contact-files.ts";
import { QueryState } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { useSession } from "../../lib/session.ts";
import { dayText, exactTime } from "../../lib/time.ts";
import { messagePath } from "../../paths.ts";
import styles from "./contact-files.module.css";

/** Files in a page: six rows of three. */
const pageSize = 18;
type Filter = FileFilter | "all";

/** Files of all conversations of a contact, newest first. Each leads to its message. */
export function ContactFiles({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<Filter>("all");
  const list = useInfiniteQuery({
    // Each message of the contact invalidates the keys of the timeline.
    queryKey: [...liveKeys.timeline(contactId), "files", filter],
    queryFn: async ({ pageParam }) => {
      const kind = filter === "all" ? undefined : filter;
      const query = { limit: pageSize, before_id: pageParam, kind };
      return await callApi("GET /contacts/:id/files", { id: contactId, query });
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ meta }) => meta.next,
  });
  return (
    <>
      <SegmentedControl
        fullWidth
        size="xs"
        mt={8}
        aria-label={t("files.kind")}
        value={filter}
        onChange={(value) => setFilter(value as Filter)}
        data={(["all", ...fileFilters] as const).map((value) => ({
          value,
          label: <FilterLabel filter={value} />,
        }))}
      />
      <QueryState query={list} rows={3}>
        {({ pages }) => {
          const files = pages.flatMap(({ data }) => data);
          return files.length === 0 ? (
            <Text size="sm" c="dimmed" mt={10}>
              {t("files.none")}
            </Text>
          ) : (
            <ul className={styles["grid"]}>
              {files.map((file) => (
                <li key={file.id}>
                  <Tile file={file} />
                </li>
              ))}
            </ul>
          );
        }}
      </QueryState>
      {list.hasNextPage && (
        <Center mt={8}>
          <PendingButton
            size="compact-sm"
            variant="subtle"
            pending={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t("files.more")}
          </PendingButton>
        </Center>
      )}
    </>
  );
}

const pictures = {
  image: IconPhoto,
  sticker: IconPhoto,
  video: IconVideo,
  document: IconFileText,
  audio: IconMicrophone,
};

/** The panel is too narrow for five words, so a kind is an icon with its name. */
function FilterLabel({ filter }: { filter: Filter }) {
  const { t } = useTranslation();
  const word = t(`files.${filter}`);
  if (filter === "all") return word;
  const Picture = pictures[filter];
  return (
    <Center title={word}>
      <Picture size={16} role="img" aria-label={word} />
    </Center>
  );
}

/** A file as a link to its message. A file that is not stored says why. */
function Tile({ file }: { file: ContactFileView }) {
  const { t } = useTranslation();
  const { time_zone: zone } = useSession().account;
  const [broken, setBroken] = useState<string | null>(null);
  const { kind, state, filename, created_at: at, thumbnail_url: thumbnail } = file;
  const shown = thumbnail === broken ? null : thumbnail;
  const word = t(`message_type.${kind}`);
  const reason = state === "ready" ? dayText(at, zone) : t(`inbox.file.${state}`);
  const Picture =
    state === "ready" ? pictures[kind] : state === "pending" ? IconHourglass : IconFileOff;
  return (
    <Link
      className={styles["tile"]}
      to={messagePath(file.conversation_id, file.message_id)}
      title={`${filename ?? word} · ${exactTime(at, zone)}`}
      data-picture={shown !== null || undefined}
    >
      {shown === null ? (
        <>
          <Picture size={20} aria-hidden />
          <span className={styles["name"]}>{filename ?? word}</span>
          <span className={styles["name"]}>{reason}</span>
        </>
      ) : (
        <img
          src={shown}
          alt={`${filename ?? word}, ${reason}`}
          loading="lazy"
          onError={() => setBroken(shown)}
        />
      )}
    </Link>
  );
}
