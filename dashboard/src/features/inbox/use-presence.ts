import { useDocumentVisibility } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { HeartbeatState, ViewerView } from "../../../../core/model/presence.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Periods of the heartbeats. The server forgets a viewer after 25 s, and a typist after 6 s. */
const viewingMs = 10_000;
const typingMs = 4_000;

async function beat(id: number, state: HeartbeatState): Promise<ViewerView[]> {
  return (await callApi("PUT /conversations/:id/presence", { id, body: { state } })).viewers;
}

/** Ends the presence. The request outlives a page that closes. */
function leave(id: number): void {
  fetch(`/dashboard/api/conversations/${id}/presence`, {
    method: "PUT",
    keepalive: true,
    body: JSON.stringify({ state: "left" }),
    headers: { "Content-Type": "application/json" },
  }).catch(() => undefined);
}

/**
 * Tells colleagues that the person looks at the conversation or types in it, while the tab is
 * visible. `text` is what the person writes. @returns everybody else there.
 */
export function usePresence(id: number, text: string): ViewerView[] {
  const client = useQueryClient();
  const visible = useDocumentVisibility() === "visible";
  const typedAt = useRef(0);
  const { data } = useQuery({
    queryKey: liveKeys.presence(id),
    queryFn: async () =>
      await beat(id, Date.now() - typedAt.current < typingMs ? "typing" : "viewing"),
    enabled: visible,
    refetchInterval: viewingMs,
    retry: false,
    // A list that came with the stream does not replace the first heartbeat.
    staleTime: 0,
    gcTime: 0,
  });
  useEffect(() => {
    if (!visible) return;
    // Without this word the server shows the person for 25 s more.
    const end = (): void => leave(id);
    window.addEventListener("pagehide", end);
    return () => {
      window.removeEventListener("pagehide", end);
      end();
    };
  }, [id, visible]);

  const before = useRef({ id, text });
  useEffect(() => {
    const { id: lastId, text: last } = before.current;
    before.current = { id, text };
    if (lastId !== id || last === text) return;
    const isTyping = text !== "";
    if (isTyping && Date.now() - typedAt.current < typingMs) return;
    typedAt.current = isTyping ? Date.now() : 0;
    beat(id, isTyping ? "typing" : "viewing").then(
      (viewers) => client.setQueryData(liveKeys.presence(id), viewers),
      () => undefined,
    );
  }, [client, id, text]);
  return data ?? [];
}
