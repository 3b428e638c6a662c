/**
 * Refusals that the login and the inbox do not read at first. They come with the texts of the other
 * pages, or with the first attached file.
 */
export const refusals = {
  error: {
    upload_unavailable: "This upload was sent already or is too old. Upload the file again.",
    media_empty: "The file is empty.",
    media_refused: "The virus scanner refused this file. Choose another one.",
    media_too_large: "The file is larger than the channel takes. Send a smaller one.",
    media_type_refused:
      "The channel does not take a file of this type. Send it as a document, or convert it.",
    media_unavailable: "The file could not be fetched or sent. Upload it here and send it again.",
    agent_provider_failed:
      "Check the provider's key, model and address in the setup, or go on with the basic agent.",
    trial_changed: "The account has changed since this trial began. Start over.",
    api_key_rotated: "This key was rotated already. Rotate the new key.",
    api_key_revoked: "This key was revoked. Make a new one.",
    api_key_expired: "This key has expired. Make a new one.",
    already_member: "This person is in the account already.",
    own_membership: "You cannot change your own access. Ask another admin.",
    last_admin: "The account needs an admin. Make somebody else one first.",
    member_elsewhere: "This person is in other accounts too and changes this themselves.",
    user_disabled: "This person is disabled. Enable them first.",
    stage_not_empty: "Contacts stand in this stage. Move them to another one first.",
    last_stage: "A pipeline has at least one stage. Delete the pipeline instead.",
    subscription_not_active: "The subscription is not active. Resume it first.",
    delivery_finished: "This delivery is over already.",
    delivery_open: "This delivery is still under way.",
    agent_provider_not_found: "This model provider is gone.",
    agent_version_not_found: "This version is gone.",
    replay_state: "This replay has gone on meanwhile, so nothing was changed.",
    subscription_disabled: "The subscription is disabled. Enable it once its receiver works.",
    event_erased: "The data of this event was deleted, so it cannot be sent again.",
    contact_needs_conversation:
      "This contact has no conversation yet. Only contacts with one stand in a pipeline.",
    calendar_connection_not_found: "This calendar connection is gone.",
    calendly_group_event:
      "Calendly would cancel this event for all of its invitees. Cancel this one on Calendly's page.",
    calendly_moves_itself: "Calendly keeps this appointment. Move it on Calendly's page.",
    calendly_refused: "Calendly refuses this token. Make a new one with every scope.",
    calendar_refused:
      "The external calendar refused the change, so the old time stands. Check its connection.",
    calendar_unavailable:
      "The external calendar does not answer, so the old time stands. Try again later.",
    channel_account_not_found: "This channel is gone.",
    channel_app_not_found: "This app is gone.",
    channel_changed: "The channel was changed during the check. Check it again.",
    channel_check_failed: "Meta refused this step.",
    channel_mismatch: "The token belongs to another number, Page or account. Nothing was changed.",
    channel_webhook_not_parked: "Only a parked webhook can be tried again.",
    channel_without_token:
      "This channel is a sandbox or is disconnected. Connect it with a token first.",
    channel_item_not_parked: "Only a parked item can be tried again.",
  },
  invalid: {
    unknown_trial: "This trial is not known any more. Start over.",
    too_many_lines: "The trial is full. Start over.",
    slug_length: "Use 3 to 40 characters.",
    slug_characters: "Use letters a to z, digits, and single hyphens between them.",
    slug_reserved: "This word is reserved. Choose another one.",
    too_many_slugs: "This link has had 10 addresses. Choose one of its earlier ones.",
    slug_taken: "Another booking link has this address. Choose another one.",
    too_many_pipelines: "An account has at most 20 pipelines. Delete one first.",
    too_many_days: "Use at most 90 days.",
    overlapping_ranges: "Put the hours of a day in order, without overlap.",
    too_many_cases: "An account has at most 100 test cases. Delete one first.",
    too_many_links: "An account has at most 100 booking links. Delete one first.",
    invalid_public_key: "Use the public key of ES256 in PEM: a key of the curve P-256.",
    too_many_widgets: "An account has at most 20 web chats. Delete one first.",
    unknown_booking_link: "This booking link is gone. Choose another one.",
    shortcut_taken: "A canned answer has this shortcut already. Choose another one.",
    same_password: "Choose another password than the current one.",
  },
};
