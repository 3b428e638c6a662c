import { useDisclosure } from "@mantine/hooks";
import { useSearchParams } from "react-router";

/**
 * State of a page's dialog for a new row. The command palette opens it from any page with `?new=1`.
 * `isByUrl`: the URL opened it, so that a later page replaces the present one in the history.
 */
export function useUrlDisclosure(): [
  boolean,
  { open: () => void; close: () => void; forget: () => void; isByUrl: boolean },
] {
  const [opened, { open, close }] = useDisclosure(false);
  const [params, setParams] = useSearchParams();
  const isByUrl = params.has("new");
  const leave = (): void => {
    close();
    if (!isByUrl) return;
    params.delete("new");
    setParams(params, { replace: true });
  };
  // `forget` leaves the URL alone, for a dialog that goes on to another page.
  return [opened || isByUrl, { open, close: leave, forget: close, isByUrl }];
}
