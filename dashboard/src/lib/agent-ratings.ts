import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi, type AnswerOf, type BodyOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";
import { mutationsDone } from "./mutations-done.ts";
import { tellFailure } from "./notify.ts";
import { useSession } from "./session.ts";

/** A person's rating of a message of the agent. */
export type Rating = AnswerOf<"GET /conversations/:id/ratings">[number];
export type RatingBody = BodyOf<"PUT /messages/:id/rating">;

function ratingsQuery(conversationId: number) {
  return queryOptions({
    // Begins with the key of the conversation, so that live changes reach it.
    queryKey: [...liveKeys.conversation(conversationId), "ratings"],
    queryFn: async ({ client, signal }) => {
      await mutationsDone(client, rateKey(conversationId), signal);
      return await callApi("GET /conversations/:id/ratings", { id: conversationId });
    },
  });
}

const rateKey = (conversationId: number) => ["rate-message", conversationId];

/** Ratings of a message: the person's own one, null without one, and those of colleagues. */
export function useRatings(message: { id: number; conversation_id: number }) {
  const { user } = useSession();
  const { data = [] } = useQuery(ratingsQuery(message.conversation_id));
  const ratings = data.filter(({ message_id: id }) => id === message.id);
  return {
    own: ratings.find(({ user_id: id }) => id === user.id) ?? null,
    others: ratings.filter(({ user_id: id }) => id !== user.id),
  };
}

/** Rates a message, or removes the person's rating with null. It shows at once. */
export function useRate(
  { id, conversation_id: conversationId }: { id: number; conversation_id: number },
  failure: string,
) {
  const client = useQueryClient();
  const { user } = useSession();
  const { queryKey } = ratingsQuery(conversationId);
  return useMutation({
    mutationKey: rateKey(conversationId),
    mutationFn: async (body: RatingBody | null) => {
      if (body === null) await callApi("DELETE /messages/:id/rating", { id });
      else await callApi("PUT /messages/:id/rating", { id, body });
    },
    onMutate: async (body) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (shown: Rating[] = []) => {
        const others = shown.filter((one) => one.message_id !== id || one.user_id !== user.id);
        const at = new Date().toISOString();
        const own = { message_id: id, user_id: user.id, created_at: at, updated_at: at };
        return body === null
          ? others
          : [...others, { ...own, reason: null, comment: null, ...body }];
      });
    },
    onError: (error) => tellFailure(failure, error),
    onSettled: async () => await client.invalidateQueries({ queryKey }),
  });
}
