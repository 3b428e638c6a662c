import { importErrors } from "./import-errors.ts";
import { knowledgeErrors } from "./knowledge-errors.ts";

/** Meaning of an error code. */
interface ErrorDefinition {
  /** HTTP status of every answer with this code. */
  status: number;
  /** Names the fault and the next step. A service may pass a text that knows more. */
  message: string;
}

/** The codes that services throw, with status and text of their answers. Others do not compile. */
export const errorCatalogue = {
  bad_request: { status: 400, message: "This is not a valid HTTP request." },
  invalid_json: { status: 400, message: "The body is not valid JSON in UTF-8." },
  invalid_template_params: {
    status: 400,
    message: "The values do not fit the template. `details` lists the places of the template.",
  },
  unsupported_event: { status: 400, message: "This endpoint does not know the event." },
  validation_error: { status: 400, message: "The request has 1 invalid field." },

  missing_api_key: { status: 401, message: "Send your API key as Authorization: Bearer <key>." },
  invalid_api_key: { status: 401, message: "This API key is unknown, revoked or expired." },
  missing_signature: {
    status: 401,
    message: "Sign the body and send the header X-Service-Signature.",
  },
  invalid_signature: {
    status: 401,
    message: "The signature does not fit the body. Sign the very bytes that are sent.",
  },
  session_required: { status: 401, message: "Log in first." },
  session_expired: {
    status: 401,
    message: "This chat session is over. Begin or resume one with POST /sessions.",
  },
  login_failed: { status: 401, message: "Email or password is wrong." },

  insufficient_scope: { status: 403, message: "This API key lacks the scope of this call." },
  identity_invalid: {
    status: 403,
    message: "The identity is not valid here. Check its key, its algorithm, `sub` and `exp`.",
  },
  identity_required: {
    status: 403,
    message: "This chat takes messages of people who are logged in at its site.",
  },
  forbidden_role: {
    status: 403,
    message: "Only an admin of the account may do this. Ask one, or have your role changed.",
  },
  invalid_verify_token: {
    status: 403,
    message: "The verify token is not that of this app. Paste the one that the Dashboard shows.",
  },
  csrf_rejected: {
    status: 403,
    message: "This request comes from another site. Open the Dashboard itself.",
  },
  origin_not_allowed: {
    status: 403,
    message: "This site may not use the chat. An admin can add its origin to the widget.",
  },
  loop_detected: {
    status: 403,
    message:
      "This is a delivery of this service itself. Send it to another system, or leave out X-Service-Loop-Guard when you call the API.",
  },

  account_not_found: { status: 404, message: "You are not a member of an account with this id." },
  agent_draft_not_found: { status: 404, message: "There is no draft of the agent with this id." },
  agent_case_not_found: { status: 404, message: "There is no test case with this id." },
  agent_provider_not_found: { status: 404, message: "There is no model provider with this id." },
  agent_version_not_found: { status: 404, message: "There is no version with this id." },
  agent_turn_not_found: { status: 404, message: "There is no turn of the agent with this id." },
  api_key_not_found: { status: 404, message: "There is no API key with this id." },
  appointment_not_found: { status: 404, message: "There is no appointment with this id." },
  calendar_connection_not_found: { status: 404, message: "There is no connection with this id." },
  booking_not_found: { status: 404, message: "There is no booking with this id." },
  booking_link_not_found: { status: 404, message: "There is no booking link with this id." },
  calendar_feed_not_found: { status: 404, message: "There is no calendar feed at this address." },
  card_not_found: { status: 404, message: "This contact stands in no stage of this pipeline." },
  canned_answer_not_found: { status: 404, message: "There is no canned answer with this id." },
  channel_account_not_found: { status: 404, message: "There is no channel with this id." },
  channel_app_not_found: { status: 404, message: "There is no app of a channel with this id." },
  channel_item_not_found: { status: 404, message: "There is no channel item with this id." },
  widget_not_found: { status: 404, message: "There is no widget with this id." },
  channel_webhook_not_found: { status: 404, message: "There is no webhook with this id." },
  closure_not_found: { status: 404, message: "There is no closure with this id." },
  contact_not_found: { status: 404, message: "There is no contact with this id." },
  conversation_not_found: { status: 404, message: "There is no conversation with this id." },
  delivery_not_found: { status: 404, message: "There is no delivery with this id." },
  endpoint_not_found: { status: 404, message: "There is no endpoint at this URL." },
  export_not_found: { status: 404, message: "There is no export with this id, or it has expired." },
  inbox_view_not_found: { status: 404, message: "There is no saved view with this id." },
  invitation_not_found: { status: 404, message: "There is no invitation with this id." },
  link_not_found: {
    status: 404,
    message: "This link is unknown, used or expired. Ask an admin of the account for a new one.",
  },
  macro_not_found: { status: 404, message: "There is no macro with this id." },
  media_not_found: {
    status: 404,
    message: "There is no file at this link, or the link has expired. Read the message again.",
  },
  message_not_found: { status: 404, message: "There is no message with this id." },
  notification_not_found: { status: 404, message: "There is no notification with this id." },
  pipeline_not_found: { status: 404, message: "There is no pipeline with this id." },
  replay_not_found: { status: 404, message: "There is no replay with this id." },
  reschedule_not_found: { status: 404, message: "There is no reschedule with this id." },
  resource_not_found: { status: 404, message: "There is no resource with this id." },
  route_not_found: { status: 404, message: "There is nothing at this path. See /docs." },
  service_not_found: { status: 404, message: "There is no service with this id." },
  session_not_found: { status: 404, message: "There is no session with this id." },
  stage_not_found: { status: 404, message: "There is no stage with this id." },
  subscription_not_found: { status: 404, message: "There is no subscription with this id." },
  user_not_found: { status: 404, message: "There is no user with this id." },

  method_not_allowed: { status: 405, message: "This path does not take this method." },

  request_timeout: {
    status: 408,
    message: "The body took too long to arrive. Send it again in one go.",
  },

  already_member: {
    status: 409,
    message:
      "This person is a member of the account already. Log in, or change the role in the list of people.",
  },
  api_key_expired: { status: 409, message: "An expired key cannot be rotated. Make a new one." },
  agent_draft_closed: {
    status: 409,
    message: "This draft was sent or dismissed, or the conversation went on without it.",
  },
  agent_is_off: {
    status: 409,
    message: "The AI agent is off here. Ask an admin to switch it on for this channel.",
  },
  agent_is_writing: {
    status: 409,
    message: "The AI agent is about to answer by itself. Pause it to get a suggestion instead.",
  },
  api_key_revoked: { status: 409, message: "A revoked key cannot be rotated. Make a new one." },
  api_key_rotated: { status: 409, message: "This key was rotated already. Rotate its successor." },
  appointment_ambiguous: {
    status: 409,
    message: "The caller has several appointments ahead. Ask which one, and send its id.",
  },
  appointment_replaced: {
    status: 409,
    message: "Another appointment replaced this one. Change that one.",
  },
  channel_changed: {
    status: 409,
    message: "The channel was changed during the check. Check it again.",
  },
  channel_item_not_parked: { status: 409, message: "Only a parked item can be tried again." },
  channel_webhook_not_parked: { status: 409, message: "Only a parked webhook can be tried again." },
  channel_without_token: {
    status: 409,
    message: "This channel is a sandbox or is disconnected. Connect it with a token first.",
  },
  contact_conflict: {
    status: 409,
    message: "The phone or email belongs to another contact. Nothing was changed.",
  },
  conversation_resolved: {
    status: 409,
    message: "This conversation is resolved. Reopen it first.",
  },
  delivery_finished: { status: 409, message: "This delivery is over. Redeliver it instead." },
  delivery_open: { status: 409, message: "This delivery is not over yet." },
  draft_changed: {
    status: 409,
    message: "The draft was changed meanwhile. Nothing was done. Read it, and try again.",
  },
  email_unconfirmed: {
    status: 409,
    message:
      "Your address is not confirmed. Ask for a new password at the login: the link in the mail confirms it.",
  },
  event_erased: { status: 409, message: "What this delivery would send has been erased." },
  idempotency_in_progress: {
    status: 409,
    message: "The first request with this Idempotency-Key is still running. Try again in a moment.",
  },
  last_admin: {
    status: 409,
    message: "This is the last admin of the account. Make another first.",
  },
  last_stage: { status: 409, message: "A pipeline has at least one stage. Delete the pipeline." },
  mail_off: { status: 409, message: "No mail server is set up. Ask an admin of your account." },
  member_elsewhere: { status: 409, message: "This person is a member of another account too." },
  message_not_failed: { status: 409, message: "Only a message that has failed can be sent again." },
  outcome_unknown: {
    status: 409,
    message: "The customer may have this message already. Confirm that it is to be sent again.",
  },
  own_membership: {
    status: 409,
    message: "You cannot change your own role or disable yourself. Ask another admin.",
  },
  nothing_to_answer: { status: 409, message: "The customer has not written anything yet." },
  proposal_refused: {
    status: 409,
    message:
      "A change that the agent proposed is not possible any more. Nothing was sent. Untick it, or write your own answer.",
  },
  replay_state: { status: 409, message: "This does not apply to the replay any more." },
  reschedule_failed: {
    status: 409,
    message: "The appointment was not moved; it is where it was. Try again.",
  },
  reschedule_in_progress: {
    status: 409,
    message: "This appointment is being moved. Wait until that has ended.",
  },
  slot_taken: { status: 409, message: "This time is not free. Choose another one." },
  stage_not_empty: {
    status: 409,
    message: "Contacts stand in this stage. Move them to another one first.",
  },
  subscription_disabled: {
    status: 409,
    message: "This subscription is disabled. Set its state to active once its receiver works.",
  },
  subscription_not_active: {
    status: 409,
    message: "This subscription is not active. Make it active first.",
  },
  trial_changed: {
    status: 409,
    message: "The account has changed since this trial began. Start over.",
  },
  too_many_bookings: {
    status: 409,
    message: "This customer has too many open bookings. Cancel one of them first.",
  },
  user_disabled: { status: 409, message: "This person is disabled. Enable them first." },

  payload_too_large: { status: 413, message: "The body is too large. Send less in one request." },
  unsupported_media_type: {
    status: 415,
    message:
      "Send the body as JSON with the header Content-Type: application/json, not compressed.",
  },

  appointment_not_begun: {
    status: 422,
    message: "This appointment has not begun yet. Mark it once its time has come.",
  },
  appointment_not_confirmed: {
    status: 422,
    message: "Only a confirmed appointment can be changed so.",
  },
  calendly_group_event: { status: 409, message: "Cancel this invitee at `details.cancel_url`." },
  calendly_moves_itself: { status: 409, message: "Move it at `details.reschedule_url`." },
  calendly_refused: { status: 422, message: "Calendly refuses this token. Make a new one." },
  calendar_refused: {
    status: 422,
    message:
      "The external calendar refused the change, so the appointment was not moved; it is where it was. Check the calendar's connection.",
  },
  media_empty: { status: 422, message: "The file is empty. Choose another one." },
  media_refused: {
    status: 422,
    message: "The virus scanner refused this file. Choose another one.",
  },
  media_too_large: {
    status: 422,
    message: "The file is larger than the channel takes. Send a smaller one.",
  },
  media_type_refused: {
    status: 422,
    message: "The channel does not take a file of this type. Send another one.",
  },
  upload_unavailable: {
    status: 422,
    message: "This upload is not yours, was sent already, or is older than a day. Upload it again.",
  },
  calendar_disconnected: {
    status: 422,
    message: "This calendar account is disconnected. Connect it again first.",
  },
  google_not_configured: {
    status: 422,
    message: "Set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET first. See docs/calendars.md.",
  },
  calendly_not_configured: { status: 422, message: "Set up the OAuth app. See docs/calendars.md." },
  google_refused: {
    status: 422,
    message: "Google refused the call. The reason is in the details.",
  },
  chat_closed: { status: 422, message: "This chat takes no messages now." },
  channel_check_failed: {
    status: 422,
    message: "The network refused a step. The details hold its words and the next move.",
  },
  channel_mismatch: {
    status: 422,
    message:
      "The token is of another number, Page or account than this channel. Nothing was changed.",
  },
  channel_not_connected: {
    status: 422,
    message: "This account has no WhatsApp channel. Connect one, then send this again.",
  },
  contact_needs_conversation: {
    status: 422,
    message: "This contact has no conversation yet, and only who has one stands in a pipeline.",
  },
  contact_needs_identifier: {
    status: 422,
    message:
      "A contact keeps a phone, an email or a channel identity. Set another one before you clear this.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "This Idempotency-Key was used with another body. Use a new one for a new request.",
  },
  macro_step_failed: {
    status: 422,
    message: "A step of this macro cannot run, so nothing was done.",
  },
  message_too_long: {
    status: 422,
    message: "The channel does not take a text of this length. Shorten it, or send two messages.",
  },
  messaging_window_closed: {
    status: 422,
    message:
      "The customer last wrote more than 24 hours ago. Send a template, or wait for their next message.",
  },
  outside_hours: {
    status: 422,
    message: "The resource is closed at this time. Choose another one.",
  },
  past_time: { status: 422, message: "This time has passed. Choose one that is to come." },
  resource_archived: { status: 422, message: "This resource is archived. Choose another one." },
  service_not_offered: { status: 422, message: "This resource does not give this service." },
  template_unavailable: {
    status: 422,
    message: "WhatsApp cannot send this template now. Choose an approved one.",
  },
  wrong_password: { status: 422, message: "Your current password is not this one." },

  proof_required: {
    status: 428,
    message: "Solve the challenge in `details`, and send the call again with its `proof`.",
  },

  rate_limited: { status: 429, message: "Too many requests. Try again later." },

  internal_error: {
    status: 500,
    message:
      "Something failed on our side. Tell us the request_id of this answer if it happens again.",
  },
  agent_provider_failed: {
    status: 503,
    message:
      "The model provider gave no answer. Check its key, model and address, or choose the basic agent.",
  },
  calendar_unavailable: {
    status: 503,
    message:
      "The external calendar does not answer, so the appointment was not moved; it is where it was. Try again later.",
  },
  too_many_streams: {
    status: 503,
    message:
      "Too many visitors are connected to this process. Read the messages every 20 s instead.",
  },
  service_unavailable: {
    status: 503,
    message: "The service cannot use its database right now. Try again in a few seconds.",
  },

  ...importErrors,
  ...knowledgeErrors,
} as const satisfies Record<string, ErrorDefinition>;

/** A code that an answer of any API may carry. */
export type ErrorCode = keyof typeof errorCatalogue;

/** A noun with an error `<noun>_not_found`. */
export type ErrorNoun<Code = ErrorCode> = Code extends `${infer Noun}_not_found` ? Noun : never;
